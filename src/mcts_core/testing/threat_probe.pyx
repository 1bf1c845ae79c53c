"""Calls the search by continuous threats alone from Python, on boards of all sizes: for its tests and measurements."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.dispatch cimport hot_table
from mcts_core.errors import InvalidState
from mcts_core.game cimport MCTS_NO_MOVE, MCTS_ONGOING, mcts_interrupt, mcts_proof
from mcts_core.games.mnk.continuous_fours cimport mnk_threat_table, threat_search
from mcts_core.games.mnk.continuous_threats cimport mnk_vct_table
from mcts_core.games.mnk.position cimport MNK
from mcts_core.games.mnk.rollout cimport mnk_geometry, mnk_state
from mcts_core.games.proof_table cimport PROOF_BUCKET, PROOF_START, proof_table_make, proof_table_release


cdef mnk_threat_table *FOURS = <mnk_threat_table *> hot_table("games.mnk.continuous_fours")
cdef mnk_vct_table *THREATS = <mnk_vct_table *> hot_table("games.mnk.continuous_threats")


cdef int32_t count_down(void *context) noexcept nogil:
    cdef uint32_t *looks = <uint32_t *> context
    looks[0] -= looks[0] != 0
    return looks[0] == 0


cdef class ThreatProbe:
    """The search on one board, with ``memory`` bytes that are kept from call to call."""

    cdef threat_search *search
    cdef MNK state

    def __cinit__(self, MNK state not None, uint64_t memory=1 << 24):
        cdef const mnk_geometry *g = <const mnk_geometry *> state.game.context
        cdef const mnk_state *now = <const mnk_state *> state.state
        cdef int move, stone
        if g.k != 5 or now.over != MCTS_ONGOING:
            raise InvalidState(f"expected a game of five in a row that goes on, got {state!r}")
        self.state = state
        self.search = <threat_search *> calloc(1, sizeof(threat_search))
        if self.search == NULL or not proof_table_make(&self.search.table, max(memory // PROOF_BUCKET, <uint64_t>64),
                                                       PROOF_START):
            raise MemoryError
        FOURS.prepare(self.search, g.cols, g.rows, g.exact)
        for move in range(g.cells):
            stone = now.board[g.offset[move]]
            if stone:
                FOURS.put(self.search, stone - 1, 32 * (move // g.cols) + move % g.cols)

    def __dealloc__(self):
        if self.search != NULL:
            proof_table_release(&self.search.table)
            free(self.search)

    def prove(self, path, uint64_t budget, bint threes=True, uint32_t looks=0, bint wins_only=False):
        """(proof or None, steps spent) of the position after the moves of ``path``; the proof is value, distance,
        whether that is exact, move. ``threes``: whether to search by them, and not by fours alone; ``looks``: at which
        look the search finds the interrupt raised, 0: never; ``wins_only``: whether to look for wins alone.
        """
        cdef const mnk_geometry *g = <const mnk_geometry *> self.state.game.context
        cdef int player = (<const mnk_state *> self.state.state).stones & 1
        cdef mcts_interrupt interrupt
        cdef mcts_proof proof
        cdef list cells = [32 * (move // g.cols) + move % g.cols for move in path]
        interrupt.raised = count_down
        interrupt.context = &looks
        proof.interrupt = &interrupt if looks else NULL
        for cell in cells:
            FOURS.put(self.search, player, cell)
            player ^= 1
        self.search.spent = 0
        self.search.wins_only = wins_only
        self.search.limit = budget
        with nogil:
            if threes:
                THREATS.prove(self.search, player, &proof)
            else:
                FOURS.prove(self.search, player, &proof)
        for cell in reversed(cells):
            player ^= 1
            FOURS.put(self.search, player, cell)
        move = None if proof.move == MCTS_NO_MOVE else (proof.move >> 5) * g.cols + (proof.move & 31)
        found = None if proof.value < 0 else (proof.value, proof.distance, bool(proof.exact), move)
        return found, self.search.spent
