"""The services of whole trees on general ones: another root, pruning, exchange, check, storage, the view of the top."""

import itertools
import random

import numpy as np
import pytest
from general_oracle import Tangle, network, network_of_all

import mcts_core as mc
from mcts_core import defaults
from mcts_core.engine.settings import GeneralSettings
from mcts_core.testing.general_probe import GeneralProbe

KINDS = {
    "one player": {"players": 1, "chance": 0.0},
    "two players": {"players": 2, "chance": 0.0},
    "two and chance": {"players": 2, "chance": 0.4},
    "three and chance": {"players": 3, "chance": 0.3},
}
CASES = [(name, puct) for name in KINDS for puct in (False, True)]


def game_of(name, number=1):
    """A game with several moves at its root and some depth."""
    while len(Tangle(number, **KINDS[name], length=12).moves) < 3:
        number += 1000
    return Tangle(number, **KINDS[name], length=12)


def settings_of(state, puct, **options):
    if puct:
        options.update(evaluator=network_of_all if state.players == 3 else network, batch=4)
    known = ("exploration", "rollouts_per_leaf", "c_puct", "noise_weight", "batch", "fpu")
    values = {**defaults.GENERAL_ROLLOUTS, **defaults.EVALUATOR, "batch": 8}
    return GeneralSettings(**{name: values[name] for name in known} | options)


DEFAULTS = settings_of(None, False)


def grown(name, puct, iterations=1200, seed=1, number=1, like=None, **options):
    state = game_of(name, number)
    probe = GeneralProbe(state, settings_of(state, puct, **options), seed, like=like)
    assert probe.run(iterations)
    return probe


def below(state, path):
    for move in path:
        state = state.play(move)
    return state


def whole(probe):
    """All nodes with a block, by their paths."""
    return {path: probe.node(path) for path in probe.paths()}


def assert_sums(probe):
    """No node has fewer visits than its children, nor a sum that its visits cannot have."""
    for player, visits, valued, totals, children in whole(probe).values():
        assert sum(count for count, _ in children.values()) <= visits
        assert valued <= visits + 1
        assert all(-1e-9 <= total <= valued * (1 + 1e-9) for total in totals)
        if player >= 0:
            assert all(-1e-9 <= value <= count * (1 + 1e-9) for count, value in children.values())


def roots(probe, state):
    """Paths to positions that can be the root, nearest first."""
    found = [path for path in probe.paths() if path and below(state, path).to_move != mc.CHANCE]
    return sorted(found, key=lambda path: (len(path), -probe.node(path)[1]))


# ---- the tree itself -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "puct"), CASES)
def test_the_totals_are_those_of_the_children(name, puct):
    """What a player got through a node is the sum of what he got through its children, and of the node's own value."""
    probe = grown(name, puct)
    assert probe.root_totals()[0] == 1200
    assert probe.check()["units"] == probe.counts["units"]
    nodes = whole(probe)
    assert len(nodes) > 15
    compared = 0
    for player, _, valued, totals, children in nodes.values():
        if player >= 0:
            # the first visit by a rollout, and the evaluation, are of the node itself
            assert valued == sum(count for count, _ in children.values()) + puct
            own = totals[player] - sum(value for _, value in children.values())
            assert own == pytest.approx(own if puct else 0.0, abs=1e-6) and -1e-6 <= own <= 1 + 1e-6
            compared += 1
    assert compared > 10
    assert_sums(probe)


# ---- another root ----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "puct"), CASES)
def test_another_root_keeps_what_is_below(name, puct):
    state = game_of(name)
    for path in roots(grown(name, puct), state)[:3]:
        probe = grown(name, puct)
        nodes = whole(probe)
        assert probe.reroot(path, below(state, path), 7)
        player, visits, valued, totals, children = nodes[path]
        assert probe.node() == nodes[path]
        assert probe.root_totals() == (valued, totals)
        assert probe.counts["reused"] == visits and probe.counts["iterations"] == 0
        assert whole(probe) == {rest[len(path):]: node for rest, node in nodes.items() if rest[:len(path)] == path}
        probe.compact()
        assert whole(probe) == {rest[len(path):]: node for rest, node in nodes.items() if rest[:len(path)] == path}
        found = probe.check()
        assert found["units"] == probe.counts["units"] and found["free_units"] == 0
        assert probe.run(200)
        assert probe.counts["iterations"] == 200
        assert probe.root_totals()[0] == valued + 200
        assert sum(count for count, _ in probe.node()[4].values()) == (
            sum(count for count, _ in children.values()) + 200)
        probe.check()
        assert_sums(probe)


@pytest.mark.parametrize("puct", [False, True])
def test_the_same_root_goes_on_as_if_nothing_had_been(puct):
    """A second search of the same position adds to the first one."""
    state = game_of("two players")
    probe = grown("two players", puct, 500)
    before = probe.node()
    assert probe.reroot((), state, 9)
    assert probe.node() == before and probe.counts["reused"] == 500
    probe.compact()
    assert probe.node() == before
    assert probe.run(500)
    assert probe.root_totals()[0] == 1000
    if puct:  # nothing of such a search is drawn: the same as 1000 at once
        assert probe.node() == grown("two players", puct, 1000).node()


def test_a_search_below_another_root_is_that_of_the_oracle():
    """PUCT draws nothing where priors differ: the tree below a move grows as that of a search from there, once it has
    its visits."""
    def distinct(observations):
        policy, values = network(observations)
        return policy + np.arange(policy.shape[1]) / 1e4, values

    state = game_of("two players")
    probe = grown("two players", True, 2000)
    path = roots(probe, state)[0]
    alone = GeneralProbe(below(state, path), settings_of(state, False, evaluator=distinct, batch=1))
    one = GeneralProbe(state, settings_of(state, False, evaluator=distinct, batch=1))
    assert one.run(2000)
    visits = one.node(path)[1]
    assert one.reroot(path, below(state, path), 3)
    assert alone.run(visits - 1)
    assert one.node()[4] == alone.node()[4] and one.node()[3] == alone.node()[3]
    one.compact()
    assert one.run(700) and alone.run(700)
    assert one.node()[4] == alone.node()[4]


def test_what_cannot_be_the_root():
    state = game_of("two and chance")
    probe = grown("two and chance", False)
    before = whole(probe)
    chance = [path for path in probe.paths() if below(state, path).to_move == mc.CHANCE]
    assert chance
    assert not probe.reroot(chance[0], state, 1)
    leaf = next((*path, move) for path, node in before.items() for move in node[4] if (*path, move) not in before)
    assert not probe.reroot(leaf, state, 1)
    assert whole(probe) == before


def test_a_new_root_gets_its_own_noise():
    state = game_of("two players")
    options = {"noise_alpha": 0.5, "noise_weight": 0.25}
    found = []
    for seed in (1, 2, 2):
        probe = grown("two players", True, 800, seed=5, **options)
        path = roots(probe, state)[0]
        assert probe.reroot(path, below(state, path), seed)
        assert probe.run(300)
        found.append(probe.node())
    assert found[0] != found[1] and found[1] == found[2]


# ---- the path to a position ------------------------------------------------------------------------------------------

class Equal(Tangle):
    """The same by value."""

    def play(self, move):
        return Equal(self.number, self.players, self.chance, self.length, (*self.path, move))

    def __eq__(self, other):
        return self.path == other.path

    __hash__ = None


def test_the_path_to_a_position_is_found():
    number = next(number for number in itertools.count() if len(Equal(number, 3, 0.3, 12).moves) > 3)
    state = Equal(number, 3, 0.3, 12)
    probe = GeneralProbe(state, DEFAULTS, 1)
    assert probe.run(1000)
    assert probe.find(state) == ()
    for path in roots(probe, state)[:10]:
        assert probe.find(below(state, path), 10000) == path
    strange = (Equal(number, 3, 0.3, 12, (f"elsewhere {index}",)) for index in itertools.count())
    assert probe.find(next(other for other in strange if other.to_move != mc.CHANCE), 10000) is None
    assert probe.find(below(state, roots(probe, state)[5]), 1) is None


def test_the_path_to_a_native_position():
    state = mc.ConnectFour()
    probe = GeneralProbe(state, DEFAULTS, 1)
    assert probe.run(2000)
    assert probe.find(state.play(3).play(3)) == (3, 3)
    assert probe.find(mc.ConnectFour(9, 9, 4)) is None
    assert probe.find(state.play(0).play(0).play(0).play(0).play(0).play(0), 100) is None


# ---- pruning ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "puct"), CASES)
@pytest.mark.parametrize("way", ["compact", "keep"])
def test_a_pruned_tree_keeps_the_most_visited(name, puct, way):
    probe = grown(name, puct)
    nodes, root, totals, units = whole(probe), probe.node(), probe.root_totals(), probe.counts["units"]
    getattr(probe, way)(0.5)
    assert probe.counts["units"] <= units // 2 + units // 8
    assert probe.counts["prunes"] == 1 and probe.counts["dropped"] > 0
    kept = whole(probe)
    assert kept and all(kept[path] == nodes[path] for path in kept)
    assert probe.node() == root and probe.root_totals() == totals
    dropped = [node[1] for path, node in nodes.items() if path not in kept]
    assert min(node[1] for path, node in kept.items() if path) >= max(dropped) * 0.8 - 1
    found = probe.check()
    assert found["units"] == probe.counts["units"]
    for _ in range(6):
        assert probe.run(300)
        getattr(probe, way)(0.4)
        probe.check()
    assert probe.root_totals()[0] == 1200 + 6 * 300
    assert_sums(probe)


def test_endings_that_many_share_stay_one():
    """Three ways to end: their records are moved once, whoever leads to them."""
    for way in ("compact", "keep"):
        probe = GeneralProbe(mc.TicTacToe(), DEFAULTS, 1)
        assert probe.run(4000)
        nodes, units = whole(probe), probe.counts["units"]
        getattr(probe, way)(1.0)
        assert whole(probe) == nodes and probe.counts["units"] == units and probe.counts["prunes"] == 0
        getattr(probe, way)(0.3)
        assert probe.check()["units"] == probe.counts["units"] < units
        assert probe.run(3000)
        probe.check()


def test_no_time_keeps_the_root():
    probe = grown("three and chance", True)
    root = probe.node()
    probe.keep(1.0, -1.0)
    assert probe.node() == root
    probe.check()
    assert probe.run(100)
    probe.check()


@pytest.mark.parametrize("puct", [False, True])
def test_a_full_arena_is_pruned_and_goes_on(puct):
    state = next(game for game in (Tangle(number, 3, 0.3, 40) for number in itertools.count()) if len(game.moves) > 8)
    wide = {"c_puct": 30.0} if puct else {"exploration": 30.0}
    probe = GeneralProbe(state, settings_of(state, puct, **wide), 3, memory=1 << 18)
    goal, prunes = 12000 if puct else 6000, 0
    while probe.root_totals()[0] < goal:
        if not probe.run(goal - probe.root_totals()[0]):
            units = probe.counts["units"]
            probe.compact(0.5)
            assert probe.counts["units"] < units
            prunes += 1
    assert prunes > 1
    probe.check()
    assert_sums(probe)


# ---- what waits ------------------------------------------------------------------------------------------------------

def test_what_waits_is_taken_back_before_a_service():
    probe = grown("two and chance", True, 40)
    while not probe.gather(50):  # finished games alone
        pass
    assert any(visits != valued for _, visits, valued, *_ in whole(probe).values())
    probe.retract()
    assert all(visits == valued for path, (_, visits, valued, *_) in whole(probe).items() if path)
    before = whole(probe)
    probe.check()
    probe.compact()
    assert whole(probe) == before


def test_a_root_without_its_evaluation_has_nothing_to_tell():
    state = game_of("two players")
    fresh = GeneralProbe(state, settings_of(state, True), 1)
    assert not fresh.counts["has_root"]
    assert fresh.gather(5) == 1
    fresh.retract()
    assert not fresh.counts["has_root"] and fresh.node() is None
    other = grown("two players", True, like=fresh)
    message = fresh.tell()
    before = whole(other)
    assert other.hear(message) and whole(other) == before
    assert fresh.hear(other.tell())  # of which nothing is taken
    assert fresh.counts["iterations"] == 0 and fresh.root_totals()[0] == 0
    fresh.compact()
    assert not fresh.reroot((roots(other, state)[0]), state, 1)
    assert fresh.run(300)
    fresh.check()


# ---- exchange --------------------------------------------------------------------------------------------------------

def assert_sum_of(heard, one, two, skip=0):
    player, visits, valued, totals, children = heard
    assert visits == one[1] + two[1] and valued == one[2] + two[2]
    assert totals == pytest.approx([a + b for a, b in zip(one[3], two[3], strict=True)])
    for move, (count, value) in children.items():
        assert count == one[4][move][0] + two[4][move][0]
        if player >= 0:
            assert value == pytest.approx(one[4][move][1] + two[4][move][1])


@pytest.mark.parametrize(("name", "puct"), CASES)
def test_what_is_heard_is_added_once(name, puct):
    one = grown(name, puct, seed=1)
    two = grown(name, puct, 800 + 100 * puct, seed=2, like=one)
    first, second = whole(one), whole(two)
    from_one, from_two = one.tell(), two.tell()
    assert one.hear(from_two) and two.hear(from_one)
    both = set(first) & set(second)
    assert len(both) > 8
    for probe in (one, two):
        after = whole(probe)
        for path in both:
            assert_sum_of(after[path], first[path], second[path])
        probe.check()
        assert probe.root_totals()[0] == 2000 + 100 * puct
    quiet = len(one.tell())
    assert quiet == len(two.tell()) and quiet < 200
    assert one.hear(two.tell()) and one.node()[:2] == two.node()[:2]


def test_three_trees_agree_after_every_round():
    probes = [grown("three and chance", False, 500, seed=1)]
    probes += [grown("three and chance", False, 500, seed=seed, like=probes[0]) for seed in (2, 3)]
    for round in range(1, 5):
        told = [probe.tell(8) for probe in probes]
        for hearer, teller in itertools.permutations(range(3), 2):
            assert probes[hearer].hear(told[teller])
        roots_ = [probe.node() for probe in probes]
        for probe, root in zip(probes, roots_, strict=True):
            assert probe.root_totals()[0] == 1500 * round
            assert root[1] == roots_[0][1] and root[4].keys() == roots_[0][4].keys()
            assert {move: entry[0] for move, entry in root[4].items()} == {
                move: entry[0] for move, entry in roots_[0][4].items()}
            probe.check()
            assert_sums(probe)
            assert probe.run(500)


@pytest.mark.parametrize("puct", [False, True])
def test_nothing_is_counted_twice_after_another_root_and_pruning(puct):
    name = "two players"
    state = game_of(name)
    one = grown(name, puct, seed=1)
    two = grown(name, puct, 2000 + 100 * puct, seed=2, like=one)
    from_one, from_two = one.tell(), two.tell()
    assert one.hear(from_two) and two.hear(from_one)
    path = next(path for path in roots(one, state) if two.node(path))
    for probe in (one, two):
        assert probe.reroot(path, below(state, path), 4)
        probe.compact(0.5)
        probe.check()
    assert one.root_totals()[0] == two.root_totals()[0]
    before = one.root_totals()[0]
    assert one.run(300) and two.run(300)
    from_one, from_two = one.tell(), two.tell()
    assert one.hear(from_two) and two.hear(from_one)
    assert one.root_totals()[0] == two.root_totals()[0] == before + 600
    assert one.node()[1] == two.node()[1]
    for probe in (one, two):
        probe.check()
        assert_sums(probe)


def test_one_search_gives_the_same_messages_every_time():
    told = []
    for _ in range(2):
        one = grown("three and chance", True, 400)
        two = grown("three and chance", True, 600, seed=2, like=one)
        assert one.hear(two.tell()) and two.hear(one.tell())
        assert one.run(200)
        told.append((one.tell(), two.tell(), whole(one)))
    assert told[0] == told[1]


@pytest.mark.parametrize(("name", "puct"), [("two and chance", False), ("three and chance", True)])
def test_a_damaged_message_is_refused_or_leaves_a_sound_tree(name, puct):
    draw = random.Random(5)
    teller = grown(name, puct, 400, seed=2)
    message = teller.tell(4)
    hearer = grown(name, puct, 300, like=teller)
    refused = 0
    for _ in range(80):
        damaged = bytearray(message)
        for _ in range(draw.choice([1, 1, 2, 5])):
            damaged[draw.randrange(len(damaged))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
        if draw.random() < 0.2:
            damaged = damaged[:4 * draw.randrange(len(damaged) // 4)]
        before = whole(hearer)
        if not hearer.hear(bytes(damaged)):
            refused += 1
            assert whole(hearer) == before
            continue
        hearer.check()
        hearer.tell()
        hearer.run(3)
        hearer = grown(name, puct, 300, like=teller)
    assert refused > 20


def test_messages_of_other_trees_are_refused():
    general = GeneralProbe(mc.ConnectFour(), DEFAULTS, 1)
    assert general.run(500)
    engine = mc.Searcher(seed=1, preset="uct")
    engine.search(mc.ConnectFour(), iterations=500)
    assert not general.hear(bytes(engine._core.tell(1)))
    with pytest.raises(ValueError, match="message"):
        engine._core.hear(general.tell())
    assert not grown("two players", False).hear(grown("three and chance", False).tell())
    assert not general.hear(b"")


# ---- storage and check -----------------------------------------------------------------------------------------------

def stored(name, puct, iterations=600, exchanged=False):
    probe = grown(name, puct, iterations)
    if exchanged:
        other = grown(name, puct, iterations, seed=2, like=probe)
        assert probe.hear(other.tell())
        probe.tell()
    return probe, probe.dump()


@pytest.mark.parametrize("exchanged", [False, True])
@pytest.mark.parametrize(("name", "puct"), CASES)
def test_a_restored_tree_goes_on_as_the_stored_one(name, puct, exchanged):
    probe, (numbers, known, pieces) = stored(name, puct, exchanged=exchanged)
    state = game_of(name)
    other = GeneralProbe(state, settings_of(state, puct), 1, like=probe)
    other.restore(numbers, known, pieces, exchanged)
    assert whole(other) == whole(probe) and other.counts == probe.counts
    assert other.root_totals() == probe.root_totals()
    assert other.dump() == (numbers, known, pieces)
    for engine in (probe, other):
        assert engine.reroot((), state, 11)
        assert engine.run(400)
        engine.check()
    assert whole(other) == whole(probe) and other.tell() == probe.tell()


@pytest.mark.parametrize(("name", "puct"), CASES)
def test_damaged_bytes_are_refused_or_leave_a_sound_tree(name, puct):
    draw = random.Random(3)
    probe, (numbers, known, pieces) = stored(name, puct, 250, exchanged=True)
    state = game_of(name)
    other = GeneralProbe(state, settings_of(state, puct), 1, like=probe)
    refused = taken = 0
    for trial in range(200):
        damaged = [bytearray(piece) for piece in pieces]
        piece = damaged[0 if draw.random() < 0.8 else -1]
        at = draw.randrange(len(piece)) if trial % 3 else draw.randrange(min(len(piece), 512))
        piece[at] ^= 1 << draw.randrange(8)
        played = draw.random() < 0.5
        try:
            other.restore(numbers, known, damaged, True, played)
        except mc.InvalidFile:
            refused += 1
            continue
        taken += 1
        other.check(played=played)
        try:
            other.run(20)
            other.compact(0.5)
            other.check(played=False)
            other.dump()
        except mc.GameError:  # a move that there is not, where moves were not played
            pass
        other = GeneralProbe(state, settings_of(state, puct), 1, like=probe)
    assert refused > 70 and taken > 7


def test_numbers_that_cannot_be_are_refused():
    probe, (numbers, known, pieces) = stored("two and chance", True, exchanged=True)
    state = game_of("two and chance")
    for name, value in [("bytes", 0), ("bytes", numbers["bytes"] + 1), ("bytes", 1 << 40), ("iterations", -1),
                        ("iterations", 1 << 30), ("reused", 1 << 30), ("nodes", -1), ("iterations", 10**6)]:
        other = GeneralProbe(state, settings_of(state, True), 1, like=probe)
        with pytest.raises(ValueError):
            other.restore({**numbers, name: value}, known, pieces, True)
    for name, value in [("totals", [1.0]), ("totals", [1.0, 1e9]), ("totals", [1, 2]), ("valued", 10**6),
                        ("visits", 10**6), ("root", 3), ("totals", [float("nan"), 0.0])]:
        other = GeneralProbe(state, settings_of(state, True), 1, like=probe)
        with pytest.raises(mc.InvalidFile):
            other.restore(numbers, {**known, name: value}, pieces, True)


def test_a_tree_of_another_game_is_refused():
    probe, (numbers, known, pieces) = stored("two and chance", False)
    other = GeneralProbe(game_of("two and chance", 3), DEFAULTS, 1, like=probe)
    with pytest.raises(mc.InvalidFile):
        other.restore(numbers, known, pieces)
    native = GeneralProbe(mc.ConnectFour(), DEFAULTS, 1)
    assert native.run(500)
    numbers, known, pieces = native.dump()
    with pytest.raises(mc.InvalidFile):
        GeneralProbe(mc.ConnectFour(6, 7, 4).play(3), DEFAULTS, 1).restore(numbers, known, pieces)


# ---- the view of the top ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "puct"), CASES)
def test_the_top_is_what_the_nodes_say(name, puct):
    state, probe = game_of(name), grown(name, puct)
    nodes = whole(probe)
    root = nodes[()][0]

    def compare(path, children):
        assert {child[0] for child in children} <= set(nodes[path][4])
        for move, player, visits, value, proven, distance, rest in children:
            assert player == below(state, path).to_move if path else player == root
            assert visits == nodes[path][4][move][0] and proven is None and distance is None
            child = below(state, (*path, move))
            if child.returns() is not None:
                assert value == pytest.approx(child.returns()[root]) or visits == 0
            elif player == root and visits:
                assert value == pytest.approx(nodes[path][4][move][1] / visits)
            elif (*path, move) in nodes and path:
                _, _, valued, totals, _ = nodes[(*path, move)]
                assert value == pytest.approx(totals[root] / valued)
            elif path:
                assert value is None
            if rest:
                compare((*path, move), rest)
    compare((), probe.top(4))
    with pytest.raises(mc.InvalidOption):
        probe.top(4, most=5)
    most = np.max([node[4][move][0] for node in [nodes[()]] for move in node[4]])
    assert all(child[2] >= most for child in probe.top(1, least=float(most)))


def test_the_top_of_a_game_of_two_in_turn():
    probe = GeneralProbe(mc.ConnectFour(), DEFAULTS, 1)
    assert probe.run(2000)
    replies = max(probe.top(2), key=lambda child: child[2])[6]
    assert replies and {child[1] for child in replies} == {-1}
    first = max(probe.node()[4], key=lambda move: probe.node()[4][move][0])
    for move, _, visits, value, *_ in replies:
        count, won = probe.node((first,))[4][move]
        assert visits == count and value == pytest.approx(1 - won / count)
