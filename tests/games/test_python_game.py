"""src/mcts_core/games/python_game.pyx: any object with to_move, legal_moves(), play(move), winner(), in both trees."""

import gc
import weakref

import pytest
from uct_oracle import Oracle

import mcts_core as mc
from mcts_core.testing.probe import Probe

PRESETS = ["uct", "strong"]


class Nim:
    """Take one to three of the stones; who takes the last one wins."""

    def __init__(self, stones=10, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [("take", n) for n in (1, 2, 3) if n <= self.stones]

    def play(self, move):
        return type(self)(self.stones - move[1], -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Wrapped:
    """A native position seen as a Python-written game."""

    def __init__(self, state):
        self.state, self.to_move = state, state.to_move

    def legal_moves(self):
        return self.state.legal_moves()

    def play(self, move):
        return Wrapped(self.state.play(move))

    def winner(self):
        return self.state.winner()


class Dice:
    """The same player moves again after an even number: players do not alternate."""

    def __init__(self, numbers=(), to_move=1):
        self.numbers, self.to_move = numbers, to_move

    def legal_moves(self):
        return [n for n in range(1, 6) if n not in self.numbers]

    def play(self, move):
        return Dice((*self.numbers, move), self.to_move if move % 2 == 0 else -self.to_move)

    def winner(self):
        if len(self.numbers) < 5:
            return None
        return (sum(n * (-1) ** k for k, n in enumerate(self.numbers)) > 0) * 2 - 1


@pytest.mark.parametrize("stones", [1, 2, 3, 5, 6, 7, 9, 10, 11, 13])
@pytest.mark.parametrize("player", [1, -1])
@pytest.mark.parametrize("preset", PRESETS)
def test_nim_is_played_perfectly(preset, stones, player):
    move = mc.search(Nim(stones, player), iterations=8000, seed=3, preset=preset)
    assert move == ("take", stones % 4)
    if preset == "uct":
        assert mc.stats().value > 0.5
    else:
        assert mc.stats().proven == "win" and mc.stats().stop_reason == "solved"
    assert {entry.move for entry in mc.stats().moves} == set(Nim(stones).legal_moves())


@pytest.mark.parametrize("state", [Nim(12), Nim(9, -1), Dice(), Dice((2,), -1), Wrapped(mc.TicTacToe()),
                                   Wrapped(mc.MNK(5, 4, 3)), Wrapped(mc.ConnectFour.from_moves("3332"))])
@pytest.mark.parametrize("exploration", [0.3, 1.4])
def test_every_statistic_equals_the_oracle(state, exploration):
    oracle = Oracle(Probe(state, 5), state.to_move, exploration)
    for _ in range(600):
        oracle.iterate()
    engine = mc.Searcher(preset="uct", seed=5, exploration=exploration)
    engine.search(state, iterations=600)
    stats = engine.stats()
    legal = state.legal_moves()
    assert {legal.index(entry.move): (entry.visits, entry.wins) for entry in stats.moves} == oracle.children()
    assert (stats.nodes, stats.rollouts) == (oracle.nodes, oracle.rollouts)


def test_a_wrapped_native_game_agrees_with_the_native_one():
    """Other random numbers, another order of moves: the same values within the error of sampling."""
    for state in (mc.ConnectFour.from_moves("3332"), mc.TicTacToe.from_moves("40")):
        native, wrapped = mc.Searcher(preset="uct", seed=1), mc.Searcher(preset="uct", seed=1)
        native.search(state, iterations=5_000)
        wrapped.search(Wrapped(state), iterations=5_000)
        assert native.stats().value == pytest.approx(wrapped.stats().value, abs=0.06)


@pytest.mark.parametrize("preset", PRESETS)
def test_moves_may_be_any_hashable(preset):
    class Words(Nim):
        def legal_moves(self):
            return [("one", None), "two", 3.5, frozenset({1})][: max(1, min(4, self.stones))]

        def play(self, move):
            return Words(self.stones - 1, -self.to_move)

    engine = mc.Searcher(preset=preset, seed=1)
    assert engine.search(Words(9), iterations=100) in Words(9).legal_moves()
    assert len(engine.stats().pv) >= 3
    assert isinstance(engine.stats().to_dict()["moves"][0]["move"], (str, list, float))


@pytest.mark.parametrize("preset", PRESETS)
def test_legal_moves_may_be_a_tuple_or_a_generator(preset):
    class Lazy(Nim):
        def legal_moves(self):
            yield from super().legal_moves()

    class Tuple(Nim):
        def legal_moves(self):
            return tuple(super().legal_moves())

    for cls in (Lazy, Tuple):
        assert mc.search(cls(6), iterations=2000, seed=1, preset=preset) == ("take", 2)


class Broken(Nim):
    """Breaks one part of the contract when few stones are left."""

    what = ""

    def __init__(self, stones=10, to_move=1):
        super().__init__(stones, to_move)
        if self.what == "to_move" and stones < 6:
            self.to_move = 0

    def legal_moves(self):
        if self.stones < 6:
            if self.what == "raise in legal_moves":
                raise ZeroDivisionError("no moves today")
            if self.what == "no move":
                return []
            if self.what == "None":
                return None
            if self.what == "text":
                return "abc"
            if self.what == "number":
                return 5
            if self.what == "repeat":
                return [("take", 1)] * 2
            if self.what == "unhashable":
                return [["take", 1]]
        return super().legal_moves()

    def play(self, move):
        if self.stones < 6:
            if self.what == "raise in play":
                raise KeyError("lost")
            if self.what == "mutate":
                self.stones -= 1
                return None
            if self.what == "same object":
                return self
            if self.what == "foreign object":
                return 17
        return super().play(move)

    def winner(self):
        if self.stones < 6:
            if self.what == "raise in winner":
                raise OSError("disk")
            if self.what == "winner True":
                return True
            if self.what == "winner 2":
                return 2
            if self.what == "winner text":
                return "X"
            if self.what == "winner nan":
                return float("nan")
        return super().winner()


@pytest.mark.parametrize(("what", "cause", "text"), [
    ("to_move", None, "to_move must be"),
    ("raise in legal_moves", ZeroDivisionError, "legal_moves() raised ZeroDivisionError: no moves today"),
    ("no move", None, "returned no move although winner() is None"),
    ("None", None, "must return a list of moves, got None"),
    ("text", None, "must return a list of moves, got 'abc'"),
    ("number", TypeError, "legal_moves() raised TypeError"),
    ("repeat", None, "must not repeat a move"),
    ("unhashable", None, "moves must be hashable, such as ints, strings or tuples, got "),
    ("raise in play", KeyError, "play() raised KeyError"),
    ("mutate", None, "must return a new state, got None"),
    ("same object", None, "must return a new state, got the same object"),
    ("foreign object", AttributeError, "'int' object has no attribute"),
    ("raise in winner", OSError, "winner() raised OSError: disk"),
    ("winner True", None, "must return None, +1, -1 or 0, got True"),
    ("winner 2", None, "must return None, +1, -1 or 0, got 2; players with other numbers are those "
     "of a general game"),
    ("winner text", None, "must return None, +1, -1 or 0, got 'X'"),
    ("winner nan", None, "must return None, +1, -1 or 0, got nan"),
])
@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"rollout": "decisive"}, {"selection": "rave"},
                                     {"selection": "grave", "expand_after": 3}], ids=str)
def test_broken_games_raise_game_error(options, what, cause, text):
    game = type("Broken", (Broken,), {"what": what})
    engine = mc.Searcher(seed=1, **options)
    with pytest.raises(mc.GameError) as caught:
        engine.search(game(12), iterations=20_000)
    assert text in str(caught.value)
    assert type(caught.value.__cause__) is (cause or type(None))
    with pytest.raises(mc.NoSearch):
        engine.stats()
    # the Searcher is as good as new
    assert engine.search(Nim(6), iterations=2000) == ("take", 2)
    assert engine.stats().stop_reason == ("iterations" if "preset" in options else "solved")
    assert engine.stats().iterations == 2000 or "preset" not in options
    # and at the root the same is found at once
    with pytest.raises(mc.GameError):
        engine.search(game(3), iterations=500)


class Shared:
    """All positions have one list of stones."""

    def __init__(self, stones, to_move=1):
        self.stones, self.to_move = stones, to_move

    def legal_moves(self):
        return [n for n in (1, 2, 3) if n <= len(self.stones)]

    def play(self, move):
        del self.stones[:move]
        return type(self)(self.stones, -self.to_move)

    def winner(self):
        return None if self.stones else -self.to_move


class Itself(Shared):
    def play(self, move):
        super().play(move)
        self.to_move = -self.to_move
        return self


def test_a_root_that_has_no_legal_move_any_more_is_a_changed_one():
    class Pile:
        def __init__(self, pile, to_move=1):
            self.pile, self.to_move = pile, to_move

        def legal_moves(self):
            return list(range(1, min(3, self.pile[0]) + 1))

        def play(self, move):
            self.pile[0] -= move
            return Pile(self.pile, -self.to_move)

        def winner(self):
            return None if self.pile[0] else -self.to_move

    with pytest.raises(mc.GameError, match=r"^Pile.play\(\) changed the position that was searched: "):
        mc.search(Pile([7]), iterations=100)


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"policy_value": lambda state: (None, 0.0)}],
                         ids=["uct", "default", "policy_value"])
@pytest.mark.parametrize("game", [Shared, Itself])
def test_a_root_that_changes_is_noticed(game, options):
    with pytest.raises(mc.GameError, match=rf"^{game.__name__}.play\(\) changed the position that was searched: .*; it "
                                           r"must leave the position unchanged and return a new one$"):
        mc.search(game([0] * 9), iterations=200, seed=1, **options)
    with pytest.raises(mc.NoSearch):
        mc.stats()
    with pytest.raises(mc.GameError, match="changed the position that was searched"):
        mc.rollouts(game([0] * 9), 1)


def test_what_changed_is_told():
    with pytest.raises(mc.GameError, match=r"winner\(\) was None and is -1"):
        mc.search(Shared([0]), iterations=3, preset="uct")

    class Shrinking(Nim):
        def play(self, move):
            child = super().play(move)
            if self.stones == 10:
                self.stones, self.to_move = 1, -1
            return child

    with pytest.raises(mc.GameError, match=r"to_move was 1 and is -1, legal_moves\(\) was \[.*3\)\] and is "
                                           r"\[\('take', 1\)\];"):
        mc.search(Shrinking(10), iterations=1, preset="uct")


def test_moves_may_come_in_any_order():
    class Shuffled(Nim):
        asked = 0

        def legal_moves(self):
            Shuffled.asked += 1
            return super().legal_moves()[::1 if Shuffled.asked > 1 else -1]

    assert mc.search(Shuffled(3), iterations=1, preset="uct") in Nim(3).legal_moves()


@pytest.mark.parametrize("kind", [Nim, mc.ConnectFour])
def test_a_class_in_place_of_a_position(kind):
    for function in (lambda: mc.search(kind, iterations=5), lambda: mc.rollouts(kind, 5),
                     lambda: mc.search_many([kind], iterations=5),
                     lambda: mc.search(kind, iterations=5, policy_value=lambda state: (None, 0.0))):
        with pytest.raises(mc.InvalidState, match=rf"a state must be an instance, got the class {kind.__name__}: "
                                                  rf"did you mean {kind.__name__}\(\)\?"):
            function()


def test_players_and_winners_may_be_any_int():
    class Int:
        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

        def __neg__(self):
            return Int(-self.value)

    class Numbers(Nim):
        def __init__(self, stones=10, to_move=Int(1)):  # noqa: B008
            super().__init__(stones, to_move)

    for options in ({"preset": "uct"}, {}, {"rollout": "decisive"}, {"policy_value": lambda state: (None, 0.0)}):
        mc.search(Numbers(6), iterations=300, seed=1, **options)
        found = mc.stats()
        mc.search(Nim(6), iterations=300, seed=1, **options)
        assert found.moves == mc.stats().moves
    with pytest.raises(mc.GameError, match=r"to_move must be \+1 or -1, got .*; make it an attribute or a property"):
        mc.search(type("Method", (Nim,), {"to_move": property(lambda self: self.play, lambda self, value: None)})(),
                  iterations=5)


def test_changing_moves_are_noticed():
    class Fickle(Nim):
        calls = 0

        def legal_moves(self):
            Fickle.calls += 1
            moves = super().legal_moves()
            return moves[: 1 + Fickle.calls % len(moves)] if self.stones == 9 else moves

    with pytest.raises(mc.GameError):
        mc.search(Fickle(10), iterations=5000, seed=1, preset="uct")


@pytest.mark.parametrize("options", [{}, {"selection": "grave", "grave_ref": 3},
                                     {"solver": False, "selection": "rave"}])
def test_changing_moves_are_fixed_when_they_are_first_seen(options):
    """The guided tree asks once for the children of a node; what the game tells rollouts later does not matter."""
    class Fickle(Nim):
        calls = 0

        def legal_moves(self):
            Fickle.calls += 1
            moves = super().legal_moves()
            return moves[: 1 + Fickle.calls % len(moves)] if self.stones < 9 else moves

    engine = mc.Searcher(seed=1, **options)
    for _ in range(20):
        assert engine.search(Fickle(10), iterations=300) in Nim(10).legal_moves()
        stats = engine.stats()
        assert stats.stop_reason in ("iterations", "solved") and len(stats.moves) == 3


@pytest.mark.parametrize("growth", [1, 70, 300, 5000])
def test_more_moves_than_at_first_do_no_harm(growth):
    class Growing(Nim):
        calls = 0

        def legal_moves(self):
            if self.stones != 8:
                return [("take", 1)]
            Growing.calls += 1
            return [("take", 1 + n % 2) for n in range(min(60_000, growth * Growing.calls))]

    with pytest.raises(mc.GameError, match="different moves for the same position|must not repeat"):
        mc.search(Growing(9), iterations=20_000, seed=1, preset="uct")


@pytest.mark.parametrize("growth", [1, 70, 300, 5000])
def test_more_moves_at_every_call_do_no_harm_to_the_guided_tree(growth):
    class Growing(Nim):
        calls = 0

        def legal_moves(self):
            if self.stones not in (7, 8):
                return [("take", 1)]
            Growing.calls += 1
            return [(f"take {n}", 1) for n in range(min(60_000, growth * Growing.calls))]

    engine = mc.Searcher(seed=1, solver=False, fpu=1.0)
    for _ in range(3):
        try:
            engine.search(Growing(9), iterations=300)
        except mc.GameError as error:  # it grew between two questions for the same node
            assert "different moves for the same position" in str(error)
        else:
            assert engine.stats().iterations == 300


@pytest.mark.parametrize("count", [65_520, 65_521, 65_529])
@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"selection": "grave"}], ids=str)
def test_the_number_of_moves_has_a_limit(options, count):
    class Wide(Nim):
        def legal_moves(self):
            return range(count)

        def play(self, move):
            return Wide(0, -self.to_move)

    if count <= 65_520:
        mc.search(Wide(1), iterations=3, seed=1, **options)
        assert len(mc.stats().moves) == count
        return
    with pytest.raises(mc.GameError, match=f"at most 65520 moves, got {count}"):
        mc.search(Wide(1), iterations=3, seed=1, **options)


def test_objects_that_are_no_states():
    class NoPlayer:
        legal_moves = play = winner = lambda self: None

    for thing in (None, 5, "abc", object(), [], Nim, NoPlayer()):
        with pytest.raises((mc.InvalidState, mc.GameError)):
            mc.search(thing, iterations=10)
    with pytest.raises(mc.InvalidState, match="has no method legal_moves"):
        mc.search("abc", iterations=10)
    with pytest.raises(mc.InvalidState, match="has no to_move"):
        mc.search(NoPlayer(), iterations=10)
    with pytest.raises(mc.GameError, match="must be \\+1 or -1, got 'X'"):
        mc.search(Nim(5, "X"), iterations=10)


def test_finished_game():
    with pytest.raises(mc.GameOver, match="winner 1"):
        mc.search(Nim(0, -1), iterations=10)


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False, "fpu": 1.0}], ids=str)
def test_what_stops_the_program_is_not_wrapped(options, interrupt):
    class Stop(Nim):
        def play(self, move):
            if self.stones < 5:
                raise interrupt
            return super().play(move)

    class Late(Nim):
        finished = 0

        def winner(self):
            if self.stones == 0:
                Late.finished += 1
                if Late.finished > 20:
                    raise interrupt
            return super().winner()

    engine = mc.Searcher(seed=1, **options)
    with pytest.raises(interrupt):
        engine.search(Stop(12), iterations=1000)
    with pytest.raises(mc.NoSearch):  # the very first rollout was broken off
        engine.stats()
    engine = mc.Searcher(seed=1, **options)
    with pytest.raises(interrupt):
        engine.search(Late(12), iterations=1000)
    stats = engine.stats()
    assert stats.stop_reason == "cancelled" and stats.iterations == 20
    alone = mc.Searcher(**{**options, "seed": stats.seed})
    alone.search(Nim(12), iterations=stats.iterations)  # nothing of the broken iteration is counted
    assert (alone.stats().moves, alone.stats().nodes, alone.stats().rollouts) == (
        stats.moves, stats.nodes, stats.rollouts)
    assert engine.search(Nim(6), iterations=2000) == ("take", 2)


@pytest.mark.parametrize("preset", PRESETS)
def test_endless_games_end(preset):
    class Endless:
        def __init__(self, to_move):
            self.to_move = to_move

        def legal_moves(self):
            return (1, 2)

        def play(self, move):
            return turns[-self.to_move]

        def winner(self):
            return None

    turns = {player: Endless(player) for player in (1, -1)}
    with pytest.raises(mc.GameError, match="did not end within 1000000 moves"):
        mc.search(turns[1], iterations=1, preset=preset)


@pytest.mark.alone
@pytest.mark.parametrize("preset", PRESETS)
def test_time_budget_with_slow_rules(preset):
    import time

    class Slow(Nim):
        def winner(self):
            time.sleep(0.0005)
            return super().winner()

    engine, late = mc.Searcher(preset=preset), []
    for _ in range(5):  # a machine can stop for a moment
        engine.search(Slow(60), 0.1)
        assert engine.stats().stop_reason == "time"
        late.append(engine.stats().overshoot)
        if late[-1] < 0.1:
            break
    assert late[-1] < 0.1


@pytest.mark.parametrize("preset", PRESETS)
def test_no_state_is_kept_alive(preset):
    class Marked(Nim):
        pass

    state = Marked(12)
    dead = weakref.ref(state)
    engine = mc.Searcher(preset=preset)
    engine.search(state, iterations=300)
    engine.search(mc.ConnectFour(), iterations=10)
    del state
    gc.collect()
    assert dead() is None


@pytest.mark.parametrize("preset", PRESETS)
def test_a_game_may_search_inside_its_own_rules(preset):
    class Nested(Nim):
        def play(self, move):
            mc.Searcher(seed=1).search(mc.TicTacToe(), iterations=5)
            return super().play(move)

    assert mc.search(Nested(6), iterations=300, seed=1, preset=preset) in Nested(6).legal_moves()
