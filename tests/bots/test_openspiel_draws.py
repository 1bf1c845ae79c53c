"""Draws in games of OpenSpiel: they fit what a player knows, and depend on nothing else."""

import random
import time

import pyspiel
import pytest

import mcts_core as mc
from mcts_core.bots import openspiel, openspiel_draws
from mcts_core.bots.openspiel_draws import Draw, Known, view
from mcts_core.games.user_states import set_end

QUICK = ["battleship", "blackjack", "bridge(use_double_dummy_result=False)", "cribbage", "dark_hex(board_size=3)",
         "euchre", "go_fish", "hearts", "kriegspiel", "oh_hell", "phantom_ttt", "tiny_bridge_4p"]
SEEN = ["colored_trails", "coordinated_mp", "first_sealed_auction", "lewis_signaling", "sheriff", "social_deduction",
        "solitaire", "tiny_hanabi", "trade_comm"]
"""Games that are very short, or of which a player may see all."""


def played(text, moves, seed, deal=None):
    """A position of a random game in which a player is to move, after so many moves of players; None: it ended before.
    ``deal``: the first outcomes of chance."""
    position, chooser, dealt = pyspiel.load_game(text).new_initial_state(), random.Random(seed), list(deal or ())
    while not position.is_terminal():
        if position.is_chance_node():
            outcomes, weights = zip(*position.chance_outcomes(), strict=True)
            position.apply_action(dealt.pop(0) if dealt else chooser.choices(outcomes, weights)[0])
        elif moves == 0:
            return position
        else:
            position.apply_action(chooser.choice(position.legal_actions()))
            moves -= 1
    return None


def found(state, iterations=4):
    engine = mc.Searcher(seed=5)
    move = engine.search(state, iterations=iterations)
    stats = engine.stats()
    return move, stats.values, [(entry.move, entry.visits, entry.value) for entry in stats.moves]


def same_searches(text, depths, seeds):
    """Compares searches of real positions with those of other ones that look the same to the player; how many."""
    count = 0
    for seed in seeds:
        for depth in depths:
            position = played(text, depth, seed)
            if position is None:
                continue
            player, state = position.current_player(), openspiel.state(position)
            other = openspiel.state(state.determinize(player, random.Random(seed)).to_pyspiel())
            assert other.observation_key(player) == state.observation_key(player)
            assert other.legal_moves() == state.legal_moves()
            if other.moves != state.moves:
                count += 1
                assert found(other) == found(state), (state.moves, other.moves)
    return count


@pytest.mark.long
@pytest.mark.parametrize("text", QUICK)
def test_deals_that_look_alike_are_searched_alike(text):
    assert same_searches(text, [0, 1, 6, 12, 13], [0, 1]) >= 1


@pytest.mark.slow
@pytest.mark.parametrize("text", pyspiel.registered_names())
def test_in_every_game_deals_that_look_alike_are_searched_alike(text):
    try:
        state = openspiel.state(text, general=True)
    except mc.InvalidState:  # the next test counts them
        return
    if isinstance(state, openspiel.HiddenState) and text != "bridge":  # whose results of each deal take seconds
        assert same_searches(text, range(0, 60, 6), range(2)) >= (text not in SEEN)


def test_a_move_that_is_seen_leaves_no_choice_of_another_one():
    """The player who answers sees both offers at once; the first one is one of some 400."""
    for seed in (6, 10, 20):
        position = played("colored_trails", 2, seed)
        draw = Draw(Known(position.get_game(), position, 2), random.Random(seed), 5_000)
        assert view(draw.position(), 2) == view(position, 2)


def test_the_number_of_a_hidden_outcome_decides_nothing():
    """Player 0 sees the signal, 8, and not the role before it: 4 is an outcome of the signal as well, 32 is none."""
    one, other = (openspiel.state(played("social_deduction", 0, 1, [role, 8])) for role in (4, 32))
    assert one.observation_key(0) == other.observation_key(0)
    for seed in range(10):
        assert one.determinize(0, random.Random(seed)).moves == other.determinize(0, random.Random(seed)).moves


@pytest.mark.long
def test_games_with_hidden_information_are_searched_or_refused():
    """By what OpenSpiel 2.0 has, at least: a game that is refused says why."""
    kinds = {"searched": 0, "refused": 0}
    for text in pyspiel.registered_names():
        try:
            game = openspiel.as_game(text)
        except mc.InvalidState:  # it needs parameters
            continue
        if game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION:
            continue
        try:
            kinds["searched"] += isinstance(openspiel.state(game), openspiel.HiddenState)
        except mc.InvalidState as error:
            assert "cannot be searched: " in str(error)
            kinds["refused"] += 1
    assert kinds["searched"] >= 25 and kinds["refused"] >= 10


@pytest.mark.parametrize("text", ["hearts", "cribbage", "euchre", "oh_hell", "go_fish", "battleship"])
def test_draws_differ_from_the_real_deal_and_from_each_other(text):
    position = played(text, 5, 3)
    state, player = openspiel.state(position), position.current_player()
    made = [state.determinize(player, random.Random(seed)) for seed in range(5)]
    assert len({each.moves for each in made}) >= 4
    assert sum(each.moves == state.moves for each in made) <= 1


def test_the_order_of_the_players_own_cards_is_not_used():
    """Cribbage: the same six cards in another order, and another hand of the other player."""
    cards = [3, 50, 12, 7, 30, 21]
    one = played("cribbage", 0, 1, [*cards, 1, 2, 4, 5, 6, 8])
    other = played("cribbage", 0, 1, [*cards[::-1], 40, 41, 42, 43, 44, 45])
    assert view(one, 0) == view(other, 0)
    assert found(openspiel.state(one), 10) == found(openspiel.state(other), 10)


def test_cards_that_nobody_was_dealt_are_drawn_too():
    """Oh hell with two cards each, and euchre: the game's own draws give the others the same cards in another order."""
    for text, deal in (("oh_hell", [2, 0]), ("euchre", [])):
        position = played(text, 0, 1, deal)
        player = position.current_player()
        state = openspiel.state(position)
        made = {frozenset(state.determinize(player, random.Random(seed)).moves) for seed in range(20)}
        assert len(made) >= 15


def test_a_card_that_is_shown_later_belongs_to_its_player():
    """Cribbage after the first cards were played: the other player holds what he shows in each draw."""
    position = played("cribbage", 5, 2)
    player = position.current_player()
    shown = {step.action for step in position.full_history() if step.player == 1 - player and step.action < 52}
    assert shown
    for seed in range(5):
        made = openspiel.state(position).determinize(player, random.Random(seed))
        dealt = made.moves[:6] if player else made.moves[6:12]
        assert shown <= set(dealt)


@pytest.mark.parametrize("plain", [openspiel_draws.PLAIN, 0])
def test_the_dice_of_others_are_drawn_by_their_chances(plain, monkeypatch):
    """Liar's dice: another die may show what the player's own shows."""
    monkeypatch.setattr(openspiel_draws, "PLAIN", plain)
    for player, deal in ((0, [2, 4]), (1, [4, 2])):
        position = played("liars_dice", player, 1, deal)
        known = Known(position.get_game(), position, player)
        drawn = [Draw(known, random.Random(seed)).position().history()[1 - player] for seed in range(600)]
        counts = [drawn.count(number) for number in range(6)]
        assert sum(counts) == 600 and min(counts) > 65


def test_where_no_position_is_found_an_error_says_so():
    position = played("euchre", 10, 1)
    known = Known(position.get_game(), position, position.current_player())
    with pytest.raises(mc.GameError, match=r"no position was found that fits what player \d knows after \d+ moves of "
                                           r"'euchre.*, in 20 tries: search another position, or write a state"):
        Draw(known, random.Random(1), most=20).position()


def test_a_search_raises_the_error_of_its_draws(monkeypatch):
    monkeypatch.setattr(openspiel_draws.Draw.__init__, "__defaults__", (20,))
    with pytest.raises(mc.GameError, match="no position was found that fits"):
        mc.search(openspiel.state(played("euchre", 10, 1)), iterations=5, seed=1)


def test_a_position_of_another_game_is_refused():
    game = pyspiel.load_game("dark_hex(board_size=2)")
    position = game.new_initial_state()
    position.apply_action(0)
    with pytest.raises(mc.GameError, match="must be reached from the first one of the game"):
        Known(pyspiel.load_game("phantom_ttt"), position, position.current_player())


@pytest.mark.long
def test_a_draw_ends_with_the_time_of_its_search():
    position = played("battleship", 60, 1)
    player = position.current_player()
    known = Known(position.get_game(), position, player)
    before = set_end(0.0)
    try:
        with pytest.raises(mc.OutOfTime, match="within the time of the search: give it more time"):
            for seed in range(50):
                Draw(known, random.Random(seed)).position()
        with pytest.raises(mc.OutOfTime):
            Known(position.get_game(), position, player)
    finally:
        set_end(before)
    Draw(known, random.Random(1)).position()


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.001, 0.02, 0.2])
@pytest.mark.parametrize(("text", "depth"), [("battleship", 70), ("kriegspiel", 40), ("bridge", 0), ("go_fish", 30)])
def test_no_draw_makes_a_search_late(text, depth, seconds):
    state = openspiel.state(played(text, depth, 1))
    late = []
    for _ in range(5):
        begin = time.perf_counter()
        try:
            mc.search(state, seconds)
        except mc.OutOfTime:  # not even the first draw was found
            pass
        late.append(time.perf_counter() - begin - max(seconds, 0.25))
    assert sorted(late)[2] < 0.05


def test_an_interrupted_draw_leaves_nothing_behind():
    position = played("battleship", 40, 1)
    state, player = openspiel.state(position), position.current_player()

    class Interrupting(random.Random):
        left = 30

        def random(self):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
            return super().random()

    wanted = openspiel.state(position).determinize(player, random.Random(1))
    with pytest.raises(KeyboardInterrupt):
        for seed in range(50):
            state.determinize(player, Interrupting(seed))
    assert state.determinize(player, random.Random(1)) == wanted


@pytest.mark.long
def test_check_game_finds_nothing():
    for text in ("euchre", "leduc_poker", "phantom_ttt"):
        report = mc.check_game(openspiel.state(played(text, 0, 1)), 3, seconds=20)
        assert report.ok, str(report)
