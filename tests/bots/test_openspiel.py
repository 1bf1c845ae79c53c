import copy
import doctest
import importlib
import pathlib
import pickle
import random
import re
import subprocess
import sys

import numpy
import pyspiel
import pytest

import mcts_core as mc
from mcts_core.bots import openspiel, openspiel_draws
from mcts_core.bots.openspiel import GeneralState, HiddenState, OrdinaryState, Rules

FIGURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "figures"

ORDINARY = [
    "breakthrough(rows=5,columns=4)", "othello", "hex(board_size=4)", "nim", "oware", "mancala", "clobber",
    "dots_and_boxes", "go(board_size=4,max_game_length=40)", "ultimate_tic_tac_toe", "y(board_size=4)",
    "misere(game=tic_tac_toe())",
]
GENERAL = [
    "backgammon", "2048", "catch", "pig(players=3,winscore=20)", "einstein_wurfelt_nicht", "cliff_walking",
    "chinese_checkers(players=3,max_moves=10)", "dots_and_boxes(utility_margin=True)",
]
NATIVE = {
    "connect_four": mc.ConnectFour(),
    "connect_four(rows=4,columns=6,x_in_row=3)": mc.ConnectFour(4, 6, 3),
    "tic_tac_toe": mc.TicTacToe(),
    "mnk": mc.MNK(15, 15, 5),
    "mnk(m=7,n=3,k=3)": mc.MNK(7, 3, 3),
    "gomoku": mc.Gomoku(),
    "gomoku(size=7,connect=4)": mc.MNK(7, 7, 4),
}


def draw(outcomes, chooser):
    moves, weights = zip(*outcomes, strict=True)
    return chooser.choices(moves, weights)[0]


def follow(state, position, chooser, searches):
    """Plays to the end, the first moves by searches, and compares both on the way. Returns the last state."""
    engine = mc.Searcher(seed=1)
    while not position.is_terminal():
        assert state.legal_moves() == position.legal_actions()
        assert state.moves == tuple(position.history())
        if position.is_chance_node():
            assert state.to_move == mc.CHANCE
            assert state.chance_outcomes() == position.chance_outcomes()
            move = draw(state.chance_outcomes(), chooser)
        else:
            player = position.current_player()
            assert state.to_move == (player if isinstance(state, GeneralState) else 1 - 2 * player)
            move = chooser.choice(state.legal_moves())
            if searches > 0:
                searches -= 1
                move = engine.search(state, iterations=3)
                assert move in position.legal_actions()
        position.apply_action(move)
        state = state.play(move)
    assert state.legal_moves() == []
    return state


@pytest.mark.parametrize("text", ORDINARY)
def test_games_of_win_loss_and_draw(text):
    game = pyspiel.load_game(text)
    for seed in range(2):
        state, position = openspiel.state(game), game.new_initial_state()
        assert type(state) is OrdinaryState and state.winner() is None
        state = follow(state, position, random.Random(seed), 2)
        assert [state.winner(), -state.winner()] == position.returns()
        assert state.to_move == (-1 if position.full_history()[-1].player == 0 else 1)
        with pytest.raises(mc.GameOver, match="is over"):
            mc.search(state, iterations=1)


@pytest.mark.parametrize("text", GENERAL)
def test_general_games(text):
    game = pyspiel.load_game(text)
    low, high = game.min_utility(), game.max_utility()
    state, position = openspiel.state(game), game.new_initial_state()
    assert type(state) is GeneralState and state.returns() is None and state.players == game.num_players()
    state = follow(state, position, random.Random(1), 2)
    assert state.to_move is None
    assert state.returns() == pytest.approx([(utility - low) / (high - low) for utility in position.returns()])
    with pytest.raises(mc.GameOver, match="is over"):
        mc.search(state, iterations=1)


@pytest.mark.parametrize("text", NATIVE)
def test_native_games(text):
    game = pyspiel.load_game(text)
    begin = openspiel.state(game)
    assert type(begin) is type(NATIVE[text]) and begin == NATIVE[text]
    for seed in range(10):
        position = game.new_initial_state()
        chooser = random.Random(seed)
        state = follow(begin, position, chooser, 0)
        assert [state.winner(), -state.winner()] == position.returns()
        assert openspiel.state(position) == state and openspiel.state(position).moves == state.moves


@pytest.mark.parametrize(("text", "moves"), [
    ("gomoku(size=7,connect=3)", [0, 14, 1, 16, 3, 28, 4, 30, 2]),
    ("mnk(m=7,n=5,k=3)", [0, 14, 1, 16, 3, 28, 4, 30, 2]),
    ("connect_four(x_in_row=3)", [0, 0, 1, 1, 3, 3, 4, 4, 2]),
])
def test_lines_that_are_longer_win_in_both(text, moves):
    position = pyspiel.load_game(text).new_initial_state()
    for move in moves:
        position.apply_action(move)
    state = openspiel.state(position)
    assert isinstance(state, mc.ConnectFour | mc.MNK) and state.moves == tuple(moves)
    assert position.returns() == [1.0, -1.0] and state.winner() == 1


@pytest.mark.parametrize("text", [
    "gomoku(wrap=True)", "gomoku(anti=True)", "gomoku(size=5,dims=3)", "mnk(m=40,n=40,k=5)", "mnk(m=2,n=2,k=3)",
    "connect_four(rows=20,columns=20)", "misere(game=connect_four())",
])
def test_games_that_are_not_quite_native(text):
    state = openspiel.state(text)
    assert type(state) is OrdinaryState
    assert state.legal_moves() == pyspiel.load_game(text).new_initial_state().legal_actions()


def test_native_may_be_refused():
    state = openspiel.state("tic_tac_toe", native=False)
    assert type(state) is OrdinaryState
    assert mc.search(state.play(0).play(3).play(1).play(4), iterations=50, seed=1) == 2
    assert mc.stats().proven == "win"
    assert type(openspiel.state("tic_tac_toe", general=True)) is GeneralState
    assert type(openspiel.state("tic_tac_toe", utility_range=(-1, 1))) is GeneralState


def test_a_start_of_ones_own_is_kept():
    game = pyspiel.load_game("tic_tac_toe")
    begun = game.new_initial_state()
    for move in (0, 3, 1, 4):
        begun.apply_action(move)
    position = game.new_initial_state(begun.to_json())
    assert position.history() == []
    state = openspiel.state(position)
    assert type(state) is OrdinaryState and state.legal_moves() == [2, 5, 6, 7, 8]
    assert state != openspiel.state(game, native=False)
    assert mc.search(state, iterations=50, seed=1) == 2
    again = pickle.loads(pickle.dumps(state))
    assert again == state and str(again) == str(state)
    assert openspiel.state("chess") != openspiel.state(
        pyspiel.load_game("chess").new_initial_state("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"))


def test_moves_have_the_names_of_openspiel():
    state = openspiel.state("hex(board_size=4)")
    position = state.to_pyspiel()
    assert [state.name(move) for move in state.legal_moves()] == [
        position.action_to_string(move) for move in position.legal_actions()]
    move = mc.search(state, iterations=50, seed=1)
    assert str(mc.stats()).startswith(f"move {state.name(move)} (number {move})  ")
    dice = openspiel.state("pig(winscore=9)").play(0)
    assert dice.to_move == mc.CHANCE and dice.name(dice.legal_moves()[0]) == "Roll 1"


def test_the_source_is_copied():
    position = pyspiel.load_game("hex(board_size=4)").new_initial_state()
    state = openspiel.state(position)
    position.apply_action(0)
    assert state.moves == () and 0 in state.legal_moves()
    copied = state.to_pyspiel()
    copied.apply_action(5)
    state.legal_moves().clear()
    assert state.moves == () and len(state.legal_moves()) == 16


@pytest.mark.parametrize("text", ["breakthrough(rows=5,columns=4)", "pig(winscore=9)"])
def test_states_are_values(text):
    begin = openspiel.state(text)
    first, second, *_ = begin.legal_moves()
    state, same, other = begin.play(first), begin.play(first), begin.play(second)
    assert state == same and hash(state) == hash(same) and state is not same
    assert state != other and state != begin and state != text
    assert begin.moves == () and state.moves == (first,)
    assert openspiel.state(state.to_pyspiel()) == state
    for again in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
        assert again == state and again.legal_moves() == state.legal_moves()
    assert openspiel.state(text, utility_range=(-5, 5)) != openspiel.state(text, utility_range=(-5, 6))
    assert begin.play(numpy.int64(first)) == state
    assert text.split("(")[0] in repr(state) and "after 1 moves" in repr(state)
    assert str(state) == str(state.to_pyspiel())


@pytest.mark.parametrize("move", [-1, 10**6, 2**80, True, "0", None, 1.0])
@pytest.mark.parametrize("text", ["hex(board_size=4)", "backgammon"])
def test_illegal_moves(text, move):
    state = openspiel.state(text)
    with pytest.raises(mc.IllegalMove, match="a move must be one of"):
        state.play(move)
    assert state.moves == ()


@pytest.mark.parametrize("text", [*ORDINARY[:4], *GENERAL[:4], "leduc_poker"])
def test_a_push_changes_the_copy_alone(text):
    choose, state = random.Random(1), openspiel.state(text)
    for _ in range(30):
        moves = state.legal_moves()
        if not moves:
            break
        move, before, copied = choose.choice(moves), str(state), state.copy()
        child = state.play(move)
        assert copied == state and copied is not state
        copied.push(move)
        assert copied == child and copied.legal_moves() == child.legal_moves()
        assert state.legal_moves() == moves and str(state) == before
        with pytest.raises((mc.IllegalMove, mc.GameOver)):
            copied.push(10**6)
        state = child


@pytest.mark.parametrize("text", [*GENERAL, "leduc_poker"])
def test_a_rollout_plays_to_the_end(text):
    state = openspiel.state(text)
    values, moves = state.rollout(5)
    assert (values, moves) == state.rollout(5) and state.moves == ()
    for move in moves:
        assert state.returns() is None
        state = state.play(move)
    assert state.returns() == values


def test_there_is_no_move_after_the_end():
    state = openspiel.state("nim(pile_sizes=1;1)")
    for _ in range(2):
        state = state.play(state.legal_moves()[0])
    assert (state.winner(), state.to_move) == (1, 1)  # misere: who takes the last one has lost
    with pytest.raises(mc.GameOver, match="no move can be played"):
        state.play(0)


def test_the_solver_finds_the_way_to_win():
    nim = openspiel.state("nim(pile_sizes=2;3;4,is_misere=False)")
    move = mc.search(nim, iterations=3_000, seed=1)
    assert nim.to_pyspiel().action_to_string(0, move) == "pile:3, take:3;"
    assert mc.stats().proven == "win"


def test_a_search_with_chance_and_three_players():
    state = openspiel.state("pig(players=3,winscore=6)")
    roll, stop = 0, 1
    state = state.play(roll).play(5)
    assert state.to_move == 0  # with six points, which stopping keeps
    assert mc.search(state, iterations=200, seed=1) == stop
    values = mc.stats().values
    assert values[0] > 0.9 and values[1] < 0.35 and values[2] < 0.35  # utilities 1, -0.5, -0.5 of -1 to 1


def test_a_search_of_one_player():
    state = openspiel.state("catch")
    state = state.play(3)  # the ball falls in that column
    while state.returns() is None:
        state = state.play(mc.search(state, iterations=100, seed=1))
    assert state.returns() == [1.0]


def test_a_search_needs_somebody_to_move():
    with pytest.raises(mc.InvalidState, match="chance is to move"):
        mc.search(openspiel.state("backgammon"), iterations=1)


def test_ranges_of_utilities():
    def end(**options):
        state = openspiel.state("dots_and_boxes(num_rows=1,num_cols=2,utility_margin=True)", **options)
        while state.returns() is None:
            state = state.play(state.legal_moves()[0])
        return state
    utilities = end().to_pyspiel().returns()
    assert sorted(utilities) == [-2, 2]
    low, high = end().to_pyspiel().get_game().min_utility(), end().to_pyspiel().get_game().max_utility()
    assert end().returns() == [(utility - low) / (high - low) for utility in utilities]
    assert end(utility_range=(-4, 4)).returns() == [(utility + 4) / 8 for utility in utilities]
    assert end(utility_range=(-1, 1)).returns() == [float(utility > 0) for utility in utilities]


@pytest.mark.parametrize("given", [5, (0,), (0, 0), (1, 0), (0, float("inf")), (0, float("nan")), "ab", (0, 1, 2)])
def test_ranges_that_are_none(given):
    with pytest.raises(mc.InvalidOption, match="utility_range must be two finite numbers"):
        openspiel.state("2048", utility_range=given)


def test_results_that_the_game_did_not_announce():
    position = pyspiel.load_game("dots_and_boxes(num_rows=1,num_cols=2,utility_margin=True)").new_initial_state()
    while not position.is_terminal():
        position.apply_action(position.legal_actions()[0])
    game = position.get_game()
    with pytest.raises(mc.GameError, match="neither win, loss nor draw"):
        OrdinaryState(position, Rules(game, str(game), 2, -1.0, 1.0, False)).winner()
    with pytest.raises(mc.GameError, match="declares the range -1 to 1; pass another one as utility_range"):
        GeneralState(position, Rules(game, str(game), 2, -1.0, 1.0, False)).returns()


@pytest.mark.parametrize(("text", "reason"), [
    ("matrix_pd", "at the same time"),
    ("goofspiel", "at the same time"),
    ("stones_and_gems", "draws its chance events itself"),
    ("mfg_crowd_modelling", "do not move in turns"),
    ("morpion_solitaire", r"OpenSpiel's own child\(\) crashes"),
    ("misere(game=morpion_solitaire())", r"OpenSpiel's own child\(\) crashes"),
    ("phantom_ttt_ir", "its players forget what they did.*take phantom_ttt"),
    ("hanabi", "hides information and has no information states"),
])
def test_games_that_are_refused(text, reason):
    with pytest.raises(mc.InvalidState, match=f"{re.escape(text)}.*{reason}"):
        openspiel.state(text)
    with pytest.raises(mc.InvalidState, match=reason):
        openspiel.state(pyspiel.load_game(text), general=True)


def test_a_position_of_a_game_that_is_refused():
    with pytest.raises(mc.InvalidState, match="at the same time"):
        openspiel.state(pyspiel.load_game("goofspiel").new_initial_state())


HIDDEN = ["kuhn_poker", "leduc_poker", "liars_dice", "phantom_ttt", "dark_hex(board_size=2)",
          "turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True,points_order=descending))"]


@pytest.mark.parametrize("plain", [openspiel_draws.PLAIN, 0])
@pytest.mark.parametrize("text", HIDDEN)
def test_a_draw_looks_to_the_player_like_the_position(text, plain, monkeypatch):
    """What is drawn for a player looks to them like the position itself, and the search plays a game to its end. Also
    without the draws of the game's own, and with a repair in place of each new beginning."""
    monkeypatch.setattr(openspiel_draws, "PLAIN", plain)
    if not plain:
        monkeypatch.setattr(openspiel_draws, "RESAMPLED", frozenset())
    draw = random.Random(text)
    drawn, positions = 0, 0
    for _ in range(6):
        state = openspiel.state(text)
        assert isinstance(state, HiddenState) and state.hidden_information
        while state.returns() is None:
            if state.to_move == mc.CHANCE:
                moves, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.play(draw.choices(moves, chances)[0])
                continue
            player = state.to_move
            for _ in range(3):
                made = state.determinize(player, draw)
                assert made.observation_key(player) == state.observation_key(player)
                assert made.to_move == player and made.legal_moves() == state.legal_moves()
                drawn += made != state
            positions += 1
            move = mc.search(state, iterations=5, seed=1) if draw.random() < 0.3 else draw.choice(state.legal_moves())
            state = state.play(move)
    assert positions >= 12 and drawn >= positions / 3


def test_the_cards_of_others_are_drawn_by_their_chances():
    """Leduc poker: five cards are left for the other player, all as likely."""
    state = openspiel.state("leduc_poker").play(0).play(4)
    counts = {}
    for _ in range(1000):
        made = state.determinize(0, random.Random(len(counts) + sum(counts.values())))
        counts[made.moves[1]] = counts.get(made.moves[1], 0) + 1
        assert made.moves[0] == 0
    assert set(counts) == {1, 2, 3, 4, 5} and min(counts.values()) > 140


def test_bridge_is_drawn_without_its_double_dummy_results():
    """They take seconds for each deal."""
    state = openspiel.state("bridge")
    chooser = random.Random(1)
    while state.to_move == mc.CHANCE:
        state = state.play(chooser.choice(state.legal_moves()))
    made = state.determinize(state.to_move, chooser)
    assert made.to_pyspiel().get_game().get_parameters()["use_double_dummy_result"] is False
    assert made.observation_key(state.to_move) == state.observation_key(state.to_move)
    assert made.legal_moves() == state.legal_moves() and made.moves[:52] != state.moves[:52]
    assert mc.search(state, iterations=20, seed=1) in state.legal_moves()


def test_late_positions_are_drawn_too():
    """Phantom tic-tac-toe: after many moves most draws fail, and the real position must not be taken instead."""
    state = openspiel.state("phantom_ttt")
    for move in (4, 4, 0, 0, 8, 8, 2, 2, 6):  # O plays where X has played already, and learns it
        assert state.returns() is None
        state = state.play(move)
    assert state.to_move == 1
    made = [state.determinize(1, random.Random(seed)) for seed in range(30)]
    assert {one.observation_key(1) for one in made} == {state.observation_key(1)}
    assert made.count(state) <= 5


def test_a_hidden_card_is_not_seen():
    """Kuhn poker, the king calls a bet and the jack folds, whatever the other one has."""
    for card, action in ((2, 1), (0, 0)):
        for other in {0, 1, 2} - {card}:
            state = openspiel.state("kuhn_poker").play(other).play(card).play(1)
            assert mc.search(state, iterations=1000, seed=1) == action


@pytest.mark.parametrize("name", ["kuhn", "liars_dice"])  # OpenSpiel's bot in C++, and the one in Python
def test_a_match_with_openspiels_bot(name, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(FIGURES))
    bench = importlib.import_module("hidden_information")
    game = pyspiel.load_game(bench.GAMES[name])
    spent = [[0, 0.0], [0, 0.0]]
    first = [bench.play(game, seat, random.Random(1), lambda state: state.legal_actions()[0],
                        lambda state: state.legal_actions()[-1], spent) for seat in (0, 1, 0)]
    assert first[0] == first[2] != 0 and spent[0][0] > 0 and spent[1][0] > 0  # the same deal, a loser and a winner
    bench.match(name, 3, 5, 0.7)
    said = capsys.readouterr().out
    assert said.startswith(f"{name}: ") and "over 6 games with 5 simulations a move" in said


def test_the_exploitability_of_kuhn_poker(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(FIGURES))
    importlib.import_module("hidden_information").measure_kuhn(500, 0.7, 1)
    ours, theirs, uniform = (float(re.search(r": ([0-9.]+)", line)[1]) for line in capsys.readouterr().out.splitlines())
    assert 0.05 < ours < 0.3 and 0.05 < theirs < 0.3 and uniform == 0.458


@pytest.mark.parametrize(("source", "message"), [
    ("no_such_game", "cannot load the game 'no_such_game': Unknown game 'no_such_game'"),
    ("hex(foo=1)", "Unknown parameter 'foo'"),
    ("hex(", "cannot load the game"),
    ("", "cannot load the game"),
    ("nfg_game", "cannot load the game"),
    (None, "must be a pyspiel.State, a pyspiel.Game or the text of one, got None"),
    (7, "got 7"),
    (mc.TicTacToe(), "got TicTacToe"),
])
def test_sources_that_are_none(source, message):
    with pytest.raises(mc.InvalidState, match=re.escape(message)):
        openspiel.state(source)


@pytest.mark.parametrize("name", ["native", "general"])
def test_flags(name):
    with pytest.raises(mc.InvalidOption, match=f"{name} must be True or False, got 1"):
        openspiel.state("hex", **{name: 1})


def test_observations():
    state = openspiel.state("breakthrough(rows=5,columns=4)")
    seen = state.observation()
    assert seen.shape == (3, 5, 4) and seen.dtype == numpy.float32 and state.actions == 5 * 4 * 6 * 2
    assert seen.reshape(-1).tolist() == state.to_pyspiel().observation_tensor(0)
    state = state.play(state.legal_moves()[0])
    assert state.observation().reshape(-1).tolist() == state.to_pyspiel().observation_tensor(1)
    assert openspiel.state("2048").play(0).play(11).observation().shape == (1, 4, 4)
    backgammon = openspiel.state("backgammon")
    assert backgammon.play(0).observation().shape == (1, 1, 200)
    with pytest.raises(mc.InvalidState, match="only where a player is to move"):
        backgammon.observation()
    with pytest.raises(mc.InvalidState, match="no observation tensor"):
        openspiel.state("hearts").observation()
    with pytest.raises(mc.InvalidState, match="chance is not to move"):
        backgammon.play(0).chance_outcomes()


@pytest.mark.parametrize("text", ["breakthrough(rows=5,columns=4)", "pig(winscore=9)"])
def test_evaluators(text):
    """The second legal move is all that the policy names, so it is visited most."""
    state = openspiel.state(text)
    wanted = state.legal_moves()[1]
    seen = []

    def evaluate(observations):
        seen.append(observations.shape)
        policy = numpy.zeros((len(observations), state.actions))
        policy[:, wanted] = 1
        return policy, numpy.zeros(len(observations))

    assert mc.Searcher(evaluator=evaluate, seed=1).search(state, iterations=10) == wanted
    assert seen and all(shape[1:] == state.observation().shape for shape in seen)


def test_pyspiel_is_imported_when_it_is_used(monkeypatch):
    code = "import sys, mcts_core.bots.openspiel; assert 'pyspiel' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "mcts_core.bots.openspiel_bot", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"extra \[openspiel\]"):
        openspiel.state("hex")
    with pytest.raises(ModuleNotFoundError, match=r"extra \[openspiel\]"):
        _ = openspiel.Bot


def test_the_names_of_the_module():
    assert set(openspiel.__all__) <= set(dir(openspiel))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = openspiel.nothing


def test_the_sessions_of_the_page():
    text = (pathlib.Path(__file__).parents[2] / "docs" / "openspiel.md").read_text(encoding="utf-8")
    names = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)):
        test = parser.get_doctest(block, names, f"openspiel.md block {number}", "openspiel.md", 0)
        runner.run(test, clear_globs=False)
        names = test.globs
    failed, attempted = runner.summarize(verbose=False)
    assert failed == 0 and attempted >= 20
