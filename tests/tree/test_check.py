"""src/mcts_core/tree/check.pyx: sound trees pass, and every kind of damage is named."""

import struct

import pytest
from saved_files import GAMES, OPTIONS, THREADS, load, put_together, saved, take_apart
from signature import Subtract

import mcts_core as mc
from mcts_core.testing.probe import check_tree


class Equal(Subtract):
    """A Python-written game whose trees can be used again."""

    def play(self, move):
        return Equal(self.stones - move, -self.to_move)

    def __eq__(self, other):
        return type(other) is Equal and (self.stones, self.to_move) == (other.stones, other.to_move)

    __hash__ = None

    def __repr__(self):
        return f"Equal({self.stones})"


STATES = [*GAMES, mc.MNK(32, 32, 6), Equal()]
SOUND = [pytest.param(state, options, marks=[] if options in ({}, {"preset": "uct"}, *THREADS) or state in STATES[::2]
                      else pytest.mark.slow)
         for options in [*OPTIONS, *THREADS, {"symmetry": True}] for state in STATES]


@pytest.mark.parametrize(("state", "options"), SOUND, ids=lambda value: repr(value)[:60])
def test_trees_are_sound(state, options):
    """Full ones, small ones that were pruned, and what is left of them below another root."""
    slow = isinstance(state, Equal) or state == mc.MNK(32, 32, 6)
    if isinstance(state, Equal) and "threads" in options:
        options = {}
    for memory in (16, options.get("threads", 1)):
        engine, position = mc.Searcher(seed=5, memory_mb=memory, **options), state
        for turn in range(3):
            engine.search(position, iterations=150 if slow else 800 if memory > 2 or turn else 6000)
            stats = engine.stats()
            found = check_tree(engine)
            assert found["bytes"] // found["units"] * (found["units"] + found["free_units"]) <= stats.bytes
            assert 0 <= found["depth"] <= 1 + stats.visits and found["blocks"] <= found["units"]
            if options == {"preset": "uct"} and not stats.prunes and not turn:
                assert found["nodes"] == stats.nodes
            position = position.play(stats.move)
            if position.winner() is not None:
                break
    assert engine.stats().visits >= 1


@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_a_pruned_tree_is_sound_and_whole(options):
    uct = "preset" in options
    engine = mc.Searcher(seed=1, memory_mb=1, **options, **({} if uct else {"expand_after": 1}))
    engine.search(mc.ConnectFour() if uct else mc.Gomoku(9), iterations=200_000 if uct else 10_000)
    assert engine.stats().prunes > 0
    check_tree(engine)
    saved(engine)  # moves it together
    found = check_tree(engine, whole=True)
    assert found["free_units"] == 0 and found["bytes"] <= engine.stats().bytes


def test_without_a_search_there_is_no_tree():
    assert check_tree(mc.Searcher()) is None


def test_a_tree_that_is_in_use_is_not_checked():
    engine = mc.Searcher(memory_mb=8)
    with engine.pondering(mc.Gomoku(15)):
        with pytest.raises(mc.SearchBusy):
            check_tree(engine)
    assert check_tree(engine)["nodes"] > 0


# ---- damage ----------------------------------------------------------------------------------------------------------

# A narrow block of Connect Four, in words: visits[7] parent wins[7] info link[7] best_link.
VISITS, PARENT, WINS, INFO, LINK, BEST = 0, 7, 8, 15, 16, 23
UNIT = 24


def word(trees, at):
    return struct.unpack_from("<I", trees, 4 * at)[0]


def refused(engine, change):
    """The fault that a changed copy of the engine's tree has."""
    header, trees = take_apart(saved(engine))
    before = bytes(trees)
    change(header, trees)
    assert bytes(trees) != before
    with pytest.raises(mc.InvalidFile, match="damaged: ") as caught:
        load(put_together(header, trees))
    return str(caught.value).split("damaged: ")[1].split(" (record")[0]


def set_word(at, value):
    """Sets a word, to ``value`` or to what that makes of it."""
    def change(header, trees):
        old = word(trees, at)
        struct.pack_into("<I", trees, 4 * at, value(old) & 0xFFFFFFFF if callable(value) else value)

    return change


ROOT = UNIT  # the first block after the one above the root


@pytest.mark.parametrize(("change", "fault"), [
    (set_word(ROOT + VISITS, lambda n: n + 100_000), "a child has more visits than its node"),
    (set_word(ROOT + VISITS, 0), "a child has impossible wins"),
    (set_word(ROOT + VISITS, 0x7FFFFFFF), "a block has visits for a move that is not legal, or none for one that is"),
    (set_word(ROOT + VISITS, 0x80000000), "a child has more visits than its node"),
    (set_word(ROOT + WINS, 0xFFFFFFFF), "a child has impossible wins"),
    (set_word(ROOT + WINS + 3, 100_000), "a child has impossible wins"),
    (set_word(ROOT + PARENT, 5), "a block does not know its parent"),
    (set_word(ROOT + INFO, lambda info: info ^ 4), "a block does not know its parent"),
    (set_word(ROOT + INFO, lambda info: info ^ 2), "a block has the wrong player"),
    (set_word(ROOT + LINK, 0xC0000000), "a block does not know its parent"),
    (set_word(ROOT + LINK, 0xC0000001), "a block does not know its parent"),
    (set_word(ROOT + LINK, 0xC7FFFFFF), "a link leads out of the tree"),
    (set_word(ROOT + LINK, lambda link: link | 1 << 28), "a link leads out of the tree"),
    (set_word(ROOT + LINK, 0x80000005), "a link leads to a mini in a tree that has none"),
    (set_word(ROOT + LINK, 0x40000003), "a terminal link has an impossible result"),
    (set_word(ROOT + LINK, 0x40000002), "a terminal link stands where the game goes on"),
    (set_word(ROOT + LINK, 0x00010000), "a leaf keeps results but has none"),
    (set_word(ROOT + LINK, 0x00100001), "a link is of no kind that there is"),
    (set_word(ROOT + LINK, 0x00014000), "a leaf has a result where there is no slot"),
    (set_word(ROOT + LINK, 0x00010001), "a leaf did not try its moves in order"),
    (set_word(ROOT + LINK, 0x00020040), "the cursor of a leaf is not at its next move"),
    (set_word(ROOT + LINK, 0x00010040), "the tree has memory that no link leads to"),
    (set_word(ROOT + BEST, lambda link: link ^ 1 << 27), "the best link of a block is not that of its best child"),
    (set_word(ROOT + BEST, lambda link: link | 7 << 27), "the best child of a block is none"),
    (set_word(VISITS, lambda n: n + 1), "the visits of the root are not those of its searches"),
    (set_word(VISITS + 1, 1), "the tree has no beginning"),
    (set_word(WINS, 0xFFFFFFFF), "a child has impossible wins"),
    (set_word(INFO, 0), "the tree has no beginning"),
    (set_word(LINK, 0), "the best link of a block is not that of its best child"),
    (set_word(LINK, 0x40000001), "the root has an impossible link"),
])
def test_damage_of_a_narrow_tree(change, fault):
    engine = mc.Searcher(preset="uct", seed=2)
    engine.search(mc.ConnectFour(), iterations=500)
    assert all(entry.visits > 8 for entry in engine.stats().moves)
    assert refused(engine, change) == fault


def test_a_finished_game_must_be_terminal():
    """A game that is over has no moves to search, so no link may go beyond it."""
    engine = mc.Searcher(preset="uct", seed=2)
    engine.search(mc.ConnectFour.from_moves("001122"), iterations=2000)  # 3 wins at once

    def go_on(header, trees):
        assert word(trees, ROOT + LINK + 3) == 0x40000002
        struct.pack_into("<I", trees, 4 * (ROOT + LINK + 3), 0)
        if word(trees, ROOT + BEST) == 0x40000002 | 3 << 27:
            struct.pack_into("<I", trees, 4 * (ROOT + BEST), 3 << 27)

    def lose(header, trees):
        struct.pack_into("<I", trees, 4 * (ROOT + LINK + 3), 0x40000000)

    assert refused(engine, go_on) == "the game is over where no terminal link stands"
    assert refused(engine, lose) == "a terminal link has the wrong result"


# A wide block, in bytes: best_link parent best parent_slot capacity count sign spare ..., then the columns; a
# guided block: best_link visits amaf best capacity count sign flags rest spare ...
HEADER = 32


def root_of(trees):
    """The offset of the root's block of a wide or guided tree, whose link is the first of block 0."""
    return (struct.unpack_from("<I", trees, HEADER + 2 * 4 * 8)[0] & 0x3FFFFFFF) * 64


def at_root(offset, form, value):
    """Writes ``value`` at an offset from the root's block."""
    def change(header, trees):
        at = root_of(trees) + offset
        old, = struct.unpack_from(form, trees, at)
        struct.pack_into(form, trees, at, value(old) if callable(value) else value)

    return change


def column(number, slot, capacity):
    return HEADER + 4 * (number * capacity + slot)


@pytest.mark.parametrize(("change", "fault"), [
    (at_root(12, "<H", 80), "a block has an impossible number of slots"),
    (at_root(14, "<H", 80), "a block has an impossible number of slots"),
    (at_root(14, "<H", 0), "a block has an impossible number of slots"),
    (at_root(16, "<b", 0), "a block has no player"),
    (at_root(16, "<b", lambda sign: -sign), "a block has the wrong player"),
    (at_root(17, "<B", 1), "a block has something where there should be nothing"),
    (at_root(20, "<I", 1), "a block has something where there should be nothing"),
    (at_root(4, "<I", 4), "a block does not know its parent"),
    (at_root(8, "<H", 81), "the best child of a block is none"),
    (at_root(0, "<I", 0x3FFFFFFF), "the best link of a block is not that of its best child"),
    (at_root(column(0, 81, 88), "<I", 1), "a slot without a move is not empty"),
    (at_root(column(1, 5, 88), "<i", -1), "a child has impossible wins"),
    (at_root(column(2, 5, 88), "<I", 0x00000040), "a link is of no kind that there is"),
    (at_root(column(2, 5, 88), "<I", 0xBFFFFFFF), "a link leads out of the tree"),
    (at_root(column(2, 5, 88), "<I", 0x80000000), "a mini has an impossible number of slots"),
    (at_root(column(3, 5, 88), "<f", 0.77), "a kept mean is not that of its wins and visits"),
    (at_root(column(3, 5, 88), "<f", float("nan")), "a kept mean is not that of its wins and visits"),
    (at_root(column(4, 5, 88), "<f", float("inf")), "a kept root is not that of its visits"),
])
def test_damage_of_a_wide_tree(change, fault):
    engine = mc.Searcher(preset="uct", seed=2)
    engine.search(mc.Gomoku(9), iterations=2000)
    assert refused(engine, change) == fault


@pytest.mark.parametrize(("rollouts", "size"), [(1, 21), (3, 81)])
def test_damage_of_a_mini(rollouts, size):
    """The root itself, few of whose moves were tried: cursor, count, results."""
    engine = mc.Searcher(preset="uct", seed=2, rollouts_per_leaf=rollouts)
    engine.search(mc.Gomoku(9), iterations=5)

    def at(offset, form, value):
        return at_root(offset, form, value)

    assert refused(engine, at(0, "<H", 6)) == "the cursor of a leaf is not at its next move"
    assert refused(engine, at(0, "<H", 0xFFFF)) == "the cursor of a leaf is not at its next move"
    assert refused(engine, at(2, "<H", 80)) == "a mini has an impossible number of slots"
    assert refused(engine, at(2, "<H", 0)) == "a mini has an impossible number of slots"
    assert refused(engine, at(4, "<B", lambda old: old ^ 1)) in (
        "a leaf did not try its moves in order", "a leaf tried more moves than it has visits")
    if rollouts == 3:
        assert refused(engine, at(4 + 40, "<B", 9)) == "a leaf has an impossible result"
        assert refused(engine, at(4 + 40, "<B", 0)) == "a leaf did not try its moves in order"


@pytest.mark.parametrize(("at", "value", "fault"), [
    (1, lambda count: count + 1, "an exchange record does not match the tree"),
    (1, 0xFFFFFFFF, "an exchange record does not match the tree"),
    (2, lambda move: move ^ 1, "an exchange record does not match the tree"),
    (3, 0xFFFFFFF, "an exchange record has impossible visits or values"),
    (4, 0x80000000, "an exchange record has impossible visits or values"),
    (5, 0xFFFFFFFE, "an exchange record is missing, out of range or too deep"),
    (5, 1, "an exchange record has impossible visits or values"),
    (5, 0, "an exchange record does not match the tree"),
])
def test_damage_of_what_threads_know(at, value, fault):
    """Words of the first thread's record of the root: its number of slots, then move, visits, wins and the record of
    the first child."""
    engine = mc.Searcher(preset="uct", seed=2, threads=2, exchange_every=64)
    engine.search(mc.ConnectFour(), iterations=4000)

    def change(header, trees):
        begin = sum(tree["bytes"] for tree in header["search"]["trees"])
        assert header["search"]["trees"][0]["known"]["root"] == 1 and word(trees, begin // 4 + 1) == 7
        assert word(trees, begin // 4 + 5) > 1
        set_word(begin // 4 + at, value)(header, trees)

    assert refused(engine, change) == fault


GRAVE = {"selection": "grave", "rollout": "decisive", "solver": True}


@pytest.mark.parametrize(("options", "change", "fault"), [
    ({}, at_root(4, "<I", lambda n: n + 1), "a block has more visits than its node"),
    ({}, at_root(8, "<I", 7), "a block has something where there should be nothing"),
    ({}, at_root(12, "<H", 50), "the best child of a block is none"),
    ({}, at_root(14, "<H", 4000), "a block has an impossible number of slots"),
    ({}, at_root(18, "<b", 3), "a block has no player"),
    ({}, at_root(18, "<b", lambda sign: -sign), "a block has the wrong player"),
    ({}, at_root(19, "<B", 128), "a block has something where there should be nothing"),
    ({}, at_root(30, "<H", 1), "a block has something where there should be nothing"),
    ({}, at_root(column(0, 0, 8), "<I", 1 << 30), "a child has more visits than its node"),
    ({}, at_root(column(0, 7, 8), "<I", 1), "a slot without a move is not empty"),
    ({}, at_root(column(1, 0, 8), "<i", -1), "a child has impossible wins"),
    ({}, at_root(column(2, 0, 8), "<I", 0x00000001), "a link is of no kind that there is"),
    ({}, at_root(column(2, 0, 8), "<I", 0x80000001), "a link is of no kind that there is"),
    ({}, at_root(column(2, 0, 8), "<I", 0xFFFFFFFF), "a link leads out of the tree"),
    ({}, at_root(column(2, 0, 8), "<I", 0x40080000), "a terminal link has an impossible result"),
    ({}, at_root(column(2, 0, 8), "<I", 0x40000003), "a terminal link has an impossible result"),
    ({"solver": False}, at_root(column(2, 0, 8), "<I", 0x40000002), "a terminal link stands where the game goes on"),
    ({}, at_root(column(3, 0, 8), "<I", 7), "a block has a move that there is not"),
    ({}, at_root(column(3, 0, 8), "<I", lambda move: 6 - move if move != 3 else 0),
     "a block has a move that is not legal, or one twice"),
    ({}, at_root(column(4, 0, 8), "<f", float("nan")), "a prior is impossible"),
    ({}, at_root(column(4, 0, 8), "<f", 1e9), "a prior is impossible"),
    ({}, at_root(column(4, 0, 8), "<f", -1e30), "a child is excluded that is not lost"),
    ({"selection": "ucb1-tuned"}, at_root(column(5, 0, 8), "<I", 1 << 31),
     "a child has an impossible sum of squares"),
    ({"selection": "rave"}, at_root(column(5, 0, 8), "<I", 42), "a child has an action that there is not"),
    ({"selection": "rave"}, at_root(column(6, 0, 8), "<f", 0.5), "AMAF statistics are impossible"),
    ({"selection": "rave"}, at_root(column(6, 0, 8), "<f", float("inf")), "AMAF statistics are impossible"),
    ({"selection": "rave"}, at_root(column(7, 0, 8), "<f", float("nan")), "AMAF statistics are impossible"),
    ({"selection": "rave"}, at_root(column(7, 7, 8), "<f", 1.0), "a slot without a move is not empty"),
    (GRAVE, at_root(8, "<I", 0), "the root has no AMAF statistics"),
    (GRAVE, at_root(8, "<I", 0xFFFFFFF), "two records overlap, or one ends outside of the tree"),
    (GRAVE, at_root(8, "<I", 1), "two records overlap, or one ends outside of the tree"),
])
def test_damage_of_a_guided_tree(options, change, fault):
    engine = mc.Searcher(seed=2, root_proofs=0, node_proofs=0, **options)
    engine.search(mc.ConnectFour(), iterations=500)
    assert refused(engine, change) == fault


def test_records_must_not_overlap():
    """Two children of the root of a wide tree that share their results."""
    engine = mc.Searcher(preset="uct", seed=2)
    engine.search(mc.Gomoku(9), iterations=2000)

    def share(header, trees):
        links = [struct.unpack_from("<I", trees, root_of(trees) + column(2, slot, 88))[0] for slot in range(81)]
        minis = [slot for slot, link in enumerate(links) if link >> 30 == 2]
        struct.pack_into("<I", trees, root_of(trees) + column(2, minis[1], 88), links[minis[0]])
        best, = struct.unpack_from("<H", trees, root_of(trees) + 8)
        struct.pack_into("<I", trees, root_of(trees), links[minis[0]] if best == minis[1] else links[best])

    assert refused(engine, share) == "two records overlap, or one ends outside of the tree"
