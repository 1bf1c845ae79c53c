"""What several searches of one position tell each other."""

import random
from array import array

import pytest
from saved_files import saved
from seeds import without_seed

import mcts_core as mc

GAMES = [mc.ConnectFour(), mc.ConnectFour(9, 9, 4), mc.MNK(6, 5, 4), mc.Gomoku()]
OPTIONS = [
    {"preset": "uct"}, {"solver": False}, {"selection": "ucb1-tuned", "solver": False},
    {"selection": "rave", "solver": False}, {"selection": "grave", "solver": False},
    {"preset": "uct", "rollouts_per_leaf": 3},
]
UNAIDED = {"leaf_proofs": 0, "node_proofs": 0, "root_proofs": 0}
"""No exact search: what is proven is proven by the tree."""
NOTHING = 28
"""Bytes of a message without news: six words of the root, and a block without entries."""


def searched(state, seed, iterations=1500, **options):
    engine = mc.Searcher(seed=seed, **options)
    engine.search(state, iterations=iterations)
    return engine


def figures(engine):
    return {entry.move: (entry.visits, entry.wins) for entry in engine.stats().moves}


@pytest.mark.parametrize("state", GAMES, ids=str)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_is_heard_is_added_once(state, options):
    one, two = (searched(state, seed, **options) for seed in (1, 2))
    before, other = figures(one), figures(two)
    alone = one.stats().visits
    from_one, from_two = one._core.tell(1), two._core.tell(1)
    one._core.hear(from_two)
    two._core.hear(from_one)
    assert figures(one) == {
        move: (visits + other[move][0], pytest.approx(wins + other[move][1]))
        for move, (visits, wins) in before.items()
    }
    assert figures(one) == figures(two)
    assert one.stats().visits == two.stats().visits == alone + 1500
    assert one.stats().iterations == 1500
    assert len(one._core.tell(1)) == len(two._core.tell(1)) == NOTHING


def test_three_searches_agree_after_every_round():
    engines = [searched(mc.ConnectFour(), seed, 800, preset="uct") for seed in (1, 2, 3)]
    for engine in engines:
        without_seed(engine)  # so that the same position is gone on with
    for _ in range(4):
        told = [engine._core.tell(16) for engine in engines]
        for hearer, engine in enumerate(engines):
            for teller, message in enumerate(told):
                if teller != hearer:
                    engine._core.hear(message)
        assert figures(engines[0]) == figures(engines[1]) == figures(engines[2])
        for engine in engines:
            engine.search(mc.ConnectFour(), iterations=500)
    assert [engine.stats().visits for engine in engines] == [3 * 800 + 3 * 3 * 500 + 500] * 3


@pytest.mark.parametrize("options", [{"preset": "uct"}, {"solver": False}], ids=str)
def test_nothing_is_counted_twice_after_another_root(options):
    state = mc.ConnectFour()
    one, two = (searched(state, seed, 4000, **options) for seed in (1, 2))

    def exchange():
        from_one, from_two = one._core.tell(1), two._core.tell(1)
        one._core.hear(from_two)
        two._core.hear(from_one)

    exchange()
    state = state.play(3)
    for engine in (one, two):
        engine.search(state, iterations=2000)
    reused = [engine.stats().reused_visits for engine in (one, two)]
    assert reused[0] == reused[1] > 100
    exchange()
    assert figures(one) == figures(two)
    assert one.stats().visits == two.stats().visits == reused[0] + 4000
    assert len(one._core.tell(1)) == NOTHING


def test_nothing_is_counted_twice_after_pruning():
    one, two = (mc.Searcher(preset="uct", seed=seed, memory_mb=1) for seed in (1, 2))
    state = mc.ConnectFour()
    for engine in (one, two):
        engine.search(state, iterations=1000)
        without_seed(engine)
    visits = 2000
    for _ in range(3):
        from_one, from_two = one._core.tell(8), two._core.tell(8)
        one._core.hear(from_two)
        two._core.hear(from_one)
        assert figures(one) == figures(two)
        assert one.stats().visits == visits
        for engine in (one, two):
            engine.search(state, iterations=200_000)
            assert engine.stats().prunes > 0
        visits += 400_000


def test_a_proof_is_told():
    state = mc.MNK(3, 3, 3).play(0).play(4).play(8)
    solved = searched(state, 1, 20_000, **UNAIDED)
    assert solved.stats().proven == "draw"
    other = searched(state, 2, 20, **UNAIDED)
    assert other.stats().proven is None
    other._core.hear(solved._core.tell())
    stats = other.stats()
    assert (stats.proven, stats.value, stats.distance) == ("draw", 0.5, solved.stats().distance)
    assert other._core.tell()[12:16] == bytes(4)  # the proof is not told back


def test_proofs_of_children_are_told_and_true():
    """Many small positions, searched by three trees whose nodes are widened: what they prove together is right."""
    choice = random.Random(5)
    proven = 0
    for number in range(30):
        state = mc.MNK(4, 4, 3) if number % 2 else mc.MNK(4, 3, 3)
        for _ in range(choice.randrange(5)):
            following = state.play(choice.choice(state.legal_moves()))
            if following.winner() is None:
                state = following
        engines = [mc.Searcher(seed=seed, expand_distance=1, expand_after=3, **UNAIDED) for seed in (1, 2, 3)]
        for engine in engines:
            engine.search(state, iterations=40)
            without_seed(engine)
        for _ in range(12):
            told = [engine._core.tell(4) for engine in engines]
            for hearer, engine in enumerate(engines):
                for teller, message in enumerate(told):
                    if teller != hearer:
                        engine._core.hear(message)
                engine.search(state, iterations=60)
        truth = mc.Searcher()
        truth.search(state, iterations=10**6)
        value = truth.stats().proven
        assert value is not None
        for engine in engines:
            stats = engine.stats()
            proven += stats.proven is not None
            assert stats.proven in (None, value)
            for entry in stats.moves:
                if entry.proven is None:
                    continue
                child = state.play(entry.move)
                if child.winner() is not None:
                    result = {1: "win", 0: "draw", -1: "loss"}[child.winner() * state.to_move]
                else:
                    truth.search(child, iterations=10**6)
                    result = {"win": "loss", "loss": "win", "draw": "draw"}[truth.stats().proven]
                assert entry.proven == result
    assert proven > 20


def test_a_root_that_has_not_tried_its_moves_tells_and_hears_nothing():
    """The visits of the root are those of its moves, whatever is heard."""
    one, two = searched(mc.Gomoku(), 1, 225, preset="uct"), searched(mc.Gomoku(), 2, 2000, preset="uct")
    assert one._core.tell() is None
    with pytest.raises(mc.NoSearch, match="the root's moves"):
        one._core.hear(two._core.tell())
    assert one.stats().visits == sum(visits for visits, _ in figures(one).values()) == 225
    one, two = searched(mc.Gomoku(), 1, 226, preset="uct"), searched(mc.Gomoku(), 2, 2000, preset="uct")
    one._core.hear(two._core.tell())
    assert one.stats().visits == sum(visits for visits, _ in figures(one).values()) == 2226


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_what_is_no_message_is_refused_and_does_no_harm(options):
    state = mc.ConnectFour()
    message = searched(state, 1, **options)._core.tell(4)
    choice = random.Random(1)
    refused = 0
    for number in range(400):
        engine = searched(state, 2, 100, **options)
        without_seed(engine)
        if number % 2:
            broken = bytearray(message)
            for _ in range(choice.randint(1, 6)):
                broken[choice.randrange(len(broken))] = choice.randrange(256)
        else:
            broken = message[:choice.randrange(len(message))]
        try:
            engine._core.hear(bytes(broken))
        except ValueError as error:
            assert "message" in str(error)
            refused += 1
        assert engine.search(state, iterations=50) in state.legal_moves()
    assert refused > 150
    for wrong in (b"", b"abc", bytes(24), message + b"1"):
        with pytest.raises(ValueError, match="message"):
            engine._core.hear(wrong)


# Column 3 wins at once. In words, the header of a message is format, visits, wins, proof, distance, move; then comes a
# block: a count, then move, visits, wins and link of each entry.
WIN_IN_ONE = mc.ConnectFour.from_moves("001122")
VISITS, WINS, PROOF, DISTANCE, MOVE, COUNT, ENTRIES = range(1, 8)
HAS_BLOCK = 1


def terminal(result, distance=0):
    return 1 << 30 | distance << 2 | result


def too_many(wins):
    return wins + 2000


def named(changes):
    """What a test of these changes is called: the same in every process."""
    return " ".join(f"{at}:{getattr(value, '__name__', value)}" for at, value in changes.items())


def changed(words, changes):
    for at, value in changes.items():
        words[at] = value(words[at]) & 0xFFFFFFFF if callable(value) else value
    return words.tobytes()


def check_refused(engine, message):
    before = saved(engine)
    with pytest.raises(ValueError, match="not a message of a search"):
        engine._core.hear(message)
    assert saved(engine) == before


@pytest.mark.parametrize("changes", [
    {0: 5}, {VISITS: 2**30}, {VISITS: 0xFFFFFFFF}, {WINS: 0xFFFFFFFF}, {WINS: too_many},
    {VISITS: 0}, {PROOF: 3, DISTANCE: 1, MOVE: 3}, {DISTANCE: 1}, {MOVE: 3}, {COUNT: 0}, {COUNT: 6}, {COUNT: 8},
    {COUNT: 0xFFFFFFFF}, {ENTRIES: 7}, {ENTRIES: 0xFFFFFFFF}, {ENTRIES: 1}, {ENTRIES + 1: 2**30},
    {ENTRIES + 1: 0}, {ENTRIES + 2: 0xFFFFFFFF}, {ENTRIES + 2: too_many}, {ENTRIES + 3: 2},
    {ENTRIES + 3: 0x80000000}, {ENTRIES + 3: 0xC0000001}, {ENTRIES + 3: terminal(1)}, {ENTRIES + 3: terminal(1, 5)},
    {ENTRIES + 4 * 3 + 3: HAS_BLOCK}, {ENTRIES + 4 * 6 + 3: HAS_BLOCK},
], ids=named)
def test_a_plain_tree_refuses_what_cannot_be(changes):
    words = array("I", searched(WIN_IN_ONE, 1, 900, preset="uct")._core.tell(2000))
    assert words[COUNT] == 7 and list(words[ENTRIES::4]) == list(range(7)) and len(words) == ENTRIES + 28
    check_refused(searched(WIN_IN_ONE, 2, 100, preset="uct"), changed(words, changes))


DRAWN = mc.MNK(3, 3, 3).play(0).play(4).play(8)


@pytest.mark.parametrize("changes", [
    {MOVE: 4}, {MOVE: 9}, {MOVE: 0xFFFFFFFE}, {PROOF: 4}, {PROOF: 0xFFFFFFFF}, {DISTANCE: 0}, {DISTANCE: 10},
    {DISTANCE: 2**16}, {PROOF: 0}, {ENTRIES: 9}, {ENTRIES + 3: terminal(3, 2)}, {ENTRIES + 3: terminal(1, 10)},
    {ENTRIES + 3: terminal(1, 0)}, {ENTRIES + 3: terminal(1, 1 << 17)}, {ENTRIES + 3: 1 << 29},
    {ENTRIES + 3: 2 << 30}, {ENTRIES + 3: 3 << 30},
], ids=str)
def test_a_guided_tree_refuses_what_cannot_be(changes):
    teller = searched(DRAWN, 1, 20_000)
    words = array("I", teller._core.tell(10**6))
    words[MOVE] = teller.stats().move
    assert (words[PROOF], words[DISTANCE], words[COUNT]) == (2, 6, len(words[ENTRIES:]) // 4)
    told = words.tobytes()
    check_refused(searched(DRAWN, 2, 20, **UNAIDED), changed(words, changes))
    hearer = searched(DRAWN, 2, 20, **UNAIDED)
    hearer._core.hear(told)
    assert hearer.stats().proven == "draw"


def test_what_contradicts_the_tree_is_refused():
    words = array("I", searched(DRAWN, 1, 20_000)._core.tell(10**6))
    proven = next(at for at in range(ENTRIES + 3, len(words), 4) if words[at])
    assert words[PROOF] == 2 and words[proven] >> 30 == 1
    for changes in ({PROOF: 3}, {proven: words[proven] & ~3}):
        check_refused(searched(DRAWN, 2, 20_000), changed(array("I", words), changes))
    # the hearer knows that column 3 wins for the player +1: another result, or moves after it
    hearer = searched(WIN_IN_ONE, 2, 400, preset="uct", fpu=0.5)
    words = array("I", searched(WIN_IN_ONE, 1, 400, preset="uct", fpu=0.5)._core.tell(2000))
    at = ENTRIES + 4 * list(words[ENTRIES::4]).index(3)
    for link in (terminal(0), terminal(1, 2), HAS_BLOCK):
        check_refused(hearer, changed(array("I", words), {at + 3: link}))


def test_values_are_heard_by_a_solver_only():
    told = searched(DRAWN, 1, 20_000)._core.tell()
    assert array("I", told)[PROOF] == 2
    check_refused(searched(DRAWN, 2, 20, solver=False), told)
    check_refused(searched(DRAWN, 2, 20, preset="uct"), told)


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_a_message_is_refused_wherever_it_is_cut(options):
    """Nothing of it is taken, also where the first blocks are whole."""
    words = array("I", searched(mc.ConnectFour(), 1, **options)._core.tell(40))
    hearer = searched(mc.ConnectFour(), 2, 100, **options)
    before = saved(hearer)
    for end in (*range(1, 40), *range(40, len(words), 37), len(words) - 1):
        with pytest.raises(ValueError, match="not a message of a search"):
            hearer._core.hear(words[:end].tobytes())
    with pytest.raises(ValueError, match="not a message of a search"):
        hearer._core.hear(words.tobytes() + bytes(4))
    assert saved(hearer) == before
    hearer._core.hear(words.tobytes())
    assert hearer.stats().visits == 1600


def test_blocks_in_blocks_have_an_end():
    deep = [HAS_BLOCK if at % 5 == 4 else 1 if at % 5 == 0 else 3 if at % 5 == 1 else 0 for at in range(5 * 5000)]
    words = array("I", searched(mc.ConnectFour(), 1)._core.tell(4000))
    check_refused(searched(mc.ConnectFour(), 2, 100), words[:6].tobytes() + array("I", [*deep, 0]).tobytes())


def test_there_must_be_a_search():
    engine = mc.Searcher()
    assert engine._core.tell() is None
    with pytest.raises(mc.NoSearch):
        engine._core.hear(bytes(24))
