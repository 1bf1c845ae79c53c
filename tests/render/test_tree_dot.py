"""mcts_core/render/tree_dot.py: trees in the DOT language."""

import dataclasses
import re

import pytest

import mcts_core as mc
from mcts_core.render import dot

QUOTED = r'"((?:[^"\\]|\\.)*)"'
ATTRIBUTES = rf"\[{r'[a-z]+='}{QUOTED}(?:, [a-z]+={QUOTED})*\]"
STATEMENT = re.compile(rf"  (?:(graph|node|edge|n\d+)|n(\d+) -> n(\d+)) {ATTRIBUTES};")


def read(text):
    """({number: attributes}, {child: parent}) of a graph; every line is a statement of the language."""
    lines = text.splitlines()
    assert lines[0] == "digraph tree {" and lines[-1] == "}" and text.endswith("}\n")
    nodes, parents = {}, {}
    for line in lines[1:-1]:
        statement = STATEMENT.fullmatch(line)
        assert statement, line
        attributes = dict(re.findall(rf"([a-z]+)={QUOTED}", line))
        if statement[2] is not None:
            assert int(statement[3]) not in parents
            parents[int(statement[3])] = int(statement[2])
        elif statement[1].startswith("n") and statement[1] != "node":
            nodes[int(statement[1][1:])] = attributes
    assert set(parents) == set(nodes) - {0} and all(parent < child for child, parent in parents.items())
    return nodes, parents


def count(node):
    return 1 + sum(map(count, node.children))


def searched(state, iterations=2000, **options):
    engine = mc.Searcher(seed=1, **options)
    engine.search(state, iterations=iterations)
    return engine


def leaf(move, player=1, visits=1, value=0.5, **rest):
    return mc.Node(**{"move": move, "player": player, "visits": visits, "value": value, "proven": None,
                      "distance": None, "children": (), **rest})


def test_the_graph_is_the_tree():
    engine = searched(mc.ConnectFour(), preset="uct")
    tree = engine.tree(max_depth=2, min_share=0.02)
    nodes, parents = read(dot(tree))
    assert len(nodes) == count(tree) > 10
    assert nodes[0]["label"] == f"root\\n2,000 visits\\nvalue {tree.value:.3f}"
    below = [number for number, parent in parents.items() if parent == 0]
    assert [nodes[number]["label"].split("\\n")[0] for number in below] == [str(node.move) for node in tree.children]
    for number, node in zip(below, tree.children, strict=True):
        assert nodes[number]["label"].split("\\n")[1:] == [
            f"{node.visits:,} ({node.visits / 2000:.0%})".replace("%", " %"), f"value {node.value:.3f}"]
        assert nodes[number]["shape"] == "box"
        assert all(nodes[child]["shape"] == "ellipse" for child, parent in parents.items() if parent == number)


def test_stats_draw_their_tree():
    engine = searched(mc.Gomoku.from_moves([112, 97]))
    stats = engine.stats()
    text = stats.to_dot()
    assert text == dot(engine.tree(), state=stats.state, pv=stats.pv)
    assert text != stats.to_dot(max_depth=1) == dot(engine.tree(max_depth=1), state=stats.state, pv=stats.pv)
    nodes, parents = read(text)
    row, column = divmod(stats.move, 15)
    name = f"{'abcdefghijklmno'[column]}{15 - row}"
    assert name in {nodes[child]["label"].split("\\n")[0] for child, parent in parents.items() if parent == 0}
    assert "for the player to move at the root, X" in text


def test_the_principal_variation_is_bold():
    tree = leaf(None, 0, 9, children=(
        leaf("a", visits=5, children=(leaf("b", -1, 2), leaf("c", -1, 2))), leaf("c", visits=3, children=(
            leaf("b", -1, 2),))))
    nodes, _ = read(dot(tree, pv=["a", "c", "b"]))
    bold = [attributes["label"].split("\\n")[0] for attributes in nodes.values() if "penwidth" in attributes]
    assert bold == ["root", "a", "c"]
    assert [a["label"][0] for a in read(dot(tree))[0].values() if "penwidth" in a] == ["r"]


def test_what_is_proven_is_told():
    engine = searched(mc.ConnectFour.from_moves("112233", base=1))
    nodes, _ = read(engine.stats().to_dot())
    assert nodes[0]["label"].endswith("\\nwin in 1")
    assert any(attributes["label"].startswith("4\\n") and attributes["label"].endswith("\\nwin in 1")
               for attributes in nodes.values())


def test_edges_are_as_thick_as_the_visits():
    text = dot(leaf(None, 0, 10, children=(leaf("a", visits=10), leaf("b", visits=1))))
    assert re.findall(r'-> n\d+ \[penwidth="([\d.]+)"\]', text) == ["5.6", "1.1"]


@pytest.mark.parametrize("move, said", [
    ('a"b', 'a\\"b'), ("a\\", "a\\\\"), ("a\\N\\G", "a\\\\N\\\\G"), ('"]; n0 -> n0; "', '\\"]; n0 -> n0; \\"'),
    ("two\nlines", "two lines"), ("<b>x</b>", "<b>x</b>"), ("\x00", "\ufffd"), ("y" * 90, "y" * 79 + "…"),
    ((1, "é"), "(1, 'é')"),
])
def test_any_move_is_quoted(move, said):
    nodes, _ = read(dot(leaf(None, 0, 2, children=(leaf(move),))))
    assert nodes[1]["label"].split("\\n1 (")[0] == said


def test_games_in_python():
    class Coin:
        to_move = -1

        def __init__(self, over=False):
            self.over = over

        def legal_moves(self):
            return ["heads", "tails"]

        def play(self, move):
            return Coin(True)

        def winner(self):
            return -1 if self.over else None

    engine = searched(Coin(), 50)
    text = engine.stats().to_dot()
    nodes, _ = read(text)
    assert len(nodes) > 1
    assert {attributes["shape"] for number, attributes in nodes.items() if number} == {"ellipse"}
    assert "boxes: moves of the player who began, ellipses: of the other" in text


def test_wrong_arguments():
    with pytest.raises(mc.InvalidOption, match="tree must be a Node, such as Stats.tree"):
        dot(searched(mc.TicTacToe(), 20).stats())
    with pytest.raises(mc.InvalidOption, match="pv must be a sequence of moves, got 3"):
        dot(leaf(None, 0), pv=3)
    with pytest.raises(mc.InvalidOption, match="base must be"):
        dot(leaf(None, 0), state=mc.ConnectFour(), base=2)
    with pytest.raises(mc.InvalidOption, match="a value must be a number from 0 to 1"):
        dot(dataclasses.replace(leaf(None, 0), value=float("nan")))
