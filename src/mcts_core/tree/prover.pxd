"""The memory of a game's exact search, which a tree keeps between searches."""

from libc.stdint cimport uint64_t

from mcts_core.game cimport mcts_game

ctypedef struct Prover:
    void *memory              # NULL: there is none
    const mcts_game *game     # of which it is
    uint64_t bytes            # that it may take


cdef inline bint prover_make(Prover *prover, const mcts_game *game, uint64_t bytes) noexcept nogil:
    """Makes the memory where there is none; False when the system gives none."""
    if prover.memory == NULL:
        prover.memory = game.guide.create_memory(game.context, bytes)
        prover.game = game
        prover.bytes = bytes
    return prover.memory != NULL


cdef inline bint prover_fits(const Prover *prover, const mcts_game *game, uint64_t bytes) noexcept nogil:
    """Whether a search of this game with this limit may use the memory, or there is none."""
    return prover.memory == NULL or (prover.game == game and prover.bytes == bytes)


cdef inline void prover_clear(Prover *prover) noexcept nogil:
    if prover.memory != NULL:
        prover.game.guide.clear_memory(prover.game.context, prover.memory)


cdef inline void prover_free(Prover *prover) noexcept nogil:
    if prover.memory != NULL:
        prover.game.guide.destroy_memory(prover.game.context, prover.memory)
    prover.memory = NULL
