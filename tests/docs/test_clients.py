"""docs/gymnasium.md, kaggle.md and pettingzoo.md: make test KIND=clients runs what needs other packages."""

import doctest
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PACKAGES = ("gymnasium", "kaggle_environments", "pettingzoo.classic")


def failures(name, *, clients):
    """How many lines of a page's sessions print something else; without ``clients``, of those that need no package."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names = {}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for number, block in enumerate(blocks):
        assert block.startswith(">>> ")
        if clients or not any(package in block for package in PACKAGES):
            test = parser.get_doctest(block, names, f"{name} block {number}", name, 0)
            runner.run(test, clear_globs=False)
            names = test.globs
    failed, attempted = runner.summarize(verbose=False)
    assert attempted
    return failed


def test_what_needs_no_package_runs():
    assert failures("kaggle.md", clients=False) == 0


@pytest.mark.clients
def test_the_session_with_gymnasium_prints_what_the_page_says():
    pytest.importorskip("gymnasium", reason="gymnasium is not installed; make test KIND=clients installs it")
    assert failures("gymnasium.md", clients=True) == 0


@pytest.mark.clients
@pytest.mark.parametrize("name", ["kaggle.md", "pettingzoo.md"])
def test_the_sessions_print_what_the_page_says(name):
    import kaggle_environments  # noqa: F401  It prints which of its other games do not load.

    assert failures(name, clients=True) == 0
