"""bench/claims.py: every claim has its command, page and row in the index, and a run says what failed."""

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"
sys.path.insert(0, str(BENCH))

import claims  # noqa: E402

sys.path.remove(str(BENCH))


def test_scripts_and_pages_are_there():
    assert len({claim.name for claim in claims.CLAIMS}) == len(claims.CLAIMS)
    for claim in claims.CLAIMS:
        assert (ROOT / claim.command.split()[0]).exists(), claim
        page, _, section = claim.page.partition("#")
        headings = re.findall(r"^#+ (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert not section or section in [heading.lower().replace(" ", "-") for heading in headings], claim


def test_the_index_lists_every_claim_with_its_command():
    text = (BENCH / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| \[.+\]\((.+)\) \| `(.+?)`", text, re.MULTILINE)
    wanted = []
    for claim in claims.CLAIMS:
        page = claim.page.removeprefix("bench/") if claim.page.startswith("bench/") else f"../{claim.page}"
        wanted.append((claim.name, page, claim.command))
    assert rows == wanted


def test_every_script_that_a_page_names_is_measured_or_explained():
    """No script without a claim but those for matches and for the project itself, which README.md describes."""
    measured = {claim.command.split()[0] for claim in claims.CLAIMS}
    text = (BENCH / "README.md").read_text(encoding="utf-8")
    for path in [*BENCH.glob("*.py"), *(ROOT / "docs" / "figures").glob("*.py")]:
        if path.read_text(encoding="utf-8").startswith("#!") and path.name not in ("claims.py", "install.py"):
            name = path.relative_to(ROOT).as_posix()
            assert name in measured or f"`{path.name}`" in text, name


def test_a_run_tells_what_failed_and_leaves_out_what_is_not_installed(monkeypatch, tmp_path, capfd):
    (tmp_path / "good.py").write_text("import sys; print('said', *sys.argv[1:])")
    (tmp_path / "bad.py").write_text("raise SystemExit(3)")
    first = replace(claims.CLAIMS[0], name="good", command="good.py --rounds 3", needs=("json",))
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    monkeypatch.setattr(claims, "CLAIMS", (first, replace(first, name="bad", command="bad.py"),
                                           replace(first, name="other", needs=("no_such_package.part",))))
    assert claims.main([]) == 1
    said = capfd.readouterr()
    assert "said --rounds 3\n" in said.out and "other: left out, no_such_package.part is not installed" in said.out
    assert said.err == "error: failed or missed a goal: bad (exit status 3)\n"
    assert (tmp_path / "build" / "claims" / "good.txt").read_text() == "said --rounds 3\n"
    assert claims.main(["good", "--", "--quick"]) == 0 and "said --quick\n" in capfd.readouterr().out


@pytest.mark.parametrize(("argv", "message"), [
    (["no"], "NAME must be one of speed, "), (["speed", "nested", "--", "x"], "name one claim"),
    (["--", "x"], "name one claim"),
])
def test_wrong_names_are_refused(argv, message, capsys):
    with pytest.raises(SystemExit):
        claims.main(argv)
    assert message in capsys.readouterr().err
