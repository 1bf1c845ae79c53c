"""Every line that does not compile is named, with the reason and what to write in its place."""

import pytest
from hostile_classes import REFUSED

import mcts_core as mc
from mcts_core.compiled.refusals import in_words

BY_NUMBA = ("ModuleStateByAlias", "FloatInPlaceOfInt", "FloatIndex")
"""These take seconds: Numba finds them when it compiles."""


@pytest.mark.parametrize("cls", [
    pytest.param(cls, marks=pytest.mark.slow if cls.__name__ in BY_NUMBA else ()) for cls in REFUSED])
def test_a_class_is_refused_in_words_of_its_own(cls):
    with pytest.raises(mc.GameError) as caught:
        mc.compile(cls, cache=False)
    text = str(caught.value)
    assert REFUSED[cls] in text and cls.__name__ in text
    assert len(text) < 500 and "numba" not in text.lower() and "int64" not in text


@pytest.mark.parametrize(("text", "wanted"), [
    ("Untyped global name 'frobnicate': Cannot determine", "frobnicate is not known there"),
    ("Cannot unify array(int64, 1d, C) and int64 for 'x.2', defined at",
     "x is at one place sequence of int, at another int"),
    ("Use of unsupported NumPy function 'numpy.fliplr' or unsupported use", "Numba does not have numpy.fliplr"),
    ("No implementation of function Function(<function trace at 0x7>) found for signature:\n \n >>> trace(int64)\n",
     "trace is not defined for int"),
    ("Cannot infer the type of variable '$16build_list.3', have", "the kind of an empty list is unknown here"),
    ("Type of variable '$62call.12' cannot be determined", "the kind of a value cannot be told"),
    ("Something\nelse", "this cannot be translated to machine code"),
])
def test_what_numba_says_is_put_into_words(text, wanted):
    assert wanted in str(in_words("Game", ValueError(text), {"game.py"}))
