"""mcts_core/field_docs.py: the docstrings of results list their fields."""

import dataclasses
import inspect
import pickle
import pydoc
import subprocess
import sys

from mcts_core.field_docs import FieldDocs, documented


@documented
@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers.

    More about them.
    """

    left: int
    """The left one, which is
    the first."""
    right: int = 2
    """The right one."""
    bare: int = 3

    @property
    def sum(self):
        """Both together."""
        return self.left + self.right


LISTED = """\
Two numbers.

More about them.

Fields:

left: The left one, which is
    the first.

right: The right one."""


def test_a_docstring_ends_with_the_fields_and_their_texts():
    assert inspect.getdoc(Pair) == inspect.getdoc(Pair(1)) == LISTED
    assert LISTED.splitlines()[-1] in pydoc.plain(pydoc.render_doc(Pair))


def test_the_class_stays_what_it_was():
    assert pickle.loads(pickle.dumps(Pair(1))) == Pair(1) and Pair.__slots__ == ("left", "right", "bare")


def test_a_class_without_source_keeps_its_docstring():
    scope = {"documented": documented}
    exec("@documented\nclass Made:\n    '''A class.'''\n    x: int\n    '''Lost.'''", scope)
    assert scope["Made"].__doc__ == "A class."


def test_a_class_without_docstrings_stays_without_one():
    text = ("from mcts_core.results import MoveStats; from mcts_core.field_docs import documented\n"
            "@documented\nclass Bare: pass\nassert MoveStats.__doc__ is None and Bare.__doc__ is None, Bare.__doc__")
    assert subprocess.run([sys.executable, "-OO", "-P", "-c", text], check=False).returncode == 0


def test_the_source_is_read_once():
    class Counted(FieldDocs):
        pass

    docs = Counted("A class.")
    assert docs.__get__(None, Pair) is docs.__get__(None, Pair)
