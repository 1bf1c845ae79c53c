"""Threats as moves for five in a row: the notes and the table of hot functions over the search of continuous_fours."""

from libc.stdint cimport int32_t, uint16_t

from mcts_core.game cimport mcts_proof
from mcts_core.games.mnk.continuous_fours cimport threat_search


# What is known of a position: proof and disproof number. One that the attacker's threats win has the proof number 0 and
# its distance in plies as the disproof number; one where they fail has the disproof number 0.
ctypedef struct vct_note:
    uint16_t move
    uint16_t proof
    uint16_t disproof

ctypedef struct mnk_vct_table:
    # Tries to prove the position of `s` with `player` to move, from what `s.spent` is to `s.limit`. Moves are cells.
    void (*prove)(threat_search *s, int32_t player, mcts_proof *proof) noexcept nogil
