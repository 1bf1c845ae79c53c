"""README.md: its sessions print what it shows, its commands are known, and it stays short."""

import doctest
import pathlib
import re
import shlex

import pytest

import mcts_core
from mcts_core.cli.games import parse_game
from mcts_core.cli.main import build_parser, main

ROOT = pathlib.Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/command_line.md")}
COMMANDS = [(name, line) for name, text in PAGES.items()
            for line in re.findall(r"^mcts-core .*$", text, re.MULTILINE)]


class ButForTimes(doctest.OutputChecker):
    """Compares everything that a search prints except how long it took."""

    TIMES = re.compile(r" in [\d.]+ s(?: \([\d,]+/s\)|, [\d,]+ iterations/s)")

    def check_output(self, want, got, optionflags):
        return super().check_output(self.TIMES.sub("", want), self.TIMES.sub("", got), optionflags)


def test_the_session_prints_what_the_readme_says():
    """The blocks of Python in their order: sessions are compared, definitions are run."""
    names = {"__name__": "readme"}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(ButForTimes())
    sessions = 0
    for number, block in enumerate(block for kind, block in BLOCKS if kind == "python"):
        if block.startswith(">>> "):
            test = parser.get_doctest(block, names, f"README.md block {number}", "README.md", 0)
            runner.run(test, clear_globs=False)
            names = test.globs
            sessions += 1
        else:
            exec(compile(block, f"README.md block {number}", "exec"), names)
    failed, attempted = runner.summarize(verbose=False)
    assert sessions == 3 and attempted == 10
    assert failed == 0


def test_other_output_than_times_is_compared():
    want = "move 3  800 iterations in 0.003 s (269,625/s)\n"
    assert ButForTimes().check_output(want, want.replace("0.003 s (269,625/s)", "1.2 s (7/s)"), 0)
    assert not ButForTimes().check_output(want, want.replace("800", "801"), 0)


def test_the_picture_is_that_of_the_first_search():
    state = mcts_core.ConnectFour.from_moves("124123424412", base=1)
    mcts_core.search(state, iterations=800, seed=1)
    picture = mcts_core.render.svg(state, stats=mcts_core.stats())
    assert picture == (ROOT / "docs" / "pictures" / "connect_four.svg").read_text(encoding="utf-8")
    assert "](docs/pictures/connect_four.svg)" in TEXT


def test_the_claim_of_speed_is_the_measured_one():
    results = (ROOT / "bench" / "RESULTS.md").read_text(encoding="utf-8")
    chart = (ROOT / "bench" / "chart.svg").read_text(encoding="utf-8")
    assert "Connect Four, 100,000 iterations" in chart
    speeds, ratios, openspiel = [], [], []
    for isa in ("avx2", "baseline"):
        (speed, ratio), = re.findall(
            rf"^\| Connect Four iterations 100,000 \| {isa} \| [\d.]+ M \| ([\d.]+) M \| ([\d.]+) \|", results,
            re.MULTILINE)
        other, = re.findall(
            rf"^\| Connect Four iterations 100,000 \| OpenSpiel, 100,000 \| {isa} \| .*? \| .*? \| ([\d.]+) \|",
            results, re.MULTILINE)
        assert f">{speed} M<" in chart
        speeds.append(f"{float(speed):.1f}")
        ratios.append(f"{float(ratio):.1f}")
        openspiel.append(f"{float(other):.0f}")
    words = " ".join(TEXT.split())
    assert f"**{speeds[0]} million iterations of textbook UCT per second** on one core with AVX2" in words
    assert f" with AVX2, and {speeds[1]} million without" in words
    assert f"{' and '.join(ratios)} times as many as careful C code, and {' and '.join(openspiel)} times" in words


def test_the_figures_of_strength_are_those_of_the_page_of_strength():
    def figures(text):
        """The rows of the table of opponents, without the figures in brackets."""
        return re.findall(r"^\| .+? \|.*$", re.sub(r" \(\d+ %\)", "", text.split("| opponent |")[1]), re.MULTILINE)

    strength = (ROOT / "bench" / "STRENGTH.md").read_text(encoding="utf-8")
    rows = figures(TEXT)[:4]
    assert rows == figures(strength)[:4] and rows[0].startswith("| Carbon")
    positions, = re.findall(
        r"^\| Connect Four, 1,110 positions.*\| ([\d.]+ %)[^|]* \| [\d.]+ % \|$", strength, re.MULTILINE)
    proven, = re.findall(r"the value is proven \|.*\| (\d+ %) \|", strength)
    assert positions == proven == "100 %"
    assert "all of 1,110 test positions with 0.1 s a move, and proves all of them with 1 s" in " ".join(TEXT.split())


def test_the_readme_is_short():
    assert TEXT.count("\n") <= 140
    assert TEXT[:TEXT.index("## Install")].count("\n") <= 40  # one screen


@pytest.mark.parametrize("page, line", COMMANDS)
def test_the_commands_are_understood(page, line):
    words = shlex.split(line, comments=True)[1:]
    if words == ["--version"] or "--help" in words:
        return
    args = build_parser().parse_args(words)
    if words[0] in ("demo", "gomocup", "kaggle-bundle", "completion"):
        return
    for spec in args.games if words[0] == "bench" else [args.game]:
        if not spec.startswith("examples."):
            parse_game(spec).play_text(" ".join(getattr(args, "moves", ())), getattr(args, "base", None))


def test_the_output_of_a_command_is_the_real_one(capsys):
    line, = re.findall(r"^mcts-core (analyze connect4 44444326 .*)$", PAGES["docs/command_line.md"], re.MULTILINE)
    said, _ = re.findall(r"^```text\n(.*?)^```$", PAGES["docs/command_line.md"], re.MULTILINE | re.DOTALL)
    assert main(shlex.split(line)) == 0
    assert ButForTimes().check_output(said, capsys.readouterr().out, 0)


def test_the_pages_show_commands():
    assert {page for page, _ in COMMANDS} == set(PAGES)
