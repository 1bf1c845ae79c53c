"""mcts_core/move_names.py: what people call the moves of games of all kinds."""

import dataclasses
import json

import pytest

import mcts_core as mc
from mcts_core.move_names import Names, find_move

pytestmark = pytest.mark.wasm


class Walk:
    """Six steps from (0, 0), east or north; a move is a pair, and its name tells where it leads."""

    def __init__(self, at=(0, 0)):
        self.at = at
        self.to_move = -1 if sum(at) % 2 else 1

    def legal_moves(self):
        return [(1, 0), (0, 1)]

    def play(self, move):
        return type(self)((self.at[0] + move[0], self.at[1] + move[1]))

    def winner(self):
        if sum(self.at) < 6:
            return None
        return 1 if self.at[0] > self.at[1] else -1

    def name(self, move):
        return "abcdefg"[self.at[0] + move[0]] + str(1 + self.at[1] + move[1])


class Mapped(Walk):
    """The same with numbers as moves, and a reader of other texts."""

    def legal_moves(self):
        return [0, 1]

    def play(self, move):
        return super().play(((1, 0), (0, 1))[move])

    def name(self, move):
        return super().name(((1, 0), (0, 1))[move])

    def move(self, text):
        return {"east": 0, "north": 1, "up": 7}[text]


def searched(state, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=300)
    return engine


def line_of(state, moves):
    found = []
    for move in moves:
        found.append(state.name(move))
        state = state.play(move)
    return found


@pytest.mark.parametrize("state", [Walk(), Mapped(), mc.TicTacToe.from_moves("b2"), mc.ConnectFour()],
                         ids=lambda state: type(state).__name__)
def test_stats_print_names(state):
    engine = searched(state, preset="uct")
    stats = engine.stats()
    name, numbers = state.name(stats.move), isinstance(stats.move, int)
    lines = str(stats).splitlines()
    assert lines[0].startswith(f"move {name} (number {stats.move})  " if numbers else f"move {name}  ")
    assert lines[1].split()[:3] == (["move", "number", "visits"] if numbers else ["move", "visits", "wins"])
    assert [line.split()[0] for line in lines[2:4]] == [name, state.name(stats.moves[1].move)]
    assert lines[-2] == "pv " + " ".join(line_of(state, stats.pv)) and len(stats.pv) > 1
    data = json.loads(json.dumps(stats.to_dict()))
    assert data["name"] == name and data["pv_names"] == line_of(state, stats.pv)
    assert [entry["name"] for entry in data["moves"]] == [state.name(entry.move) for entry in stats.moves]
    assert [entry["move"] for entry in data["moves"]] == [
        entry.move if numbers else list(entry.move) for entry in stats.moves]


def test_pictures_have_the_names_of_the_position_that_a_move_is_played_in():
    engine = searched(Walk(), preset="uct")
    stats = engine.stats()
    named = line_of(Walk(), stats.pv)
    assert f"principal variation: {' '.join(named)}" in mc.render.html(stats)
    assert f"move {named[0]}<" in mc.render.html(stats)
    graph = stats.to_dot()
    for name in ("b1", "a2", "c1", "b2", "a3"):
        assert f'label="{name}\\n' in graph
    assert "(1, 0)" not in graph


def test_games_without_names_have_the_texts_of_their_moves():
    class Plain(Walk):
        name = "a walk"  # an attribute that is no method is something else

    stats = searched(Plain()).stats()
    assert str(stats).startswith(f"move {stats.move}  ") and "number" not in str(stats)
    assert stats.to_dict()["name"] is stats.to_dict()["pv_names"] is stats.to_dict()["moves"][0]["name"] is None
    assert Names(None).of((1, 2)) == "(1, 2)" and Names(None).line([1, "x"]) == ["1", "x"]


@pytest.mark.parametrize("wrong", [lambda self: "walk", lambda self, move: 1 // 0, lambda self, move: 7,
                                   lambda self, move: " "])
def test_names_that_are_none_are_left_out(wrong):
    class Wrong(Walk):
        name = wrong

    stats = searched(Wrong()).stats()
    assert str(stats).startswith(f"move {stats.move}  ") and str(stats.move) in mc.render.html(stats)
    assert find_move(Wrong(), "(0, 1)") == (0, 1)


def test_moves_are_found_by_name_text_and_the_game_itself():
    assert find_move(Walk(), "a2") == find_move(Walk(), "(0,1)") == find_move(Walk((0, 0)), " ( 0, 1 ) ") == (0, 1)
    assert find_move(Walk((1, 1)), "b3") == (0, 1)
    assert find_move(Mapped(), "north") == find_move(Mapped(), "a2") == find_move(Mapped(), "1") == 1
    assert find_move(mc.Gomoku(), "h8") == 112 and find_move(mc.ConnectFour(), "4") == 3
    for text in ("up", "west", "z9", ""):
        with pytest.raises(mc.IllegalMove, match=rf"'{text}' is not a legal move; legal moves: b1, a2"):
            find_move(Mapped(), text)


def test_outcomes_of_chance_are_found_in_place_of_moves():
    outcomes = [(0, 1), (2, 2)]
    assert find_move(Walk(), "a2", outcomes) == (0, 1) and find_move(Walk(), "(2, 2)", outcomes) == (2, 2)
    with pytest.raises(mc.IllegalMove, match=r"'b1' is not an outcome of chance, which moves here; outcomes: a2"):
        find_move(Walk(), "b1", [(0, 1)])


def test_a_method_move_alone_is_never_called():
    class Mover(Walk):
        name = None

        def move(self, text):
            raise AssertionError("called")

    with pytest.raises(mc.IllegalMove, match="legal moves: \\(1, 0\\), \\(0, 1\\)"):
        find_move(Mover(), "a2")


def test_stats_without_a_position_print_numbers():
    stats = searched(mc.Gomoku()).stats()
    lines = str(dataclasses.replace(stats)).splitlines()
    assert lines[0].startswith(f"move {stats.move}  ") and lines[1].split()[:2] == ["move", "visits"]
    assert lines[-2] == "pv " + " ".join(map(str, stats.pv))


def test_properties_that_raise_are_no_names():
    start = type("Broken", (Walk,), {name: property(lambda self: 1 // 0) for name in ("name", "move")})()
    engine = mc.Searcher(seed=1)
    engine.search(start, iterations=20)
    assert "(0, 1)" in str(engine.stats())
    with pytest.raises(mc.IllegalMove, match="'north' is not a legal move"):
        find_move(start, "north")


class Spaced(Walk):
    """Two moves that differ only by their spaces."""

    def name(self, move):
        return "11 2" if move == (1, 0) else "1 12"


def test_spaces_that_tell_moves_apart_cannot_be_left_out():
    assert find_move(Spaced(), "1 12") == (0, 1) and find_move(Spaced(), " 11  2 ") == (1, 0)
    with pytest.raises(mc.IllegalMove, match=r"^'112' has 2 readings: '11 2', '1 12'; write the spaces of one"):
        find_move(Spaced(), "112")
