"""The gate on instruction counts: its parsers, its verdicts, its file, and one real count."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import instructions  # noqa: E402

sys.path.remove(str(BENCH))

LOG = """\
==5301== Callgrind, a call-graph generating cache profiler
==5301== Copyright (C) 2002-2017, and GNU GPL'd, by Josef Weidendorfer et al.
==5301== Using Valgrind-3.19.0 and LibVEX; rerun with -h for copyright info
==5301== Command: python -P -S -c ...
==5301==
==5301== For interactive control, run 'callgrind_control -h'.
==5301==
==5301== Events    : Ir
==5301== Collected : 111912287
==5301==
==5301== I   refs:      111,912,287
"""

DEBIAN_GCC = "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
DEBIAN_CLANG = "Debian clang version 14.0.6"

CONNECT4, TICTACTOE = (next(case for case in instructions.CASES if case.name == name)
                       for name in ("connect4-iterations", "tictactoe-iterations"))


@pytest.fixture
def committed_file(tmp_path, monkeypatch):
    path = tmp_path / "instructions.json"
    monkeypatch.setattr(instructions, "COMMITTED", path)
    return path


@pytest.fixture
def machine(monkeypatch):
    """A machine without valgrind whose package was compiled by ``DEBIAN_GCC``; the counts of the cases are set."""
    counts = {"connect4-iterations": 1000.04, "tictactoe-iterations": 500.0}
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(instructions, "package_folder", lambda: Path("nowhere"))
    monkeypatch.setattr(instructions, "compiler_of", lambda folder: DEBIAN_GCC)
    monkeypatch.setattr(instructions, "valgrind_version", lambda: "3.19.0")
    monkeypatch.setattr(instructions, "supported", lambda folder: ["baseline"])
    monkeypatch.setattr(instructions, "measure", lambda folder, case, isa: counts[case.name])
    return counts


def run(*argv):
    return instructions.main(["--only", "connect4-iterations", "--only", "tictactoe-iterations", *map(str, argv)])


# ---- parsers ---------------------------------------------------------------------------------------------------------


def test_count_in_the_log():
    assert instructions.collected(LOG) == 111_912_287
    assert instructions.collected("a warning of the program\n" + LOG) == 111_912_287


@pytest.mark.parametrize("log", ["", "==1== Events    : Ir\n", "Collected : 5\n", "==1== Collected : many\n"])
def test_no_count_in_the_log(log):
    with pytest.raises(instructions.Failed, match="no count in the log"):
        instructions.collected(log)


@pytest.mark.parametrize(("binary", "signature", "name"), [
    (b"\0\x7fELF\0" + DEBIAN_GCC.encode() + b"\0.shstrtab", DEBIAN_GCC, "x86_64 gcc 12"),
    (b"\0" + DEBIAN_GCC.encode() + b"\0" + DEBIAN_CLANG.encode() + b"\0", DEBIAN_CLANG, "x86_64 clang 14"),
    (b"\0GCC: (GNU) 13.3.1 20240522 (Red Hat 13.3.1-1)\0", "GCC: (GNU) 13.3.1 20240522 (Red Hat 13.3.1-1)",
     "x86_64 gcc 13"),
    (b"\0clang version 18.1.8 (https://example.org abc)\0", "clang version 18.1.8 (https://example.org abc)",
     "x86_64 clang 18"),
    (b"\x7fELF\0.text\0", "unknown", None),
])
def test_compiler_of_a_binary(binary, signature, name, monkeypatch):
    monkeypatch.setattr(instructions.platform, "machine", lambda: "x86_64")
    assert instructions.signature_of(binary) == signature
    assert instructions.toolchain_name(signature) == name


def test_compiler_of_a_folder(tmp_path):
    assert instructions.compiler_of(tmp_path) == "unknown"
    package = tmp_path / "mcts_core" / "tree"
    package.mkdir(parents=True)
    (package / "_plain_tree_baseline.abi.so").write_bytes(b"\0" + DEBIAN_GCC.encode() + b"\0")
    assert instructions.compiler_of(tmp_path) == DEBIAN_GCC


def test_count_of_one_is_a_difference(monkeypatch):
    asked = []

    def workload(folder, options, case, count, isa):
        asked.append((options[0], count, isa))
        return [isa], f"==7== Collected : {90_000_000 + 1234 * count}\n"

    monkeypatch.setattr(instructions, "run_workload", workload)
    assert instructions.measure("folder", CONNECT4, "avx2") == 1234
    assert asked == [("--tool=callgrind", 1, "avx2"), ("--tool=callgrind", CONNECT4.count, "avx2")]


# ---- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("change", "expected"), [
    (None, "new"), (0.0, "same"), (0.0099, "same"), (-0.0099, "same"), (0.0101, "WORSE"), (-0.0101, "better")])
def test_verdict(change, expected):
    assert instructions.verdict(change, 0.01) == expected


def test_rows():
    counts = [(CONNECT4, "baseline", [1000.0, 1001.04]), (CONNECT4, "avx2", [800.0]), (TICTACTOE, "avx2", [90.0])]
    committed = {"baseline": {CONNECT4.name: 1000.0}, "avx2": {CONNECT4.name: 700.0}}
    first, second, third = instructions.compare(counts, committed, 0.01)
    assert (first["count"], first["committed"], first["verdict"]) == (1001.0, 1000.0, "same")
    assert first["change"] == pytest.approx(0.001)
    assert first["spread"] == pytest.approx(0.00104)
    assert second["verdict"] == "WORSE" and second["change"] == pytest.approx(1 / 7)
    assert third["verdict"] == "new" and third["change"] is None


def test_gate(committed_file, machine, capsys):
    assert run("--update") == 0
    document = json.loads(committed_file.read_text())
    assert document["toolchains"] == {"x86_64 gcc 12": {
        "compiler": DEBIAN_GCC, "valgrind": "3.19.0", "python": instructions.platform.python_version(),
        "values": {"baseline": {"connect4-iterations": 1000.0, "tictactoe-iterations": 500.0}}}}
    assert run() == 0
    assert "None worse by more than 1.0%" in capsys.readouterr().out

    machine["tictactoe-iterations"] = 506
    assert run() == 1
    assert "1 WORSE by more than 1.0%" in capsys.readouterr().out
    assert run("--tolerance", 0.02) == 0

    machine["tictactoe-iterations"] = 400
    assert run() == 0
    assert "1 better by more than 1.0%: `make instructions ARGS=--update`" in capsys.readouterr().out
    assert json.loads(committed_file.read_text()) == document


def test_other_compilers_are_not_judged(committed_file, machine, monkeypatch, capsys):
    run("--update")
    machine["tictactoe-iterations"] = 900
    monkeypatch.setattr(instructions, "compiler_of", lambda folder: DEBIAN_CLANG)
    capsys.readouterr()
    assert run() == 0
    shown = capsys.readouterr().out
    assert "WORSE" not in shown and "not judged" in shown and "+80.00 %" in shown
    assert run("--update") == 0
    toolchains = json.loads(committed_file.read_text())["toolchains"]
    assert toolchains["x86_64 gcc 12"]["values"]["baseline"]["tictactoe-iterations"] == 500
    assert toolchains["x86_64 clang 14"]["values"]["baseline"]["tictactoe-iterations"] == 900


def test_unknown_compilers_are_not_filed(committed_file, machine, monkeypatch):
    monkeypatch.setattr(instructions, "compiler_of", lambda folder: "unknown")
    assert run() == 0
    with pytest.raises(instructions.Failed, match="compiler is unknown"):
        run("--update")
    assert not committed_file.exists()


def test_update_keeps_what_was_not_counted_and_drops_cases_that_are_no_more(committed_file, machine, capsys):
    values = {"baseline": {"connect4-rollouts": 7.0, "gone": 1.0}, "avx2": {"connect4-iterations": 5.0}}
    committed_file.write_text(json.dumps({"toolchains": {"x86_64 gcc 12": {"values": values}}}))
    assert run("--update") == 0
    assert "does not run here under valgrind: avx2" in capsys.readouterr().out
    assert json.loads(committed_file.read_text())["toolchains"]["x86_64 gcc 12"]["values"] == {
        "baseline": {"connect4-iterations": 1000.0, "tictactoe-iterations": 500.0, "connect4-rollouts": 7.0},
        "avx2": {"connect4-iterations": 5.0}}


def test_json(committed_file, machine, tmp_path):
    assert run("--repeat", 2, "--json", tmp_path / "out.json") == 0
    document = json.loads((tmp_path / "out.json").read_text())
    assert document["toolchain"] == "x86_64 gcc 12"
    assert document["rows"][1] == {
        "case": "tictactoe-iterations", "title": "tic-tac-toe iterations", "isa": "baseline", "count": 500.0,
        "committed": None, "change": None, "verdict": "not judged", "repeats": [500.0, 500.0], "spread": 0.0}


@pytest.mark.parametrize(("arguments", "message"), [
    (["--only", "chess*"], "no case matches chess*"), (["--tolerance", "0"], "between 0 and 1"),
    (["--repeat", "0"], "at least 1"), (["--jobs", "0"], "at least 1")])
def test_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        instructions.main(arguments)
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def test_an_instruction_set_that_is_not_there(machine):
    with pytest.raises(instructions.Failed, match="none of avx9 runs here"):
        run("--isa", "avx9")


def test_without_valgrind(monkeypatch):
    monkeypatch.setattr(instructions.shutil, "which", lambda name: None)
    with pytest.raises(instructions.Failed, match="valgrind is not installed"):
        instructions.valgrind_version()


# ---- the committed file ----------------------------------------------------------------------------------------------


def test_committed_values_are_of_the_cases():
    document = instructions.read_committed()
    assert document["toolchains"]
    names = [case.name for case in instructions.CASES]
    assert len(set(names)) == len(names)
    for toolchain, entry in document["toolchains"].items():
        assert toolchain.endswith(instructions.toolchain_name(entry["compiler"]).split(" ", 1)[1])
        assert entry["valgrind"] and entry["python"]
        for cases in entry["values"].values():
            assert list(cases) == names
            assert all(count > 10 for count in cases.values())


# ---- a real count ----------------------------------------------------------------------------------------------------


TINY = instructions.Case("tiny", "tiny", "TicTacToe()", "iterations", 2_000)


@pytest.mark.needs("valgrind")
def test_a_real_log_has_a_count():
    """Of a short program: of the package itself it takes seconds, see the next test and ``make instructions``."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--vgdb=no", "true"],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and 10_000 < instructions.collected(done.stderr) < 50_000_000


@pytest.mark.needs("valgrind")
@pytest.mark.slow  # several runs under valgrind, of which each takes some seconds
@pytest.mark.parametrize("repeat", [1, 2])
def test_real_counts(repeat):
    folder = instructions.package_folder()
    assert "baseline" in instructions.supported(folder)  # this also writes the bytecode, so that no run counts that
    [(case, isa, counts)] = instructions.measure_all(
        folder, [(TINY, "baseline")], argparse.Namespace(repeat=repeat, jobs=2))
    assert (case, isa, len(counts)) == (TINY, "baseline", repeat)
    assert 50 < counts[0] < 50_000
    assert max(counts) == pytest.approx(min(counts), rel=1e-3)


@pytest.mark.long
@pytest.mark.needs("valgrind")
def test_workload_that_runs_and_one_that_fails(tmp_path):
    assert "baseline" in instructions.run_workload(instructions.package_folder(), ["--tool=none"], TINY, 10)[0]
    with pytest.raises(instructions.Failed, match=r"(?s)^tiny under valgrind ended with 1: Traceback.*No module named"):
        instructions.run_workload(tmp_path, ["--tool=none"], TINY, 10)  # which fails before seconds of imports
