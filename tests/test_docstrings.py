"""The docstrings of everything public: parameters, errors, sources; fields of results; those in the stubs."""

import dataclasses
import importlib
import inspect
import re

import pytest

import mcts_core as mc

MODULES = ["mcts_core.render", "mcts_core.bots.gymnasium", "mcts_core.bots.kaggle", "mcts_core.bots.openspiel",
           "mcts_core.bots.pettingzoo"]
NO_ERRORS = {"Stats.share", "kaggle.thinking_time"}
"""What takes arguments and raises nothing for those of the right type."""
SOURCES = {
    "Searcher": ["Kocsis and Szepesvari", "Auer et al", "Gelly and Silver", "Cazenave 2015", "Winands et al", "Rosin",
                 "Cazenave and Saffidine", "Browne et al", "Bourki et al", "Chaslot et al", "Silver et al",
                 "Danihelka et al"],
    "solve": ["Knuth and Moore", "Allis"],
    "search_parallel": ["Bourki et al"],
    "selfplay": ["Silver et al"],
}
"""The papers that a method comes from."""


def names_of(module):
    """The public names of a module that has no ``__all__``: what it defines."""
    return [name for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__ and callable(value)
            and inspect.getdoc(value) and name not in ("import_pyspiel", "as_game", "check_game")]


def public():
    """Every public object by its name."""
    for name in mc.__all__:
        yield name, getattr(mc, name)
    for path in MODULES:
        module = importlib.import_module(path)
        for name in getattr(module, "__all__", None) or names_of(module):
            yield f"{path.rpartition('.')[2]}.{name}", getattr(module, name)


def is_own(cls, member):
    """Whether this package defines a member of a class, in which base ever."""
    return any(member in vars(base) for base in cls.__mro__ if base.__module__.startswith("mcts_core."))


def callables():
    """Every public function, class and method once, with its name."""
    seen = set()
    for name, value in public():
        members = [(name, value)]
        if inspect.isclass(value):
            members += [(f"{name}.{member}", getattr(value, member)) for member in dir(value)
                        if not member.startswith("_") and callable(getattr(value, member)) and is_own(value, member)]
        for path, member in members:
            key = getattr(member, "__func__", member)
            if callable(member) and key not in seen:
                seen.add(key)
                yield path, member


CALLABLES = dict(callables())
RESULTS = {name: value for name, value in CALLABLES.items() if dataclasses.is_dataclass(value)}
ERRORS = {name for name, value in CALLABLES.items() if inspect.isclass(value) and issubclass(value, BaseException)}
FUNCTIONS = CALLABLES.keys() - RESULTS.keys() - ERRORS


def parameters_of(value):
    try:
        found = inspect.signature(value).parameters
    except ValueError:  # a native class that only functions make
        return []
    return [name for name in found if name not in ("self", "cls")]


def is_named(parameter, doc):
    """Whether a docstring has a parameter, in a sentence or in a list such as "rows, cols: the board"."""
    return bool(re.search(rf"``{parameter}\b|^(\w+, )*{parameter}(, \w+)*: ", doc, re.MULTILINE))


def test_there_is_much_to_count():
    assert len(FUNCTIONS) >= 80 and len(RESULTS) >= 15 and len(ERRORS) >= 11
    assert {"Searcher.search", "Gomoku.from_moves", "render.svg", "gymnasium.Planner.play",
            "openspiel.state"} <= FUNCTIONS


def test_everything_public_has_a_docstring():
    assert [name for name, value in CALLABLES.items() if not inspect.getdoc(value)] == []


def test_every_parameter_is_named():
    missing = {name: [parameter for parameter in parameters_of(CALLABLES[name])
                      if not is_named(parameter, inspect.getdoc(CALLABLES[name]))] for name in sorted(FUNCTIONS)}
    assert {name: parameters for name, parameters in missing.items() if parameters} == {}


def test_what_takes_arguments_names_its_errors():
    silent = {name for name in FUNCTIONS if parameters_of(CALLABLES[name])
              and not re.search(r"\b[Rr]aises?\b", inspect.getdoc(CALLABLES[name]))}
    assert silent == NO_ERRORS


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_field_of_a_result_has_its_meaning(name):
    doc = inspect.getdoc(RESULTS[name])
    assert [field.name for field in dataclasses.fields(RESULTS[name])
            if not re.search(rf"^{field.name}: \S", doc, re.MULTILINE)] == []


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_methods_name_their_papers(name):
    doc = " ".join(inspect.getdoc(CALLABLES[name]).split())
    assert [paper for paper in SOURCES[name] if paper not in doc] == []
