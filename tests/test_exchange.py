"""What several searches of one position tell each other."""

import random

import pytest

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
        engine._seed = None  # so that the same position is gone on with
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
        engine._seed = None
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
            engine._seed = None
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


def test_a_tree_without_a_block_at_the_root_counts_the_visits():
    one, two = searched(mc.Gomoku(), 1, 5, preset="uct"), searched(mc.Gomoku(), 2, 2000, preset="uct")
    one._core.hear(two._core.tell())
    assert one.stats().visits == 2005
    assert sum(visits for visits, _ in figures(one).values()) == 5


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_what_is_no_message_is_refused_and_does_no_harm(options):
    state = mc.ConnectFour()
    message = searched(state, 1, **options)._core.tell(4)
    choice = random.Random(1)
    refused = 0
    for number in range(400):
        engine = searched(state, 2, 100, **options)
        engine._seed = None
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


def test_there_must_be_a_search():
    engine = mc.Searcher()
    assert engine._core.tell() is None
    with pytest.raises(mc.NoSearch):
        engine._core.hear(bytes(24))
