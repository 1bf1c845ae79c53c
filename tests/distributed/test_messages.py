"""mcts_core/distributed/messages.py: the moves of a user's game have other numbers in every search."""

import pickle
from array import array

import pytest
from paper_game import Paper

import mcts_core as mc
from mcts_core.distributed.messages import dumps, hear, tell
from mcts_core.tree.exchange import renumbered

HEADER, ENTRY, HAS_BLOCK, NO_MOVE = 6, 4, 1, 0xFFFFFFFF  # src/mcts_core/tree/exchange.pxd


class Shuffled:
    """Columns of Connect Four under names of which each position has its own."""

    def __init__(self, state):
        self.state, self.to_move = state, state.to_move

    def __eq__(self, other):
        return self.state == other.state

    def __hash__(self):
        return hash(self.state)

    def legal_moves(self):
        return [(self.state.moves, column) for column in self.state.legal_moves()]

    def play(self, move):
        assert move[0] == self.state.moves
        return Shuffled(self.state.play(move[1]))

    def winner(self):
        return self.state.winner()


def searched(state, seed, iterations=700, **options):
    engine = mc.Searcher(seed=seed, solver=False, **options)
    engine.search(state, iterations=iterations)
    return engine


def blocks(words, names):
    """{path: visits} of a message of a user's game."""
    found, at = {}, HEADER

    def block(path):
        nonlocal at
        count = words[at]
        at += 1
        for _ in range(count):
            move, visits, _, link = words[at:at + ENTRY]
            at += ENTRY
            found[(*path, names[move])] = visits
            if link == HAS_BLOCK:
                block((*path, names[move]))

    block(())
    assert at == len(words)
    return found


def moves_of(words):
    """The moves of a message, in their order."""
    found = []
    renumbered(array("I", words).tobytes(), lambda move: found.append(move) or move)
    return found


def told_by(engine):
    message, names = pickle.loads(tell(engine._core, 1))
    return blocks(array("I", message), names)


def visits_of(node, path=()):
    """{path: visits} below a node of ``Stats.tree``."""
    found = {}
    for child in node.children:
        found[(*path, child.move)] = child.visits
        found |= visits_of(child, (*path, child.move))
    return found


@pytest.mark.parametrize("options", [{"preset": "uct"}, {}, {"selection": "grave"}], ids=str)
def test_the_statistics_of_a_move_go_to_that_move(options):
    state = Shuffled(mc.ConnectFour.from_moves("4412", base=1))
    one, two = (searched(state, seed, **options) for seed in (3, 4))
    assert one._core.names[:7] == two._core.names[:7] and one._core.names != two._core.names
    before, other = visits_of(one.tree(100, 0)), told_by(searched(state, 4, **options))
    hear(one._core, tell(two._core, 1))
    after = visits_of(one.tree(100, 0))
    assert before.keys() <= after.keys() and len([path for path in after if len(path) > 2 and path in other]) >= 5
    for path, visits in after.items():
        assert visits == before.get(path, 0) + other.get(path, 0)
    # what was heard is no news of one's own
    assert told_by(one) == told_by(searched(state, 3, **options))
    assert not any(told_by(one).values())


def test_moves_that_nobody_met_are_left_out():
    one, two = (searched(Paper({"root": (1, {move: move for move in "abc"}), "a": 1, "b": 0, "c": -1}), seed, 50)
                for seed in (1, 2))
    message, names = pickle.loads(tell(one._core, 1))
    visits = two.stats().visits
    hear(two._core, dumps((message, ["z" if name == "b" else name for name in names])))
    assert two.stats().visits == visits + 50
    mine = {entry.move: entry.visits for entry in searched(
        Paper({"root": (1, {move: move for move in "abc"}), "a": 1, "b": 0, "c": -1}), 2, 50).stats().moves}
    assert {entry.move: entry.visits for entry in two.stats().moves}["b"] == mine["b"]


def test_what_is_no_message_is_refused():
    one, two = (searched(Shuffled(mc.ConnectFour()), seed) for seed in (1, 2))
    message, names = pickle.loads(tell(one._core, 1))
    before = two.stats()
    for broken in ((message, names[:-1]), (message[:20], names), (message[:-4], names), (message[:24], names),
                   (b"", names)):
        with pytest.raises(ValueError, match="not a message of a search"):
            hear(two._core, dumps(broken))
    assert two.stats() == before


def test_messages_of_native_games_go_as_they_are():
    engine = searched(mc.ConnectFour(), 1)
    message = tell(engine._core, 1)
    words = array("I", message)
    assert words[1] == 700 and renumbered(message, lambda move: move) == message
    found = moves_of(words)
    assert len(found) > 50 and all(move < 7 for move in found)
    shifted = array("I", renumbered(message, lambda move: move + 100))
    assert [word - words[at] for at, word in enumerate(shifted) if word != words[at]] == [100] * len(found)
    other = searched(mc.ConnectFour(), 2)
    hear(other._core, message)
    assert other.stats().visits == 1400


@pytest.mark.parametrize("message", [b"", b"abcd" * 10, b"\x80"])
def test_what_is_no_message(message):
    engine = searched(mc.ConnectFour(), 1)
    before = engine.stats()
    with pytest.raises(ValueError, match="message"):
        hear(engine._core, message)
    assert engine.stats().moves == before.moves


def test_empty_blocks():
    assert moves_of([0] * HEADER) == []
    assert moves_of([0] * HEADER + [0]) == []
    one = [5, 1, 2, 0]
    assert moves_of([0] * HEADER + [1, *one]) == [5]
    assert moves_of([0] * HEADER + [2, 3, 1, 2, HAS_BLOCK, 0, *one]) == [3, 5]
    assert moves_of([0, 0, 0, 1, 9, 4, 0]) == [4] and moves_of([0, 0, 0, 1, 9, NO_MOVE, 0]) == []  # of a proof
    with pytest.raises(ValueError, match="ends too early"):
        moves_of([0] * HEADER + [1, *one[:-1]])


def test_a_search_that_runs_neither_tells_nor_hears():
    engine = searched(mc.ConnectFour(), 1)
    told = engine._core.tell(1)
    with engine.pondering(mc.ConnectFour()):
        with pytest.raises(mc.SearchBusy, match="it can send its statistics afterwards"):
            engine._core.tell(1)
        with pytest.raises(mc.SearchBusy, match="it can receive the statistics of others afterwards"):
            engine._core.hear(told)
