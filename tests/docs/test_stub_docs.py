"""docs/stub_docs.py: the docstrings in the stubs of native modules."""

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import mcts_core as mc

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("stub_docs", ROOT / "docs" / "stub_docs.py")
stub_docs = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stub_docs)


@pytest.mark.parametrize("name", stub_docs.STUBS)
def test_a_stub_says_what_its_module_says(name):
    text = (ROOT / "mcts_core" / f"{name}.pyi").read_text(encoding="utf-8")
    assert stub_docs.with_docstrings(name) == text, "python docs/stub_docs.py writes it anew"


@pytest.mark.parametrize("owner", [mc.ConnectFour, mc.MNK, mc.Gomoku, mc.TicTacToe, mc.NativeGame, mc.NativePosition,
                                   mc.IllegalMove, mc.GameError], ids=lambda owner: owner.__name__)
def test_editors_find_the_docstring_of_a_class_and_its_members(owner):
    stub = ROOT / "mcts_core" / f"{owner.__module__.removeprefix('mcts_core.').replace('.', '/')}.pyi"
    node = next(node for node in ast.parse(stub.read_text(encoding="utf-8")).body
                if isinstance(node, ast.ClassDef) and node.name == owner.__name__)
    assert ast.get_docstring(node) == inspect.cleandoc(owner.__doc__).strip()
    members = [member for member in node.body
               if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")]
    assert all(ast.get_docstring(member) for member in members)


def test_every_native_class_that_is_public_has_its_docstrings_in_a_stub():
    modules = {value.__module__.removeprefix("mcts_core.").replace(".", "/")
               for value in (getattr(mc, name) for name in mc.__all__) if inspect.isclass(value)}
    native = {name for name in modules if (ROOT / "mcts_core" / f"{name}.pyi").exists()}
    assert len(native) >= 4 and native <= set(stub_docs.STUBS)
