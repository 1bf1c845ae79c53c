"""The tree of the last search, used again: random sequences of searches, moves and other games in a bot's life."""

import pytest
from hypothesis import seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from reused_tree import figures, fresh, node_after, play
from value_games import BareClaim, Claim, ToldClaim

import mcts_core as mc
from mcts_core.testing.tree_probe import audit, subtree

pytestmark = pytest.mark.usefixtures("no_book")


MACHINE_GAMES = [mc.ConnectFour(), mc.ConnectFour(11, 10, 4), mc.ConnectFour(4, 5, 4), mc.TicTacToe(), mc.MNK(4, 4, 3),
                 mc.Gomoku(9), Claim(), ToldClaim(), BareClaim()]
MACHINE_OPTIONS = [
    {"preset": "uct"}, {"preset": "uct", "memory_mb": 1}, {"preset": "uct", "seed": 3, "memory_mb": 1}, {},
    {"seed": 5}, {"memory_mb": 1, "leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}, {"reuse": False},
    {"selection": "grave", "grave_ref": 5}, {"preset": "uct", "rollouts_per_leaf": 3, "memory_mb": 1},
    {"symmetry": True}, {"selection": "ucb1-tuned", "solver": False, "stop_early": True}, {"selection": "rave"},
]


def ways(before, after):
    """Every sequence of moves that the search may recognise as the one between two positions."""
    if before is after:
        return [()]
    if type(before) is not type(after) or isinstance(after, BareClaim):
        return []
    if before == after:
        return [()]
    if isinstance(after, Claim):
        return list(claims(before, after))
    found = set()
    played, known = getattr(after, "moves", None), getattr(before, "moves", None)
    if played is not None and played[:len(known)] == known and reaches(before, played[len(known):], after):
        found.add(tuple(played[len(known):]))
    for move in before.legal_moves():
        child = before.play(move)
        if child == after:
            found.add((move,))
        elif child.winner() is None:
            found.update((move, other) for other in child.legal_moves() if child.play(other) == after)
    return list(found)


def claims(before, after):
    """Those between two positions of ``Claim``: only cells that have another owner now."""
    if before == after:
        yield ()
    elif before.winner() is None:
        for move in before.legal_moves():
            if after.owners[move] == before.to_move:
                for rest in claims(before.play(move), after):
                    yield move, *rest


def reaches(before, moves, after):
    try:
        return play(before, moves) == after
    except (mc.IllegalMove, mc.GameOver):
        return False


def redrawn(state):
    """An equal position with another history."""
    if isinstance(state, mc.ConnectFour):
        return mc.ConnectFour.from_string(str(state), rows=state.rows, cols=state.cols, connect=state.connect)
    if isinstance(state, mc.Gomoku):
        return mc.Gomoku.from_string(str(state), size=state.size, rule=state.rule)
    if isinstance(state, mc.MNK):
        return type(state).from_string(str(state), **({} if isinstance(state, mc.TicTacToe) else
                                                      {"m": state.m, "n": state.n, "k": state.k}))
    return type(state)(state.owners, state.to_move)


class Bot(RuleBasedStateMachine):
    """A Searcher in the life of a bot, and beside it what its statistics must be."""

    first: dict[str, object] = {}
    seen: dict[str, int] = {}
    searches = 0

    @classmethod
    def seed(cls):
        cls.searches += 1
        return cls.searches

    @initialize(game=st.sampled_from(MACHINE_GAMES))
    def begin(self, game):
        Bot.searches = 0
        self.options = {"memory_mb": 16, **self.first}
        self.here = game
        self.renew()

    @rule()
    def renew(self):
        self.engine, self.slack = mc.Searcher(**self.options), 0
        self.last = None  # the position that the engine's tree belongs to

    @rule(iterations=st.sampled_from([1, 2, 30, 300, 1500]), again=st.booleans())
    def search(self, iterations, again):
        if again:
            self.look(iterations)
        self.look(iterations)

    @precondition(lambda self: self.options["memory_mb"] == 1 and not isinstance(self.here, Claim))
    @rule()
    def search_until_memory_is_short(self):
        self.look(30_000 if "rollouts_per_leaf" in self.options or "preset" not in self.options else 120_000)

    @rule(plies=st.integers(1, 3), turn=st.integers(0, 50), likely=st.booleans(),
          iterations=st.sampled_from([1, 40, 500, 1500]))
    def play_on(self, plies, turn, likely, iterations):
        """As a bot does, move by move."""
        self.advance(plies, turn, likely)
        self.look(iterations)

    @rule(plies=st.integers(1, 3), turn=st.integers(0, 50), likely=st.booleans())
    def advance(self, plies, turn, likely):
        """Some moves: those that the tree knows best, or any."""
        for _ in range(plies):
            if self.here.winner() is not None:
                break
            moves = self.here.legal_moves()
            if likely and self.last is not None:
                for path in ways(self.last, self.here):
                    node = subtree(self.engine, path)
                    if node is not None:
                        moves = sorted(node[1], key=lambda move: node[1][move])[-2:]
            self.here = self.here.play(moves[turn % len(moves)])
        if self.here.winner() is not None:
            with pytest.raises(mc.GameOver):
                self.engine.search(self.here, iterations=10)
            self.last = None
            self.here = self.beginning()

    def beginning(self):
        return next(game for game in MACHINE_GAMES if type(game) is type(self.here) and
                    len(game.legal_moves()) >= len(self.here.legal_moves()))

    @rule()
    def begin_a_new_game(self):
        self.here = self.beginning()

    @rule(game=st.sampled_from(MACHINE_GAMES))
    def turn_to_another_game(self, game):
        self.here = game

    @rule()
    def redraw(self):
        self.here = redrawn(self.here)

    @rule()
    def release(self):
        self.engine._core.release()
        self.last = None
        with pytest.raises(mc.NoSearch):
            self.engine.stats()

    @rule()
    def search_what_is_no_state(self):
        with pytest.raises(mc.InvalidState):
            self.engine.search(None, iterations=10)
        self.last = None

    def look(self, iterations):
        """One search, and all that is known of its statistics."""
        known = {}
        if self.last is not None and self.options.get("reuse", True):
            for path in ways(self.last, self.here):
                kept = subtree(self.engine, path)
                if kept is None or (self.options.get("symmetry") and path) or ("seed" in self.options and not path):
                    continue
                if path:
                    visits, wins, children = node_after(self.engine, path)
                else:
                    visits, (_, children) = self.engine.stats().visits, kept
                    wins = None
                known[path] = visits, wins, children
        engine, here = self.engine, self.here
        followed = (self.last is not None and self.options.get("reuse", True) and self.options.get("solver", True)
                    and "preset" not in self.options and self.options.get("leaf_proofs", 1)
                    and isinstance(here, (mc.ConnectFour, mc.MNK)) and any(ways(self.last, here)))
        move = engine.search(here, iterations=iterations)
        stats = engine.stats()
        self.last = here
        reused = stats.reused_visits
        assert move == stats.move and move in here.legal_moves()
        assert {entry.move for entry in stats.moves} == set(here.legal_moves())
        assert stats.visits == reused + stats.iterations and stats.prunes >= 0 <= stats.dropped_nodes
        assert stats.bytes <= self.options["memory_mb"] * 2**20
        self.slack += stats.proven is not None
        assert audit(engine, self.slack)[0] <= stats.nodes
        if len(known) == 1:
            assert reused == next(iter(known.values()))[0]
        elif known and type(here) is Claim:  # without a word of its moves
            assert reused in (0, max(visits for visits, _, _ in known.values()))
        elif known:
            assert reused in [0, *(visits for visits, _, _ in known.values())]
        else:
            assert reused == 0
        if stats.stop_reason not in ("solved", "only_move", "decided"):
            assert stats.iterations == iterations
        for name, found in (("reused", reused > 0), ("fresh", reused == 0), ("pruned", stats.prunes > 0)):
            Bot.seen[name] = Bot.seen.get(name, 0) + found
        if not reused:
            self.slack = int(stats.proven is not None)
            found, alone = figures(stats), fresh(here, self.options, iterations, stats.seed)
            if followed:  # what exact search found before is there
                assert alone["proven"] is None or found["proven"] in (None, alone["proven"])
                return
            if stats.proven:  # the end of the line is told by an exact search, which only the older engine may have
                assert found.pop("pv")[0] == alone.pop("pv")[0]
                del found["pv_names"], alone["pv_names"]
            assert found == alone
            return
        visits, wins, children = next(value for value in known.values() if value[0] == reused)
        found = {entry.move: (entry.visits, entry.wins) for entry in stats.moves}
        added = {move: (found[move][0] - children.get(move, (0, 0))[0], found[move][1] - children.get(move, (0, 0))[1])
                 for move in found}
        assert all(-1e-6 <= points <= count + 1e-6 for count, points in added.values())
        total = sum(count for count, _ in added.values())
        assert total == stats.iterations or (total > stats.iterations and any(
            entry.proven == "draw" for entry in stats.moves))
        if wins is not None and stats.proven is None:
            gained = stats.value * stats.visits - wins
            if total == stats.iterations:
                assert gained == pytest.approx(sum(points for _, points in added.values()))
            assert -1e-6 <= gained <= stats.iterations + 1e-6


@pytest.mark.long
@pytest.mark.parametrize("lives", [8, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", MACHINE_OPTIONS, ids=str)
def test_random_lives_of_a_bot(options, lives, monkeypatch):
    monkeypatch.setattr("mcts_core.searcher.random_seed", Bot.seed)
    monkeypatch.setattr(Bot, "first", options)
    monkeypatch.setattr(Bot, "seen", {})
    number = MACHINE_OPTIONS.index(options)
    for turn in range(10):  # until there was everything that is to be looked at
        run_state_machine_as_test(seed(number + 100 * turn)(Bot), settings=hypothesis_settings(
            database=None, deadline=None, max_examples=lives, stateful_step_count=30))
        if (Bot.seen["reused"] or not options.get("reuse", True)) and (
                Bot.seen["pruned"] or options.get("memory_mb") != 1):
            break
    assert Bot.seen["fresh"] > 10
    assert (Bot.seen["reused"] > 0) == options.get("reuse", True)
    assert Bot.seen["pruned"] > 0 or options.get("memory_mb") != 1
