"""Calls the functions that are compiled once per instruction set from Python: for tests of games."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from mcts_core.arguments import as_int, shorten
from mcts_core.dispatch import hot_module
from mcts_core.games.connect_four.position import ConnectFour
from mcts_core.errors import GameOver, IllegalMove, InvalidOption, InvalidState

from mcts_core.games.connect_four.rollout cimport C4_KINDS, C4_MAX_COLS, C4_TWO_WORDS, c4_context, c4_state, c4_table
from mcts_core.game cimport (MCTS_ALL_TRIED, MCTS_ONGOING, NativeState, mcts_children, mcts_expansion, mcts_game,
                             mcts_guide, mcts_rollout_report, mcts_policy, mcts_rng, mcts_rng_seed, mcts_simulation)
from mcts_core.games.mnk.knowledge cimport mnk_guide_table
from mcts_core.games.mnk.rollout cimport MNK_MAX_CELLS, mnk_geometry, mnk_table, prepare_game


cdef void *table_of(str module, str isa) except NULL:
    return PyCapsule_GetPointer(hot_module(module, isa).table, b"mcts_core.table")


cdef class ConnectFourKernels:
    """Those of Connect Four for one instruction set."""

    cdef c4_table *table

    def __cinit__(self, isa):
        self.table = <c4_table *> table_of("games.connect_four.rollout", isa)

    cdef list legal(self, const c4_context *c, const c4_state *s):
        cdef uint32_t moves[C4_MAX_COLS]
        cdef int32_t count = self.table.legal_moves[C4_TWO_WORDS](<void *> c, s, moves)
        return [moves[i] for i in range(count)]

    cdef int check(self, NativeState state, kind) except -1:
        """The kernel to use on ``state``: its own, or a more general one."""
        if type(state) is not ConnectFour:
            raise InvalidState(f"state must be a ConnectFour, got {shorten(state)}")
        cdef int own = (<const c4_context *> state.game.context).kind
        return own if kind is None else as_int(kind, "kind", own, C4_KINDS - 1)

    cdef int start_path(self, NativeState state, path, uint32_t *moves) except -1:
        """Copies a path that can be played from ``state`` and ends before the end of the game; returns its length."""
        cdef const c4_context *c = <const c4_context *> state.game.context
        cdef c4_state s = (<const c4_state *> state.state)[0]
        cdef uint32_t length = 0
        for move in path:
            column = as_int(move, "a move of the path", 0, c.cols - 1, IllegalMove)
            if s.over != MCTS_ONGOING or column not in self.legal(c, &s):
                raise IllegalMove(f"move {length + 1} of {shorten(path)} is not legal")
            moves[length] = column
            self.table.play[C4_TWO_WORDS](<void *> c, &s, column)
            length += 1
        if s.over != MCTS_ONGOING:
            raise GameOver(f"the game is over after {shorten(path)}")
        return length

    def rollouts(self, NativeState state not None, n, seed, kind=None):
        """``n`` rollouts of this module's kernel: wins, draws and losses of the player to move, and all moves played.

        ``kind`` runs a more general kernel than the board needs: 1 that for 64 bits, 2 that for 128.
        """
        cdef int which = self.check(state, kind)
        cdef long long count = as_int(n, "n", 0, 1 << 40), plies = 0, _
        cdef uint64_t first = as_int(seed, "seed", 0, (1 << 64) - 1)
        cdef long long results[3]
        cdef uint32_t moves[128]
        cdef int32_t value
        cdef mcts_rng rng
        self.start_path(state, (), moves)
        memset(results, 0, sizeof(results))
        mcts_rng_seed(&rng, first)
        with nogil:
            for _ in range(count):
                value = self.table.rollout[which](state.game.context, state.state, &rng)
                results[value & 3] += 1
                plies += value >> 2
        return results[2], results[1], results[0], plies

    def bulk_rollouts(self, NativeState state not None, n, seed, kind=None):
        """As ``rollouts``, many games side by side; boards of more than 64 bits have no such kernel (InvalidOption)."""
        cdef int which = self.check(state, kind)
        cdef uint64_t count = as_int(n, "n", 0, 1 << 40), plies = 0
        cdef uint64_t first = as_int(seed, "seed", 0, (1 << 64) - 1)
        cdef uint64_t results[3]
        cdef uint32_t moves[128]
        cdef mcts_rng rng
        if self.table.rollouts[which] == NULL:
            raise InvalidOption("many rollouts at once need a board of at most 64 bits and kind 0 or 1, "
                                f"got kind={which}")
        self.start_path(state, (), moves)
        memset(results, 0, sizeof(results))
        mcts_rng_seed(&rng, first)
        with nogil:
            self.table.rollouts[which](state.game.context, state.state, count, &rng, results, &plies)
        return results[2], results[1], results[0], plies

    def simulate_counts(self, NativeState state not None, path, n, seed, kind=None):
        """``n`` times all simulations from the end of ``path``, until every move was tried: of each move, in order of
        trying, its slot and the wins, draws and losses of the player to move in ``state``."""
        cdef int which = self.check(state, kind)
        cdef long long count = as_int(n, "n", 0, 1 << 40), _
        cdef uint64_t first = as_int(seed, "seed", 0, (1 << 64) - 1)
        cdef long long results[64][3]
        cdef uint32_t slots[64]
        cdef uint32_t moves[128]
        cdef uint32_t length, tried = 0
        cdef int32_t value
        cdef mcts_simulation simulation
        cdef mcts_rng rng
        length = self.start_path(state, path, moves)
        memset(results, 0, sizeof(results))
        mcts_rng_seed(&rng, first)
        with nogil:
            for _ in range(count):
                simulation.cursor = 0
                tried = 0
                while simulation.cursor != MCTS_ALL_TRIED:
                    value = self.table.simulate[which](state.game.context, state.state, moves, length, &simulation,
                                                       &rng)
                    slots[tried] = simulation.slot
                    results[tried][value] += 1
                    tried += 1
        return [(slots[i], results[i][2], results[i][1], results[i][0]) for i in range(tried)]

    def expand_outcomes(self, NativeState state not None, path, kind=None):
        """The outcome of every slot at the end of ``path``, and whether the root's player moves there too."""
        cdef int which = self.check(state, kind)
        cdef uint8_t outcomes[64]
        cdef uint32_t moves[128]
        cdef mcts_expansion expansion
        cdef uint32_t length = self.start_path(state, path, moves)
        cdef int32_t count, i
        expansion.capacity = 64
        expansion.moves = NULL
        expansion.outcomes = outcomes
        count = self.table.expand[which](state.game.context, state.state, moves, length, &expansion)
        return [outcomes[i] for i in range(count)], expansion.root_player

    def play_outcomes(self, NativeState state not None, moves, kind=None):
        """What ``play`` of the table says of each move, and the legal moves after them in the order of trying."""
        cdef int which = self.check(state, kind)
        cdef const c4_context *c = <const c4_context *> state.game.context
        cdef c4_state s = (<const c4_state *> state.state)[0]
        cdef uint32_t order[64]
        cdef int32_t count, i
        outcomes = []
        for move in moves:
            column = as_int(move, "a move", 0, c.cols - 1, IllegalMove)
            if s.over != MCTS_ONGOING or column not in self.legal(c, &s):
                raise IllegalMove(f"move {len(outcomes) + 1} of {shorten(moves)} is not legal")
            outcomes.append(self.table.play[which](<void *> c, &s, column))
        count = self.table.legal_moves[which](<void *> c, &s, order)
        return outcomes, [order[i] for i in range(count)]


cdef class MnkKernels:
    """Those of m,n,k games for one instruction set."""

    cdef mnk_table *table
    cdef mnk_table *in_bits
    cdef mnk_guide_table *guide

    def __cinit__(self, isa):
        self.table = <mnk_table *> table_of("games.mnk.rollout", isa)
        self.in_bits = <mnk_table *> table_of("games.mnk.bit_rollout", isa)
        self.guide = <mnk_guide_table *> table_of("games.mnk.knowledge", isa)

    cdef mcts_game game_of(self, NativeState state):
        """The table of a position's game with the functions of this instruction set."""
        cdef mcts_game game = state.game[0]
        game.rollouts = NULL
        prepare_game(self.table, self.in_bits, &game)
        return game

    def rollouts(self, NativeState state not None, long long n, uint64_t seed):
        """``n`` rollouts by this module: wins, draws and losses of the player to move, and all moves played."""
        counts = self.lengths(state, n, seed)
        results = [0, 0, 0]
        plies = 0
        for value, count in counts.items():
            results[value & 3] += count
            plies += (value >> 2) * count
        return results[2], results[1], results[0], plies

    def lengths(self, NativeState state not None, long long n, uint64_t seed):
        """How often each value came out of ``n`` rollouts; a value is a result plus 4 times the moves."""
        cdef mcts_game game = self.game_of(state)
        cdef long long counts[4 * (MNK_MAX_CELLS + 1)]
        cdef long long _
        cdef mcts_rng rng
        memset(counts, 0, sizeof(counts))
        mcts_rng_seed(&rng, seed)
        with nogil:
            for _ in range(n):
                counts[game.rollout(game.context, state.state, &rng)] += 1
        return {value: counts[value] for value in range(4 * (MNK_MAX_CELLS + 1)) if counts[value]}

    def bulk_rollouts(self, NativeState state not None, uint64_t n, uint64_t seed):
        """As ``rollouts``, all in one call; None where the board has no function for many."""
        cdef mcts_game game = self.game_of(state)
        cdef uint64_t results[3]
        cdef uint64_t plies = 0
        cdef mcts_rng rng
        if game.rollouts == NULL:
            return None
        results[0] = results[1] = results[2] = 0
        mcts_rng_seed(&rng, seed)
        with nogil:
            game.rollouts(game.context, state.state, n, &rng, results, &plies)
        return results[2], results[1], results[0], plies

    def simulations(self, NativeState state not None, path, uint32_t cursor, long long n, uint64_t seed):
        """``n`` simulations after ``path``, each from ``cursor``: wins, draws and losses of the player to move in
        ``state``, the slot that was tried and the new cursor (None when all have been tried)."""
        cdef uint32_t moves[MNK_MAX_CELLS]
        cdef uint32_t length = len(path)
        cdef long long results[3]
        cdef long long i, _
        cdef int32_t value
        cdef mcts_game game = self.game_of(state)
        cdef mcts_simulation simulation
        cdef mcts_rng rng
        for i in range(length):
            moves[i] = path[i]
        memset(results, 0, sizeof(results))
        mcts_rng_seed(&rng, seed)
        simulation.slot = 0
        simulation.count = 0
        with nogil:
            for _ in range(n):
                simulation.cursor = cursor
                value = game.simulate(game.context, state.state, moves, length, &simulation, &rng)
                results[value] += 1
        return (results[2], results[1], results[0], simulation.slot, simulation.count,
                None if simulation.cursor == MCTS_ALL_TRIED else simulation.cursor)

    def expansion(self, NativeState state not None, path):
        """What ``expand`` says after ``path``: the outcomes of all slots, and whether the root's player is to move."""
        cdef uint32_t moves[MNK_MAX_CELLS]
        cdef uint8_t outcomes[MNK_MAX_CELLS]
        cdef mcts_expansion report
        cdef mcts_game game = self.game_of(state)
        cdef uint32_t length = len(path)
        cdef int i, count
        for i in range(<int> length):
            moves[i] = path[i]
        report.capacity = MNK_MAX_CELLS
        report.moves = NULL
        report.outcomes = outcomes
        report.root_player = -1
        count = game.expand(state.game.context, state.state, moves, length, &report)
        return [outcomes[i] for i in range(count)], report.root_player

    def played(self, NativeState state not None, moves):
        """The outcome of each of ``moves``, played one after the other, and the legal moves, in order, at the end."""
        cdef uint8_t copy[MNK_MAX_CELLS + 64]
        cdef uint32_t legal[MNK_MAX_CELLS]
        cdef int i, count
        cdef mcts_game game = self.game_of(state)
        memcpy(copy, state.state, game.state_size)
        outcomes = [game.play(state.game.context, copy, move) for move in moves]
        count = game.legal_moves(state.game.context, copy, legal)
        return outcomes, [legal[i] for i in range(count)]

    def rollouts_by_policy(self, NativeState state not None, uint32_t policy, long long n, uint64_t seed,
                           bint told=True):
        """``n`` rollouts: how often the player to move lost, drew and won, how often each cell was played by
        that player and by the other one (``told``; else zeros), and the proof of ``state`` or None."""
        cdef const mnk_geometry *g = <const mnk_geometry *> state.game.context
        cdef mcts_policy how
        cdef mcts_rollout_report report
        cdef uint8_t played[MNK_MAX_CELLS]
        cdef long long results[3]
        cdef long long cells[2][MNK_MAX_CELLS]
        cdef long long i, _
        cdef int cell
        cdef mcts_rng rng
        cdef mcts_guide guide
        self.guide.prepare(g, &guide)
        how.rollout = policy
        how.distance = 0
        how.symmetry = 0
        report.played = played if told else NULL
        report.proof.value = -1
        memset(results, 0, sizeof(results))
        memset(cells, 0, sizeof(cells))
        mcts_rng_seed(&rng, seed)
        with nogil:
            for _ in range(n):
                results[guide.rollout(<void *> g, state.state, NULL, 0, &how, &report, &rng)] += 1
                if told:
                    for cell in range(g.cells):
                        cells[0][cell] += played[cell] == 1
                        cells[1][cell] += played[cell] == 2
        proof = None if report.proof.value < 0 else (report.proof.value, report.proof.distance)
        return ([results[i] for i in range(3)], [cells[0][i] for i in range(g.cells)],
                [cells[1][i] for i in range(g.cells)], proof)

    def listed(self, NativeState state not None, uint32_t distance, bint symmetry):
        """The children of ``state`` by this module: (move, outcome, distance, prior) of each, complete, rest."""
        cdef uint32_t moves[MNK_MAX_CELLS]
        cdef uint32_t actions[MNK_MAX_CELLS]
        cdef uint8_t outcomes[MNK_MAX_CELLS]
        cdef uint16_t distances[MNK_MAX_CELLS]
        cdef float priors[MNK_MAX_CELLS]
        cdef mcts_policy how
        cdef mcts_children found
        cdef int count, i
        cdef mcts_guide guide
        self.guide.prepare(<const mnk_geometry *> state.game.context, &guide)
        how.rollout = 0
        how.distance = distance
        how.symmetry = symmetry
        found.capacity = MNK_MAX_CELLS
        found.moves = moves
        found.actions = actions
        found.outcomes = outcomes
        found.distances = distances
        found.priors = priors
        count = guide.children(state.game.context, state.state, NULL, 0, &how, &found)
        children = [(moves[i], outcomes[i], distances[i], priors[i]) for i in range(count)]
        return children, bool(found.complete), found.rest
