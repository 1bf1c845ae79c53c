"""mcts_core/games/registry.py: every game of the package is known everywhere."""

import pytest

import mcts_core as mc
from mcts_core.cli.games import FORMS, GAME_HELP, parse_game
from mcts_core.games.board_position import BoardPosition
from mcts_core.games.registry import GAMES, entry_of
from mcts_core.render import svg
from mcts_core.web.games import Games

pytestmark = pytest.mark.wasm


def concrete(kind):
    return [each for sub in kind.__subclasses__() if sub.__module__.startswith("mcts_core.")
            for each in [sub, *concrete(sub)]]


def test_every_game_has_an_entry():
    assert {entry.kind for entry in GAMES} == set(concrete(BoardPosition))
    assert len({entry.name for entry in GAMES}) == len(GAMES)


@pytest.mark.parametrize("entry", GAMES, ids=lambda entry: entry.name)
def test_an_entry_serves_everywhere(entry, tmp_path):
    state = entry.kind()
    assert entry_of(state) is entry and entry.kind(**entry.arguments_of(state)) == state
    numbers = [str(getattr(state, name)) for name in entry.arguments if name != "rule"]
    spec = entry.name + (":" + ("x" if "Sx" in entry.syntax else ",").join(numbers) if numbers else "")
    game = parse_game(spec)
    assert (game.start, game.title) == (state, entry.title(state)) and entry.syntax in FORMS and entry.help in GAME_HELP
    assert Games().make(Games().fields_of(state)) == state
    assert entry.caption(state) in svg(state)
    assert [each["label"].lower() for each in Games().offered() if each["name"] == entry.name] == [entry.label.lower()]
    engine = mc.Searcher(seed=1)
    engine.search(state, iterations=200)
    engine.save(tmp_path / "tree.mcts")
    assert mc.Searcher.load(tmp_path / "tree.mcts").stats() == engine.stats()


def test_a_subclass_is_the_same_game():
    class Mine(mc.Gomoku):
        pass

    assert entry_of(Mine(9)).kind is mc.Gomoku
    assert entry_of(object()) is None
