"""Proofs for m,n,k games: searches by threats for five in a row, exact search for boards of at most 64 cells."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from mcts_core.dispatch cimport hot_table
from mcts_core.game cimport MCTS_NO_MOVE, MCTS_ONGOING, mcts_guide, mcts_proof
from mcts_core.games.mnk.rollout cimport mnk_geometry, mnk_state
from mcts_core.games.mnk.small_boards cimport SOLVER_CELLS, mnk_solver_table, solver_search
from mcts_core.games.mnk.continuous_fours cimport mnk_threat_table, threat_search
from mcts_core.games.mnk.continuous_threats cimport mnk_vct_table
from mcts_core.games.mnk.walk cimport mnk_walk, walk_to
from mcts_core.games.proof_table cimport (PROOF_BUCKET, PROOF_START, proof_table_clear, proof_table_make,
                                          proof_table_release)


cdef enum:
    LEAST = 64            # buckets, however small the memory limit is
    THREAT_K = 5
    VCT_BUDGET = 2000     # from this budget on, half of it is for threes, unless the exact search gets that half

cdef mnk_threat_table *THREATS = <mnk_threat_table *> hot_table("games.mnk.continuous_fours")
cdef mnk_vct_table *VCT = <mnk_vct_table *> hot_table("games.mnk.continuous_threats")
cdef mnk_solver_table *SOLVER = <mnk_solver_table *> hot_table("games.mnk.small_boards")

ctypedef struct prover:
    threat_search threats
    solver_search solver
    mnk_walk walk


cdef inline bint has_threats(const mnk_geometry *g) noexcept nogil:
    return g.k == THREAT_K


cdef inline bint has_solver(const mnk_geometry *g) noexcept nogil:
    return g.cells <= SOLVER_CELLS


cdef inline int threat_cell(const mnk_geometry *g, uint32_t move) noexcept nogil:
    return 32 * (<int> move // g.cols) + <int> move % g.cols


cdef inline uint32_t move_at(const mnk_geometry *g, uint32_t cell) noexcept nogil:
    return (cell >> 5) * g.cols + (cell & 31)


cdef void *create_memory(void *context, uint64_t size) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef prover *p = <prover *> calloc(1, sizeof(prover))
    cdef uint64_t fixed = sizeof(prover)
    cdef uint64_t buckets = (max(size, fixed + LEAST * PROOF_BUCKET) - fixed) // PROOF_BUCKET
    cdef uint64_t of_threats = 0
    if p == NULL:
        return NULL
    buckets = min(buckets, <uint64_t>1 << 31)
    if has_threats(g):
        # On a small board, attacks of fours need few entries.
        of_threats = buckets // 8 if has_solver(g) else buckets
    if (proof_table_make(&p.threats.table, of_threats, PROOF_START)
            and proof_table_make(&p.solver.table, buckets - of_threats, PROOF_START)):
        return p
    destroy_memory(context, p)
    return NULL


cdef void clear_memory(void *context, void *memory) noexcept nogil:
    proof_table_clear(&(<prover *> memory).threats.table)
    proof_table_clear(&(<prover *> memory).solver.table)


cdef void destroy_memory(void *context, void *memory) noexcept nogil:
    cdef prover *p = <prover *> memory
    if p != NULL:
        proof_table_release(&p.threats.table)
        proof_table_release(&p.solver.table)
        free(p)


cdef void put(void *board, const mnk_geometry *g, int player, uint32_t move) noexcept nogil:
    cdef prover *p = <prover *> board
    if has_threats(g):
        THREATS.put(&p.threats, player, threat_cell(g, move))
    if has_solver(g):
        SOLVER.put(&p.solver, player, move)


cdef void begin(void *board, const mnk_geometry *g, const mnk_state *root) noexcept nogil:
    cdef prover *p = <prover *> board
    cdef int move
    cdef uint8_t stone
    if has_threats(g):
        THREATS.prepare(&p.threats, g.cols, g.rows, g.exact)
    if has_solver(g):
        SOLVER.prepare(&p.solver, g.cols, g.rows, g.k, g.exact)
    for move in range(g.cells):
        stone = root.board[g.offset[move]]
        if stone:
            put(p, g, stone - 1, move)


cdef inline bint any_threes(const threat_search *s) noexcept nogil:
    """Whether a player has a three or a four. Most positions have none, and three lookups in a table of 64 MB would
    cost more than everything else here."""
    cdef int i
    cdef uint64_t found = 0
    for i in range(3):
        found |= s.threes[0][i] | s.threes[1][i] | s.fours[0][i] | s.fours[1][i]
    return found != 0


cdef int32_t prove(void *context, const void *root, const uint32_t *path, uint32_t length, void *memory,
                   uint64_t budget, int32_t exact, mcts_proof *proof) noexcept nogil:
    cdef const mnk_geometry *g = <const mnk_geometry *> context
    cdef const mnk_state *state = <const mnk_state *> root
    cdef prover *p = <prover *> memory
    cdef int to_move
    cdef mcts_proof better
    better.interrupt = proof.interrupt
    proof.value = -1
    proof.distance = proof.exact = 0
    proof.move = MCTS_NO_MOVE
    proof.spent = 0
    if state.over != MCTS_ONGOING:
        return 0
    to_move = walk_to(&p.walk, g, state, path, length, p, begin, put)
    if not has_solver(g) and budget < VCT_BUDGET and not any_threes(&p.threats):
        return 0
    if has_threats(g):
        p.threats.spent = 0
        p.threats.wins_only = proof.wins_only != 0
        p.threats.limit = budget // 2 if has_solver(g) or budget >= VCT_BUDGET else budget
        THREATS.prove(&p.threats, to_move, proof)
        if proof.value < 0 and not has_solver(g) and budget >= VCT_BUDGET and not p.threats.interrupted:
            # Threes give no exact distance. If one is requested, spend little more than what was spent already.
            p.threats.limit = min(budget, p.threats.spent + VCT_BUDGET) if exact else budget
            VCT.prove(&p.threats, to_move, proof)
        if proof.move != MCTS_NO_MOVE:
            proof.move = move_at(g, proof.move)
        proof.spent = p.threats.spent
    if has_solver(g) and proof.spent < budget and (proof.value < 0 or (exact and not proof.exact)):
        p.solver.spent = proof.spent
        p.solver.limit = budget
        SOLVER.prove(&p.solver, to_move, exact, &better)
        better.spent = p.solver.spent
        if better.value >= 0:
            proof[0] = better
        else:
            proof.spent = better.spent
    return 0


cdef void add_prover(const mnk_geometry *g, mcts_guide *guide) noexcept nogil:
    if not (has_threats(g) or has_solver(g)):
        guide.prove = NULL
        guide.create_memory = NULL
        guide.clear_memory = NULL
        guide.destroy_memory = NULL
        return
    guide.prove = prove
    guide.create_memory = create_memory
    guide.clear_memory = clear_memory
    guide.destroy_memory = destroy_memory
