"""Hidden information: trees counted on paper, Kuhn poker and its exploitability, what a state must answer."""

import functools
import itertools
import math
import random
import subprocess
import sys
import time

import pytest

import mcts_core as mc


class Kuhn:
    """Kuhn poker: cards 0, 1, 2, each player has one; pass or bet. Values: (chips + 2) / 4."""

    players, hidden_information = 2, True

    def __init__(self, cards=(0, 1), line=""):
        self.cards, self.line = cards, line
        self.to_move = len(line) % 2

    def legal_moves(self):
        return ["p", "b"]

    def play(self, move):
        return Kuhn(self.cards, self.line + move)

    def returns(self):
        if self.line in ("", "p", "b", "pb"):
            return None
        best = 1 if self.cards[0] > self.cards[1] else -1
        chips = {"pp": best, "bb": 2 * best, "pbb": 2 * best, "bp": 1, "pbp": -1}[self.line]
        return [(chips + 2) / 4, (2 - chips) / 4]

    def determinize(self, player, rng):
        other = rng.choice([card for card in range(3) if card != self.cards[player]])
        return Kuhn((self.cards[0], other) if player == 0 else (other, self.cards[1]), self.line)

    def observation_key(self, player):
        return self.cards[player], self.line


def test_what_is_wrong_in_a_position_of_determinize_is_told_as_its():
    class Handless(Kuhn):
        def legal_moves(self):
            return ["p", "b"] if self.cards[1 - self.to_move] >= 0 else []

        def determinize(self, player, rng):
            return Handless((self.cards[0], -1))

    with pytest.raises(mc.GameError, match=r"^in a position that determinize\(\) drew, or after it, Handless.legal_m"):
        mc.search(Handless(), iterations=20, seed=1)


def best_response(policy, player):
    """The chips that the best answer to ``policy`` wins on average; policy: (card, line) -> chance to bet."""
    total = 0.0
    for mine in range(3):
        def value(line, reach, mine=mine):
            """Of a line, for every card of the opponent weighted by ``reach``."""
            if Kuhn((0, 1), line).returns() is not None:
                chips = 0.0
                for card, weight in reach.items():
                    cards = (mine, card) if player == 0 else (card, mine)
                    chips += weight * (4 * Kuhn(cards, line).returns()[player] - 2)
                return chips
            if len(line) % 2 == player:
                return max(value(line + move, reach) for move in "pb")
            bets = {card: policy[card, line] for card in reach}
            return (value(line + "b", {card: reach[card] * bets[card] for card in reach})
                    + value(line + "p", {card: reach[card] * (1 - bets[card]) for card in reach}))

        total += value("", {card: 1 / 6 for card in range(3) if card != mine})
    return total


def policy_by_visits(iterations, exploration, seed=1):
    policy = {}
    for line in ("", "p", "b", "pb"):
        for card in range(3):
            cards = (card, (card + 1) % 3) if len(line) % 2 == 0 else ((card + 1) % 3, card)
            mc.search(Kuhn(cards, line), iterations=iterations, exploration=exploration, seed=seed)
            visits = {entry.move: entry.visits for entry in mc.stats().moves}
            policy[card, line] = visits["b"] / (visits["b"] + visits["p"])
    return policy


def test_the_best_responses_of_known_policies():
    """Betting always is answered by folding the lowest card and calling with the highest: the test's own oracle."""
    fair = {(card, line): {("", 0): 1 / 9, ("", 2): 1 / 3, ("p", 0): 1 / 3, ("p", 2): 1, ("b", 1): 1 / 3, ("b", 2): 1,
                           ("pb", 1): 4 / 9, ("pb", 2): 1}.get((line, card), 0.0)
            for line in ("", "p", "b", "pb") for card in range(3)}
    # an equilibrium: the first player loses 1/18 and nobody can do better
    assert abs(best_response(fair, 0) + 1 / 18) < 1e-9 and abs(best_response(fair, 1) - 1 / 18) < 1e-9


def test_kuhn_poker():
    """Moves that no strategy should miss, and an exploitability far below that of a random policy (0.917 / 2)."""
    for seed in range(2):
        for state, best in ((Kuhn((0, 2), "b"), "b"), (Kuhn((2, 0), "b"), "p"), (Kuhn((2, 1), "pb"), "b"),
                            (Kuhn((0, 1), "pb"), "p"), (Kuhn((1, 2), "p"), "b")):
            assert mc.search(state, iterations=2000, seed=seed) == best
    policy = policy_by_visits(2000, 2.0)
    even = {key: 0.5 for key in policy}
    found = (best_response(policy, 0) + best_response(policy, 1)) / 2
    assert found < 0.2 < (best_response(even, 0) + best_response(even, 1)) / 2


def test_the_search_does_not_see_the_other_card():
    """The same knowledge gives the same figures, whatever card the other one has."""
    found = []
    for other in (0, 2):
        mc.search(Kuhn((1, other)), iterations=500, seed=4)
        found.append(mc.stats().moves)
    assert found[0] == found[1]


class Guess:
    """One draw of ``count`` boxes hides a coin; a look costs nothing and shows one of them, then a box is opened.
    Moves that are legal depend on what is hidden: a look at the box with the coin is refused."""

    players, hidden_information, to_move = 1, True, 0

    def __init__(self, coin=0, count=3, looked=(), opened=None):
        self.coin, self.count, self.looked, self.opened = coin, count, looked, opened

    def legal_moves(self):
        looks = [("look", box) for box in range(self.count) if box != self.coin and box not in self.looked]
        return [("open", box) for box in range(self.count)] + (looks if self.looked or not looks else looks[:1])

    def play(self, move):
        if move[0] == "open":
            return type(self)(self.coin, self.count, self.looked, move[1])
        return type(self)(self.coin, self.count, (*self.looked, move[1]))

    def returns(self):
        return None if self.opened is None else [float(self.opened == self.coin)]

    def determinize(self, player, rng):
        return type(self)(rng.choice([box for box in range(self.count) if box not in self.looked]), self.count,
                          self.looked)

    def observation_key(self, player):
        return self.looked, self.opened


class Hidden(Guess):
    """Open one of three boxes, without a look."""

    def legal_moves(self):
        return [("open", box) for box in range(3)]


def test_means_and_availability_on_paper():
    """A die of one face: the coin is in box 2 always. c = 0: once all were tried, box 2 is opened for ever."""
    class Certain(Hidden):
        def determinize(self, player, rng):
            return type(self)(2)

    mc.search(Certain(), iterations=50, seed=1, exploration=0.0)
    assert {entry.move: (entry.visits, entry.value) for entry in mc.stats().moves} == {
        ("open", 0): (1, 0.0), ("open", 1): (1, 0.0), ("open", 2): (48, 1.0)}


class Boxed(Hidden):
    """Three boxes, each with a value of its own. There is a second player, so the search backs up means."""

    players, values = 2, (0.5, 0.5, 0.5)

    def returns(self):
        return None if self.opened is None else [self.values[self.opened], 1 - self.values[self.opened]]

    def determinize(self, player, rng):
        return type(self)()


def test_equal_scores_are_decided_by_chance():
    """Without exploration, three boxes of the same value have the same score at every visit: each gets a third."""
    mc.search(Boxed(), iterations=3000, seed=1, exploration=0.0)
    for entry in mc.stats().moves:
        assert abs(entry.visits - 1000) < 4 * math.sqrt(3000 * 2 / 9)


def test_the_order_of_moves_does_not_decide():
    """With the highest card, both moves of Kuhn poker come to the same value once the others in the tree have learned
    to pass, so small differences decide. The bets in 150 searches are about 110, whichever move comes first."""
    class Turned(Kuhn):
        def legal_moves(self):
            return ["b", "p"]

        def play(self, move):
            return Turned(self.cards, self.line + move)

        def determinize(self, player, rng):
            return Turned(super().determinize(player, rng).cards, self.line)

    bets = [sum(mc.search(state, iterations=400, exploration=0.7, seed=seed) == "b" for seed in range(150))
            for state in (Kuhn((2, 0)), Turned((2, 0)))]
    assert abs(bets[0] - bets[1]) < 20  # where the order decided, it was 195 to 249 of 300


@pytest.mark.parametrize("iterations", [4, 5, 8, 11, 27, 36, 47, 61, 97])
def test_visits_are_those_of_ucb1(iterations):
    """UCB1 counts the visits so far, without the one that it decides (Auer et al. 2002; Cowling et al. 2012)."""
    class Unequal(Boxed):
        values = (0.75, 0.5, 0.25)

    visits = [1, 1, 1]
    for past in range(3, iterations):
        scores = [value + 0.7 * math.sqrt(math.log(past) / count)
                  for value, count in zip(Unequal.values, visits, strict=True)]
        visits[scores.index(max(scores))] += 1
    mc.search(Unequal(), iterations=iterations, seed=1, exploration=0.7)
    assert [entry.visits for entry in mc.stats().moves] == visits


def test_availability_counts():
    """A move that is legal in one position of ten is explored as if it were asked ten times as rarely: its bound uses
    the visits in which it could be chosen, so its share of those is that of an equal move that is always legal."""
    class Rare:
        players, hidden_information, to_move = 1, True, 0

        def __init__(self, rare=False, over=False, started=False):
            self.rare, self.over, self.started = rare, over, started

        def legal_moves(self):
            if not self.started:
                return ["go"]
            return ["a", "b", "rare"] if self.rare else ["a", "b"]

        def play(self, move):
            return Rare(self.rare, self.started, True)

        def returns(self):
            return [0.5] if self.over else None

        def determinize(self, player, rng):
            return Rare(rng.random() < 0.1)

    engine = mc.Searcher(seed=2)
    engine.search(Rare(), iterations=5000)
    tree = engine._core
    assert engine.stats().nodes == 2 and tree is not None
    visits = engine.stats().moves
    assert visits[0].visits == 5000


def test_one_player_backs_up_maxima():
    """Looking twice shows where the coin is: worth 1, where opening a box at once is worth 1/3. The mean of what was
    explored below a look would be less than 1."""
    mc.search(Guess(), iterations=3000, seed=1)
    stats = mc.stats()
    values = {entry.move: entry.value for entry in stats.moves}
    assert stats.move[0] == "look" and stats.value == values[stats.move] == 1.0
    assert max(values["open", box] for box in range(3)) < 0.6


@pytest.mark.alone
def test_services_of_a_search(tmp_path):
    import copy
    import pickle

    engine = mc.Searcher(seed=1)
    state = Kuhn((1, 2))
    seen = []
    engine.search(state, seconds=0.1, progress=seen.append, every=0.02)
    stats = engine.stats()
    assert seen and stats.iterations > 10 and stats.stop_reason == "time"
    assert engine.search(state, iterations=300) in ("p", "b")
    stats = engine.stats()
    assert stats.iterations == 300 == sum(entry.visits for entry in stats.moves)
    assert len(stats.values) == 2 and abs(sum(stats.values) - 1) < 1e-9 and stats.scale is None
    tree = stats.tree()
    assert {child.move for child in tree.children} == {"p", "b"} and tree.children[0].children == ()
    assert "visits" in stats.to_dot() and str(stats) and stats.to_dict()["pv"] == [stats.move]
    copies = pickle.loads(pickle.dumps(engine)), copy.copy(engine)
    for other in copies:
        with pytest.raises(mc.NoSearch):
            other.stats()
    for one in (engine, *copies):
        assert one.search(mc.TicTacToe(), iterations=100) in range(9)
        one.search(state, iterations=300)
        again = mc.Searcher(seed=one.stats().seed)
        again.search(state, iterations=300)
        assert again.stats().moves == one.stats().moves == engine.stats().moves
    engine.ponder(state)
    assert engine.stop().iterations > 0
    with pytest.raises(mc.InvalidState, match=r"pickle.dumps\(engine\)"):
        engine.save(tmp_path / "engine")
    assert not list(tmp_path.iterdir())


class Boxes(Guess):
    """Any number of looks, so that there is very much to know."""

    def legal_moves(self):
        return [("open", box) for box in range(self.count)] + [
            ("look", box) for box in range(self.count) if box != self.coin and box not in self.looked]


class Opponents(Boxes):
    """Two players look and open in turn; nodes are found by the moves."""

    players = 2
    observation_key = None

    @property
    def to_move(self):
        return len(self.looked) % 2

    def returns(self):
        mine = None if self.opened is None else float(self.opened == self.coin)
        return None if mine is None else [1 - mine, mine] if self.to_move else [mine, 1 - mine]


@pytest.mark.parametrize("state", [Boxes(count=12), Opponents(count=12)])
def test_a_full_tree_is_pruned(state):
    whole = mc.Searcher(seed=1)
    whole.search(state, iterations=8_000)
    assert whole.stats().prunes == whole.stats().dropped_nodes == 0 and whole.stats().bytes > 2**20
    small = mc.Searcher(seed=1, memory_mb=1)
    small.search(state, iterations=8_000)
    stats = small.stats()
    assert stats.stop_reason == "iterations" and stats.iterations == 8_000
    assert stats.prunes > 2 and stats.dropped_nodes > stats.nodes and stats.bytes <= 2**20
    assert abs(stats.value - whole.stats().value) < 0.05  # what was dropped was visited rarely
    assert stats.visits == 8_000
    ended = mc.Searcher(seed=1, memory_mb=1, prune=False)
    ended.search(state, iterations=8_000)
    assert ended.stats().stop_reason == "memory" and ended.stats().iterations < 8_000


class Key:
    """A key that counts how often keys are hashed; call number ``at`` raises ``error``."""

    calls, at, error = 0, 0, None

    def __init__(self, key):
        self.key = key

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        Key.calls += 1
        if Key.calls == Key.at:
            raise Key.error
        return hash(self.key)


class Keyed(Boxes):
    begins = []  # the calls of ``Key`` before each iteration

    def observation_key(self, player):
        return Key(super().observation_key(player))

    def determinize(self, player, rng):
        Keyed.begins.append(Key.calls)
        return super().determinize(player, rng)


@functools.cache
def undisturbed():
    """The statistics of a search in which no key fails, and ``Keyed.begins`` of it."""
    Key.calls = 0
    Keyed.begins.clear()
    engine = mc.Searcher(seed=1, memory_mb=1)
    engine.search(Keyed(count=12), iterations=6_000)
    return engine.stats(), tuple(Keyed.begins)


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), MemoryError("none")], ids=repr)
def test_a_key_that_fails_while_a_tree_is_pruned(error, monkeypatch):
    """The keys of all nodes are hashed then."""
    def search():
        monkeypatch.setattr(Key, "calls", 0)
        engine.search(state, iterations=6_000)

    whole, begins = undisturbed()
    monkeypatch.setattr(Key, "error", error)
    state = Keyed(count=12)
    calls, pruned = max((end - begin, number) for number, (begin, end) in enumerate(itertools.pairwise(begins), 1))
    assert whole.prunes > 1 and calls > 100  # in one iteration; a descent has at most 26
    monkeypatch.setattr(Key, "at", begins[pruned - 1] + calls // 2)
    engine = mc.Searcher(seed=1, memory_mb=1)
    if isinstance(error, MemoryError):  # the tree stays as it is
        search()
        assert Key.calls > Key.at and engine.stats().iterations == 6_000
        assert engine.stats().prunes == whole.prunes - 1 or engine.stats().bytes > whole.bytes
        return
    with pytest.raises(mc.GameError if isinstance(error, ValueError) else KeyboardInterrupt):
        search()
    assert Key.calls == Key.at
    if isinstance(error, ValueError):
        with pytest.raises(mc.NoSearch):
            engine.stats()
        return
    interrupted = engine.stats()  # Ctrl-C keeps the statistics
    engine = mc.Searcher(seed=1, memory_mb=1)
    engine.search(state, iterations=interrupted.iterations)
    assert 0 < interrupted.iterations == pruned and interrupted.moves == engine.stats().moves


@pytest.mark.alone
def test_other_threads_run_beside_a_search():
    """Each look at the clock lets the GIL go, but too shortly for a thread that waits for it."""
    engine = mc.Searcher(seed=1)
    engine.ponder(Boxes(count=12))
    begin = time.perf_counter()
    for _ in range(20):
        time.sleep(0.001)
    took = time.perf_counter() - begin
    assert engine.stop().iterations > 100
    assert took < 2.0  # it took 12 seconds and more


class Told(Kuhn):
    """Positions that can be compared."""

    def __eq__(self, other):
        return type(self) is type(other) and (self.cards, self.line) == (other.cards, other.line)

    def __hash__(self):
        return hash((self.cards, self.line))

    def play(self, move):
        return Told(self.cards, self.line + move)

    def determinize(self, player, rng):
        return Told(super().determinize(player, rng).cards, self.line)


def test_the_next_search_of_the_same_player_reuses_the_nodes():
    engine = mc.Searcher()
    engine.search(Told((1, 2)), iterations=500)
    engine.search(Told((1, 2), "pb"), iterations=100)
    stats = engine.stats()
    assert stats.reused_visits > 50 and stats.visits == stats.reused_visits + 100
    engine.search(Told((1, 2), "pb"), iterations=100)
    assert engine.stats().reused_visits == stats.visits  # the same position again
    for state in (Told((1, 2), "p"),   # of the other player, whose nodes were found by what this one knows
                  Told((1, 0)), Kuhn((1, 2), "pb")):  # another deal; positions that cannot be compared
        engine.search(Told((1, 2)), iterations=500)
        engine.search(state, iterations=100)
        assert engine.stats().reused_visits == 0
    again = mc.Searcher(seed=3)
    for _ in range(2):  # with a seed, the same position is searched from scratch
        again.search(Told((1, 2)), iterations=100)
        assert again.stats().reused_visits == 0
    off = mc.Searcher(reuse=False)
    off.search(Told((1, 2)), iterations=100)
    off.search(Told((1, 2), "pb"), iterations=100)
    assert off.stats().reused_visits == 0


def test_the_moves_of_two_players_with_a_winner():
    """An ordinary game of two players, +1 and -1: one of three stones is poisoned, and only -1 knows which."""
    class Stones:
        hidden_information = True

        def __init__(self, bad=0, line=()):
            self.bad, self.line = bad, line
            self.to_move = 1 if len(line) % 2 == 0 else -1

        def legal_moves(self):
            return [stone for stone in (0, 1, 2) if stone not in self.line]

        def play(self, stone):
            return Stones(self.bad, (*self.line, stone))

        def winner(self):
            if self.bad in self.line:
                return self.to_move
            return None

        def determinize(self, player, rng):
            assert player in (1, -1)
            if player == -1:
                return Stones(self.bad, self.line)
            return Stones(rng.choice([stone for stone in (0, 1, 2) if stone not in self.line]), self.line)

        def observation_key(self, player):
            return self.line, self.bad if player == -1 else None

    for bad in (0, 1, 2):
        for taken in {0, 1, 2} - {bad}:
            assert mc.search(Stones(bad, (taken,)), iterations=500, seed=1) not in (bad, taken)
            assert mc.stats().values is None and mc.stats().value > 0.9
        mc.search(Stones(bad), iterations=500, seed=1)  # +1 cannot know: no move is better
        assert max(entry.value for entry in mc.stats().moves) < 0.6
    with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Stones has hidden information"):
        mc.search(Stones(), iterations=5, solver=True)


def test_without_a_key_nodes_are_found_by_the_moves():
    class Unnamed(Kuhn):
        observation_key = None

        def determinize(self, player, rng):
            made = super().determinize(player, rng)
            return Unnamed(made.cards, made.line)

        def play(self, move):
            return Unnamed(self.cards, self.line + move)

    assert mc.search(Unnamed((0, 2), "b"), iterations=2000, seed=1) == "b"
    assert mc.search(Unnamed((2, 1), "pb"), iterations=2000, seed=1) == "b"


class Counted(int):
    """A move that counts how often moves are hashed."""

    hashed = 0

    def __hash__(self):
        Counted.hashed += 1
        return int(self)


class Crowd:
    """Many moves; from the second one on, others in each position that is drawn, and in another order."""

    players, hidden_information = 2, True

    def __init__(self, card=0, line=()):
        self.card, self.line = card, line
        self.to_move = len(line) % 2

    def legal_moves(self):
        moves = [Counted(move) for move in range(60)
                 if not self.line or ((move + self.card) % 3 and move not in self.line)]
        random.Random(self.card if self.line else 1).shuffle(moves)
        return moves

    def play(self, move):
        assert move in self.legal_moves()
        return Crowd(self.card, (*self.line, move))

    def returns(self):
        return [(sum(self.line) + self.card) % 7 / 6, 0.5] if len(self.line) == 3 else None

    def determinize(self, player, rng):
        return Crowd(rng.randrange(9), self.line)

    def observation_key(self, player):
        return self.line


def test_a_node_with_many_moves():
    """The legal moves of a position are found among the choices of its node by their numbers, each at once."""
    Counted.hashed = 0
    engine = mc.Searcher(seed=1)
    engine.search(Crowd(), iterations=400)
    stats = engine.stats()
    assert stats.visits == sum(entry.visits for entry in stats.moves) == 400
    assert sorted(entry.move for entry in stats.moves) == list(range(60))
    # each iteration hashes every legal move of one or two nodes once
    assert Counted.hashed < 50_000


@pytest.mark.parametrize("exponent", [0.3, 0.5, 1.0])
def test_progressive_widening(exponent):
    """Of 2,000 boxes a search opens the first n ** exponent."""
    class Many(Hidden):
        widening = exponent

        def legal_moves(self):
            return [("open", box) for box in range(2000)]

    mc.search(Many(count=2000), iterations=400, seed=1)
    opened = sorted(entry.move[1] for entry in mc.stats().moves if entry.visits)
    assert opened == list(range(math.ceil(400 ** exponent)))
    assert len(mc.stats().moves) == 2000


def test_widening_must_be_a_share():
    for bad in (-0.1, 1.1, "much", True, math.nan):
        with pytest.raises(mc.InvalidState, match="widening must be a number from 0 to 1"):
            mc.search(type("Bad", (Guess,), {"widening": bad})(), iterations=5)


# ---- what is refused -------------------------------------------------------------------------------------------------

def test_without_determinize():
    class Bare(Kuhn):
        determinize = None

    with pytest.raises(mc.InvalidState, match=r"write determinize\(player, rng\).*observation_key\(player\)"):
        mc.search(Bare(), iterations=10)


def test_a_key_that_is_no_method():
    for bad in (7, property(lambda state: state.cards)):
        with pytest.raises(mc.InvalidState, match="observation_key must be a method, which the search"):
            mc.search(type("Bad", (Kuhn,), {"observation_key": bad})(), iterations=5)
    assert mc.search(type("Bare", (Kuhn,), {"observation_key": None})(), iterations=5) in Kuhn().legal_moves()


@pytest.mark.parametrize(("method", "answer", "said"), [
    ("determinize", lambda self, player, rng: None, "must return a state, got None"),
    ("determinize", lambda self, player, rng: Kuhn((0, 1), "pp"), "same player"),
    ("determinize", lambda self, player, rng: Kuhn((0, 1), "p"), "same player"),
    ("determinize", lambda self, player, rng: Kuhn((2, 0)), "fits what the player knows"),
    ("determinize", lambda self, player, rng: 1 / 0, "ZeroDivisionError"),
    ("observation_key", lambda self, player: [1], "hashable"),
    ("observation_key", lambda self, player: 1 / 0, "ZeroDivisionError"),
    ("returns", lambda self: [2.0, 0.0], "returns"),
])
def test_wrong_answers(method, answer, said, monkeypatch):
    engine = mc.Searcher(seed=1)
    monkeypatch.setattr(Kuhn, method, answer)
    with pytest.raises(mc.GameError, match=said):
        engine.search(Kuhn((0, 1)), iterations=50)
    monkeypatch.undo()
    assert engine.search(Kuhn((0, 2), "b"), iterations=200) in ("p", "b")


def test_what_hidden_information_refuses():
    with pytest.raises(mc.InvalidOption, match="evaluator"):
        mc.search(Kuhn(), iterations=5, policy_value=lambda state: (None, 0.0))
    with pytest.raises(mc.InvalidOption, match="best_line"):
        mc.search(Guess(), iterations=5, final_move="best_line")
    engine = mc.Searcher(rollout_moves=5)
    for call in (lambda: engine.search(Kuhn(), iterations=5), lambda: engine.ponder(Kuhn())):
        with pytest.raises(mc.InvalidOption, match=r"rollout_moves needs a game with rewards\(\) or discount, because "
                                                   r"others have no value before their end, got <.*Kuhn"):
            call()
    with pytest.raises(mc.InvalidOption, match="threads"):
        mc.search(Kuhn(), iterations=5, threads=2)
    with pytest.raises(mc.InvalidOption, match="solver True has no meaning here: Kuhn is a general game"):
        mc.search(Kuhn(), iterations=5, solver=True)
    with pytest.raises(mc.GameOver):
        mc.search(Kuhn((0, 1), "pp"), iterations=5)
    with pytest.raises(mc.InvalidState, match=r"which solve\(\), rollouts\(\), "):
        mc.rollouts(Kuhn(), 5)


def test_rewards_with_hidden_information():
    """Two steps: guess a bit for 10 or stop for 6; then 1 more. By chance of a half: 0.5 * 10 + 1 against 6 + 1."""
    class Bits:
        players, hidden_information, to_move, discount = 1, True, 0, 1.0

        def __init__(self, bit=0, step=0, gain=0.0):
            self.bit, self.step, self.gain = bit, step, gain

        def legal_moves(self):
            return [0, 1, "stop"] if self.step == 0 else ["end"]

        def play(self, move):
            return Bits(self.bit, self.step + 1, 1.0 if move == "end" else 6.0 if move == "stop" else
                        10.0 * (move == self.bit))

        def rewards(self):
            return [self.gain]

        def returns(self):
            return [0.0] if self.step == 2 else None

        def determinize(self, player, rng):
            return Bits(rng.randrange(2), self.step, self.gain)

        def observation_key(self, player):
            return self.step, self.gain

    mc.search(Bits(), iterations=3000, seed=1)
    stats = mc.stats()
    entries = {entry.move: entry for entry in stats.moves}
    assert stats.move == "stop" and entries["stop"].value == 7.0 and stats.value == 7.0
    for guess in (0, 1):  # four standard errors of the mean of its visits
        assert abs(entries[guess].value - 6.0) < 4 * 5.0 / math.sqrt(entries[guess].visits)


@pytest.mark.parametrize("cost", [2.0, 4.0])
@pytest.mark.parametrize("steps", [2, 4])
def test_a_move_that_leads_back_does_not_hide_the_others(cost, steps):
    """To wait costs 1 each time, for ever; to go costs more at first, and nothing afterwards."""
    class Waiting:
        players, hidden_information, to_move, discount = 1, True, 0, 0.9

        def __init__(self, at=0, gain=0.0):
            self.at, self.gain = at, gain

        def legal_moves(self):
            return ["wait", "go"]

        def play(self, move):
            return Waiting(0, -1.0) if move == "wait" else Waiting(self.at + 1, 0.0 if self.at else -cost)

        def rewards(self):
            return [self.gain]

        def returns(self):
            return [0.0] if self.at == steps else None

        def determinize(self, player, rng):
            return self

        def observation_key(self, player):
            return self.at

    for seed in range(30):
        assert mc.search(Waiting(), iterations=1000, rollout_moves=100, seed=seed) == "go"
        stats = mc.stats()
        assert stats.value == pytest.approx(-cost, abs=1e-6)
        assert stats.visits == 1000 and all(entry.visits <= 1000 for entry in stats.moves)


def test_rollouts_per_leaf():
    for count in (1, 7):
        mc.search(Kuhn((2, 1)), iterations=300, rollouts_per_leaf=count, seed=1)
        stats = mc.stats()
        assert stats.rollouts % count == 0 and stats.rollouts // count < 30  # most iterations end the game in the tree
        assert stats.rollouts >= 5 * count


class Coin:
    """A sure 0.8, or a coin that everybody sees, and a guess at it. Without observation_key."""

    players, hidden_information = 2, True

    def __init__(self, line=()):
        self.line = line
        self.to_move = mc.CHANCE if line == ("toss",) else 0

    def legal_moves(self):
        return ["heads", "tails"] if self.line else ["safe", "toss"]

    def chance_outcomes(self):
        return [("heads", 0.5), ("tails", 0.5)]

    def play(self, move):
        return type(self)((*self.line, move))

    def returns(self):
        if self.line == ("safe",):
            return [0.8, 0.2]
        won = float(self.line[1:2] == self.line[2:])
        return [won, 1.0 - won] if len(self.line) == 3 else None

    def determinize(self, player, rng):
        return self


class Mover(Coin):
    """The coin decides who guesses."""

    def __init__(self, line=()):
        super().__init__(line)
        if len(line) == 2:
            self.to_move = 0 if line[1] == "heads" else 1


def test_without_keys_a_node_knows_what_chance_has_drawn():
    assert mc.search(Coin(), iterations=2000, seed=1) == "toss"
    stats = mc.stats()
    assert next(entry for entry in stats.moves if entry.move == "toss").value > 0.95
    assert mc.search(Mover(), iterations=2000, seed=1) == "safe"  # the other player guesses for himself
    assert mc.check_game(Mover, 50).ok

    class Listed(Coin):
        def chance_outcomes(self):
            return [(["heads"], 0.5), (["tails"], 0.5)]

    with pytest.raises(mc.GameError, match=r"moves must be hashable, .* got \['heads'\], a list"):
        mc.search(Listed(), iterations=50, seed=1)


def test_the_value_is_that_of_the_reused_visits_too():
    class Sums(Coin):
        constant_sum = True

        def __init__(self, line=()):
            self.line, self.to_move = line, 0

        def __eq__(self, other):
            return self.line == other.line

        def __hash__(self):
            return hash(self.line)

        def legal_moves(self):
            return [0, 1]

        def returns(self):
            share = sum(self.line) / 6
            return [share, 1.0 - share] if len(self.line) == 6 else None

        def observation_key(self, player):
            return self.line

    engine = mc.Searcher()
    engine.search(Sums(), iterations=2000)
    engine.search(Sums((1,)), iterations=1)
    stats = engine.stats()
    assert stats.reused_visits > 1000 and stats.visits == stats.reused_visits + 1
    mean = sum(entry.wins for entry in stats.moves) / sum(entry.visits for entry in stats.moves)
    assert stats.value == stats.values[0] == pytest.approx(mean) and sum(stats.values) == pytest.approx(1.0)


def test_values_in_an_observed_environment_are_those_of_value_iteration():
    """Twelve places, three ways from each, in which all paths meet again: what one path finds counts for all."""
    class Place:
        players, hidden_information, to_move, discount = 1, True, 0, 0.9

        def __init__(self, ways, at=0, gain=0.0):
            self.ways, self.at, self.gain = ways, at, gain

        def legal_moves(self):
            return [0, 1, 2]

        def play(self, move):
            return Place(self.ways, *self.ways[self.at][move])

        def rewards(self):
            return [self.gain]

        def returns(self):
            return None

        def determinize(self, player, rng):
            return self

        def observation_key(self, player):
            return self.at

    for seed in range(5):
        draw = random.Random(seed)
        ways = [[(draw.randrange(12), draw.choice([-1.0, 0.0, 2.0])) for _ in range(3)] for _ in range(12)]
        exact = [0.0] * 12
        for _ in range(500):
            exact = [max(gain + 0.9 * exact[to] for to, gain in place) for place in ways]
        mc.search(Place(ways), iterations=400, rollout_moves=20, seed=seed)
        assert abs(mc.stats().value - exact[0]) < 1e-6
        for entry in mc.stats().moves:
            to, gain = ways[0][entry.move]
            assert abs(entry.value - gain - 0.9 * exact[to]) < 1e-6


def test_random_is_seeded():
    draws = []

    class Drawing(Kuhn):
        def determinize(self, player, rng):
            assert isinstance(rng, random.Random)
            draws.append(rng.random())
            return Kuhn(self.cards, self.line)

    mc.search(Drawing(), iterations=5, seed=9)
    first, draws[:] = draws[:], []
    mc.search(Drawing(), iterations=5, seed=9)
    assert draws == first and len(set(first)) == 5 and not math.isnan(first[0])


class SeenTurtle:
    """A walk on 4 x 4 cells with four ways to stand still, of which everything is seen. The far corner gives 1."""

    hidden_information, players, to_move, discount, model = True, 1, 0, 0.99, "turtle"

    def __init__(self, at=(0, 0), heading=0):
        self.at, self.heading = at, heading

    def determinize(self, player, rng):
        return self

    def observation_key(self, player):
        return self.at, self.heading

    def legal_moves(self):
        return list(range(7))

    def play(self, move):
        (x, y), heading = self.at, self.heading
        if move < 2:
            heading = (heading + (1, -1)[move]) % 4
        elif move == 2:
            right, down = ((1, 0), (0, 1), (-1, 0), (0, -1))[heading]
            x, y = min(max(x + right, 0), 3), min(max(y + down, 0), 3)
        return SeenTurtle((x, y), heading)

    def rewards(self):
        return [float(self.at == (3, 3))]

    def returns(self):
        return [0.0] if self.at == (3, 3) else None


def test_what_was_not_tried_stays_worth_a_try_while_values_fade():
    """Few iterations and a horizon that is soon reached: what the first rollouts gave fades, and with it went the hopes
    of squares without a visit, so the player walked on those that it knew."""
    for seed in (1, 6, 15):
        engine, state = mc.Searcher(rollout_moves=15, seed=seed), SeenTurtle()
        for _ in range(45):
            state = state.play(engine.search(state, iterations=50))
            if state.returns() is not None:
                break
        assert state.at == (3, 3), seed


LARGE = """
import gc, sys
import mcts_core as mc

class Large:
    '''A game of 30 plies without a result, in which either the keys are large or the moves.'''

    hidden_information, players = True, 2

    def __init__(self, kind, played=()):
        self.kind, self.played, self.to_move = kind, played, len(played) % 2

    def legal_moves(self):
        if self.kind == "moves":  # other ones in each draw
            return [(*range(200), *self.played, number) for number in range(4)]
        return [0, 1, 2, 3]

    def play(self, move):
        return Large(self.kind, (*self.played, move[-1] if self.kind == "moves" else move))

    def returns(self):
        odd = sum(self.played) % 2
        return None if len(self.played) < 30 else [float(odd), 1.0 - odd]

    def determinize(self, player, rng):
        return self

    def observation_key(self, player):
        if self.kind == "tuples":
            return (player, *range(200), *self.played)
        if self.kind == "objects":
            return Key(("player", player, *self.played))
        return repr(self.played).ljust(2000) if self.kind == "texts" else self.played

class Key:
    def __init__(self, known):
        self.known, self.more = known, [0] * 200

    def __eq__(self, other):
        return self.known == other.known

    def __hash__(self):
        return hash(self.known)

def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

kind = sys.argv[1]
mc.search(Large(kind), iterations=50)
gc.collect()
before = status("VmRSS")
engine = mc.Searcher(memory_mb=16, seed=1, prune=sys.argv[2] == "prune")
engine.search(Large(kind), iterations=12_000)
stats = engine.stats()
print(status("VmHWM") - before, stats.bytes / 2**20, stats.prunes, stats.stop_reason, stats.iterations)
"""


@pytest.mark.long
@pytest.mark.needs("/proc")
@pytest.mark.parametrize("pruning", ["prune", "keep"])
@pytest.mark.parametrize("kind", ["tuples", "texts", "objects", "moves"])
def test_what_the_game_gives_the_tree_counts_as_memory(kind, pruning):
    """Keys and moves of 2 kB each: 12,000 nodes would take 25 MiB or more besides the tree's own arrays."""
    said = subprocess.run([sys.executable, "-c", LARGE, kind, pruning], capture_output=True, text=True, check=True)
    grown, counted, prunes, reason, iterations = said.stdout.split()
    assert float(grown) < 16 + 16 and 4 < float(counted) <= 16
    if pruning == "prune":
        assert int(prunes) >= 1 and (reason, int(iterations)) == ("iterations", 12_000)
    else:
        assert (int(prunes), reason) == (0, "memory") and int(iterations) < 12_000
