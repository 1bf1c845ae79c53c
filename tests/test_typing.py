"""The types: those who read them are run by ``make lint``; here, what they are told is compared with what is there."""

import pathlib
import re
import runpy

import pytest

import mcts_core

FOLDER = pathlib.Path(__file__).parent / "typing"
PACKAGE = pathlib.Path(mcts_core.__file__).parent
MODULES = sorted(
    path.relative_to(PACKAGE).as_posix().split(".")[0] for path in PACKAGE.rglob("*")
    if path.suffix in (".so", ".pyd") and not path.name.startswith("_")
)


def test_what_checkers_accept_runs():
    assert "engine" in runpy.run_path(str(FOLDER / "accepted.py"))


@pytest.mark.parametrize("name", mcts_core.__all__)
def test_every_public_name_is_shown_to_checkers(name):
    assert re.search(rf"\bmc\.{name}\b", (FOLDER / "accepted.py").read_text(encoding="utf-8"))


def test_there_are_native_modules():
    assert {"games/connect_four/position", "games/mnk/position", "engine/loop"} <= set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_every_native_module_has_its_types(module):
    assert (PACKAGE / f"{module}.pyi").is_file()


def test_names_that_are_not_there_say_so():
    with pytest.raises(AttributeError, match="module 'mcts_core' has no attribute 'serach'"):
        mcts_core.serach  # noqa: B018
    with pytest.raises(AttributeError, match="module 'mcts_core.render' has no attribute 'picture'"):
        mcts_core.render.picture  # noqa: B018
