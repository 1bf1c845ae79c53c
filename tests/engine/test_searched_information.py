"""The move that a search of hidden information plays."""

import mcts_core as mc


class Urns:
    """Three urns of equal worth; ``players`` is 2 for a search by means, 1 for one by maxima."""

    hidden_information, to_move = True, 0

    def __init__(self, players, opened=None):
        self.players, self.opened = players, opened

    def legal_moves(self):
        return ["first", "second", "third"]

    def play(self, move):
        return Urns(self.players, move)

    def returns(self):
        return None if self.opened is None else [0.5] * self.players

    def determinize(self, player, rng):
        return Urns(self.players)

    def observation_key(self, player):
        return self.opened


def test_equal_moves_are_drawn():
    """Six iterations visit each urn twice. The seed draws one of them; the statistics name the same one."""
    for players in (1, 2):
        played = []
        for seed in range(60):
            played.append(mc.search(Urns(players), iterations=6, seed=seed))
            stats = mc.stats()
            assert [entry.visits for entry in stats.moves] == [2, 2, 2]
            assert stats.move == played[-1] == mc.search(Urns(players), iterations=6, seed=seed)
        for move in ("first", "second", "third"):
            assert 5 <= played.count(move) <= 35


def test_the_most_visited_move_is_played():
    """With one iteration more, one urn has three visits: that one is played."""
    for seed in range(20):
        move = mc.search(Urns(2), iterations=7, seed=seed)
        assert {entry.move: entry.visits for entry in mc.stats().moves}[move] == 3
