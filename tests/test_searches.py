"""mcts_core/searches.py: what becomes of the positions that a feed gives, one after the other and side by side."""

import pytest
from general_games import flat

import mcts_core as mc
from mcts_core.searches import search_in_turn, search_side_by_side


class Chain:
    """Positions after one another: each is given when the search of the one before it has ended. ``lengths``: of each
    chain. Those of the chains in ``broken`` cannot be searched."""

    def __init__(self, lengths, broken=()):
        self.left = dict(enumerate(lengths))
        self.ready = list(self.left)
        self.broken = broken
        self.met, self.failed = [], []

    def next(self):
        if not self.ready:
            return None
        key = self.ready.pop(0)
        return key, "no state" if key in self.broken else mc.ConnectFour().play(key % 7), self.left[key]

    def read(self, core):
        return core.move, core.figures()["seed"]

    def done(self, key, found, error):
        if error is None:
            assert found[0] is not None and found[1] == self.left[key]
            self.met.append(key)
        else:
            self.failed.append((key, type(error)))
        self.left[key] -= 1
        if self.left[key] > 0:
            self.ready.append(key)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_in_turn_every_chain_comes_to_its_end(count):
    feed = Chain([3, 1, 4, 1, 5], broken=[3])
    search_in_turn(feed, [mc.Searcher(preset="uct") for _ in range(count)], None, 50)
    assert sorted(feed.met) == [0] * 3 + [1] + [2] * 4 + [4] * 5 and feed.failed == [(3, mc.InvalidState)]
    assert set(feed.left.values()) == {0}


@pytest.mark.needs("numpy")
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("together", [1, 2, 9])
def test_side_by_side_every_chain_comes_to_its_end(threads, together):
    feed, cores = Chain([3, 1, 4, 1, 5], broken=[0, 3]), []
    search_side_by_side(feed, mc.Searcher(evaluator=flat), 20, together, 5, threads, cores)
    assert sorted(feed.met) == [1] + [2] * 4 + [4] * 5
    assert sorted(feed.failed) == [(0, mc.InvalidState)] * 3 + [(3, mc.InvalidState)]
    assert len(cores) == min(5, together * (2 if threads > 1 else 1))


@pytest.mark.needs("numpy")
def test_what_a_feed_raises_ends_all():
    class Raising(Chain):
        def done(self, key, found, error):
            super().done(key, found, error)
            if len(self.met) == 3:
                raise KeyError("enough")

    cores = []
    for threads in (1, 3):
        with pytest.raises(KeyError, match="enough"):
            search_side_by_side(Raising([9] * 4), mc.Searcher(evaluator=flat), 20, 2, 4, threads, cores)
        with pytest.raises(KeyError, match="enough"):
            search_in_turn(Raising([9] * 4), [mc.Searcher() for _ in range(threads)], None, 20)
        feed = Chain([2] * 4)
        search_side_by_side(feed, mc.Searcher(evaluator=flat), 20, 2, 4, threads, cores)  # the cores are free again
        assert len(feed.met) == 8
