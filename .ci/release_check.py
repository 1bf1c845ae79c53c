"""Is this tree ready to be released? Builds the sdist and the wheel of what git tracks, looks at both, runs the gates.

    make release-check
    make release-check ARGS="--tag v1.2.3"     # the tree is that release: clean, and dated in CHANGELOG.md
    make release-check ARGS="--dist dist"      # these files are looked at, and nothing is built

The exit status is 0 when nothing is wrong, else 1; everything that is wrong is told.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NAME = "mcts_core"
GATES = ("lint", "docs", "test")
"""Targets of the Makefile that must pass, the quickest first."""

NOT_IN_SDIST = (".gitignore",)
"""What only the repository has a use for."""
MADE_FOR_SDIST = ("PKG-INFO", "setup.cfg", f"{NAME}.egg-info/")
NATIVE = (".so", ".pyd")
NAMING_VERSION = ("CITATION.cff", "tools/conda/recipe.yaml")
"""Files that repeat the version."""
LARGEST = 4_000_000
"""Bytes of a wheel."""
SLOWEST = 0.1
"""Seconds of a processor that importing the package takes, above those of Python alone."""
HEADERS = {f"{NAME}/game.pxd", f"{NAME}/simple_game.pxd"}
"""The .pxd that others build on; those of the modules for each other are not installed."""


def version_of_tree() -> str:
    """The version as the package says it, read and not imported: nothing is built here."""
    text = (ROOT / NAME / "__init__.py").read_text(encoding="utf-8")
    version, = re.findall('^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


# ---- what git knows

def git(*arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or error
        raise SystemExit(f"error: only a git checkout can be checked for a release: {reason}") from None
    return done.stdout


def tracked() -> list[str]:
    """The files that git tracks, as paths from the root with slashes."""
    names = git("ls-files", "-z").split("\0")[:-1]
    missing = [name for name in names if not (ROOT / name).is_file()]
    if missing:
        raise SystemExit(f"error: git tracks files that are not there: {', '.join(missing)}")
    return names


def tag_problems(tag: str, version: str, changes: str) -> Iterator[str]:
    """``changes``: what ``git status --porcelain`` prints."""
    if tag != f"v{version}":
        yield f"the tag of version {version} must be v{version}, got {tag}"
    if changes.strip():
        yield "there are files that are not committed:\n" + changes.rstrip()


# ---- the tree

def texts_of(names: Iterable[str]) -> dict[str, str]:
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def changelog_problems(text: str, version: str, *, dated: bool) -> Iterator[str]:
    """The first heading of CHANGELOG.md must be this version's, with a date, or [Unreleased], unless it is ``dated``.
    None stands twice."""
    headings = re.findall(r"^## \[([^\]]+)\](?: - (.+))?$", text, re.MULTILINE)
    if not headings:
        yield "CHANGELOG.md has no heading like '## [1.2.3] - 2000-12-31'"
        return
    first, date = headings[0]
    if first == "Unreleased":
        headings = headings[1:]
    if first not in ([version] if dated else [version, "Unreleased"]):
        yield f"the first version in CHANGELOG.md must be {version}, as in mcts_core/__init__.py, got {first}"
    for heading, date in headings:
        if not re.fullmatch(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", date):
            yield f"the date of {heading} in CHANGELOG.md must be like 2000-12-31, got {date or 'none'}"
    versions = [heading for heading, _ in headings]
    for heading in sorted({heading for heading in versions if versions.count(heading) > 1}):
        yield f"{heading} stands twice in CHANGELOG.md"


def version_problems(files: Mapping[str, str], version: str) -> Iterator[str]:
    """``files``: name -> text of those that name the version on a line of their own."""
    for name, text in files.items():
        found = re.findall(r'^ *version: "(.+)"$', text, re.MULTILINE)
        if found != [version]:
            yield f"{name} must name version {version} once, got {', '.join(found) or 'none'}"


def recipe_problems(text: str, pyproject: Mapping[str, Any]) -> Iterator[str]:
    """``text``: the recipe for conda, which repeats what pyproject.toml says."""
    import yaml

    project = pyproject["project"]
    try:
        recipe = yaml.safe_load(text)
        requirements, about = recipe["requirements"], recipe["about"]
        pairs = [
            ("entry points", sorted(recipe["build"]["python"]["entry_points"]),
             sorted(f"{name} = {target}" for name, target in project["scripts"].items())),
            ("packages to build with", sorted(each.replace(" ", "") for each in requirements["host"]),
             sorted(["python", "pip", *pyproject["build-system"]["requires"]])),
            ("packages to run with", requirements["run"], [f"python {project['requires-python']}"]),
            ("license", about["license"], project["license"]),
            ("license file", about["license_file"], *project["license-files"]),
            ("name", recipe["package"]["name"], project["name"]),
        ]
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        yield f"the recipe for conda cannot be read: {error!r}"
        return
    for what, found, wanted in pairs:
        if found != wanted:
            yield f"the recipe for conda must have the {what} of pyproject.toml, {wanted}, got {found}"


def citation_problems(text: str, license_name: str) -> Iterator[str]:
    """``text``: CITATION.cff, by what its format requires."""
    import yaml

    try:
        found = yaml.safe_load(text)
        missing = [name for name in ("cff-version", "message", "title", "authors") if not found.get(name)]
        authors = [*(found.get("authors") or ())]
        nameless = [each for each in authors if not {"name", "family-names", "given-names", "alias"} & each.keys()]
    except (yaml.YAMLError, TypeError, AttributeError) as error:
        yield f"CITATION.cff cannot be read: {error!r}"
        return
    for name in missing:
        yield f"CITATION.cff lacks {name}"
    for each in nameless:
        yield f"an author in CITATION.cff has no name: {each}"
    if found.get("license") != license_name:
        yield f"the license in CITATION.cff must be {license_name}, as in pyproject.toml, got {found.get('license')}"


def workflow_problems(files: Mapping[str, str]) -> Iterator[str]:
    """``files``: name -> text of the workflows. A tag of somebody else's can be moved, a commit cannot."""
    for name, text in files.items():
        for action, rest in re.findall(r"uses: *(\S+)(.*)$", text, re.MULTILINE):
            if action.startswith("./"):
                continue
            if not re.search(r"@[0-9a-f]{40}$", action):
                yield f"{name} must pin {action} by the hash of a commit"
            elif not re.fullmatch(r" +# v\d+(\.\d+)*", rest):
                yield f"{name} must say beside {action} which version that is"


def site_problems(text: str, tracked: Iterable[str], groups: Iterable[str], makefile: str) -> Iterator[str]:
    """``text``: .readthedocs.yaml, whose commands must exist and do what ``make docs`` does."""
    import yaml

    try:
        jobs = yaml.safe_load(text)["build"]["jobs"]
        commands = [shlex.split(line) for line in [*jobs["install"], *jobs["build"]["html"]]]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        yield f".readthedocs.yaml must list commands in build.jobs: {error!r}"
        return
    known = {*tracked, *makefile.replace('"', " ").split(), *groups, "."}
    for command in commands:
        match command:
            case ["python", "-m", "pip", "install", *wanted]:
                what = "neither a group nor installed by the Makefile"
            case ["python", script, _]:
                wanted, what = [script], "not in the repository"
            case ["sphinx-build", *wanted, ".", "$READTHEDOCS_OUTPUT/html"]:
                what = "not an argument in the Makefile"
            case _:
                wanted, what = [shlex.join(command)], "not a command that make docs runs"
        for each in wanted:
            if each not in known:
                yield f".readthedocs.yaml: {each} is {what}"
    if "sphinx-build" not in (command[0] for command in commands):
        yield ".readthedocs.yaml builds no site"


# ---- what is released

def sdist_problems(tracked: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    """``names``: the files of the sdist, without its folder."""
    wanted = {name for name in tracked if not name.startswith(NOT_IN_SDIST)}
    found = set(names)
    for name in sorted(wanted - found):
        yield f"the sdist lacks {name}: see MANIFEST.in"
    for name in sorted(found - wanted):
        if not name.startswith(MADE_FOR_SDIST):
            yield f"the sdist has {name}, which it should not"
    if "PKG-INFO" not in found:
        yield "the sdist has no PKG-INFO"


def wheel_problems(tracked: Iterable[str], names: Iterable[str]) -> Iterator[str]:
    """Of the package a wheel has every file that git tracks, but for the .pxd that are no contract, and one or more
    modules for each .pyx below src/mcts_core; nothing of ``testing``, which is for the tests; no more."""
    known = [name for name in tracked if not name.startswith((f"{NAME}/testing/", f"src/{NAME}/testing/"))]
    wanted = {name for name in known if name.startswith(f"{NAME}/")
              and (not name.endswith(".pxd") or name in HEADERS)}
    sources = {name.removeprefix(f"src/{NAME}/").removesuffix(".pyx") for name in known
               if re.fullmatch(rf"src/{NAME}/.+\.pyx", name)}
    found = {name for name in names if not re.match(rf"{NAME}-[^/]+\.dist-info/", name)}
    built = set()
    for name in sorted(found - wanted):
        if re.fullmatch(rf"{NAME}/_cython(?:\.[\w-]+)?(?:{'|'.join(map(re.escape, NATIVE))})", name):
            continue  # what Cython shares between its modules
        module = re.fullmatch(rf"{NAME}/([\w/]+)(?:\.[\w-]+)?(?:{'|'.join(map(re.escape, NATIVE))})", name)
        source = module and source_of(module.group(1), sources)
        if source:
            built.add(source)
        else:
            yield f"the wheel has {name}, which it should not"
    for name in sorted(wanted - found):
        yield f"the wheel lacks {name}: see package_data in setup.py"
    for source in sorted(sources - built):
        yield f"the wheel has no module of src/{NAME}/{source}.pyx"
    if f"{NAME}/py.typed" not in found:
        yield "the wheel lacks py.typed"


def source_of(module: str, sources: set[str]) -> str | None:
    """The source of a native module: of its own name, or, for the hot ones, without the instruction set."""
    plain = re.sub(r"_(\w+)_[a-z0-9]+$", r"\1", module)
    return next((name for name in (module, plain) if name in sources), None)


def native_problems(name: str, data: bytes) -> Iterator[str]:
    """A module for everybody has no debug information: it is most of its size, and names folders of the builder."""
    if b".debug_info\0" in data or b"__debug_info\0" in data:
        yield f"{name} has debug information: build it without -g in CFLAGS"


def metadata_problems(text: str, version: str, classifiers: Iterable[str]) -> Iterator[str]:
    """``text``: METADATA or PKG-INFO; ``classifiers``: those that there are."""
    from packaging.metadata import Metadata, parse_email

    raw, unknown = parse_email(text)
    for field in sorted(unknown):
        yield f"the metadata has a field {field!r} that is unknown, or there twice"
    try:
        metadata = Metadata.from_raw(raw)
    except ExceptionGroup as errors:
        yield from (f"the metadata is not valid: {error}" for error in errors.exceptions)
        return
    if str(metadata.version) != version:
        yield f"the version of the metadata must be {version}, as in mcts_core/__init__.py, got {metadata.version}"
    if metadata.description_content_type != "text/markdown":
        yield f"the description must be text/markdown, got {metadata.description_content_type}"
    for requirement in metadata.requires_dist or ():
        if "extra" not in str(requirement.marker):
            yield f"the package alone must need nothing else, got {requirement}"
    for classifier in sorted({*(metadata.classifiers or ())} - {*classifiers}):
        yield f"no such classifier: {classifier!r}"
    if not metadata.license_expression or not metadata.license_files:
        yield "the metadata names no license, or not its file"


def description_problems(text: str, readme: str, render: Callable[[str], str | None]) -> Iterator[str]:
    """Whether METADATA or PKG-INFO describes the package as README.md does, and so that its page can show it: as
    ``render``, the renderer of such pages, makes HTML of it, which knows no other file of the repository."""
    from packaging.metadata import parse_email

    description = parse_email(text)[0].get("description", "")
    html = render(description)
    if not html:
        yield "the description does not render"
        return
    if words(html) != words(render(readme) or ""):
        yield "the description does not say what README.md says"
    parts = {f"#{name}" for name in re.findall(r'id="([^"]*)"', html)}
    for address in re.findall(r'(?:href|src)="([^"]*)"', html):
        if not address.startswith("https://") and address not in parts:
            yield f"{address} leads nowhere from the page of the package"
    blocks = r"^```.*?^```$"
    outside = re.sub(blocks, "", description, flags=re.MULTILINE | re.DOTALL)
    for what, source, tag in (
        ("blocks", len(re.findall(blocks, description, re.MULTILINE | re.DOTALL)), "<pre"),
        ("tables", len(re.findall(r"^\|(?: *:?-+:? *\|)+$", outside, re.MULTILINE)), "<table"),
        ("pictures", len(re.findall(r"!\[[^\]]*\]\([^)]+\)", outside)), "<img"),
        ("headings", len(re.findall(r"^#+ ", outside, re.MULTILINE)), "<h[1-6]"),
    ):
        shown = len(re.findall(tag, html))
        if shown != source:
            yield f"the description has {source} {what}, of which {shown} are rendered"


def words(html: str) -> list[str]:
    return re.sub(r"<[^>]*>", "", html).split()


def python_of(environment: Path) -> Path:
    return environment / ("Scripts" if os.name == "nt" else "bin") / "python"


def installed_problems(wheel: Path, work: Path, version: str) -> Iterator[str]:
    """Installs the wheel alone in a new environment, ``work``, and uses it."""
    shutil.rmtree(work, ignore_errors=True)
    venv.create(work, with_pip=True)
    python = python_of(work)
    block = "import mcts_core as mc; print(mc.search(mc.TicTacToe.from_moves([0, 1, 3]), iterations=500, seed=1))"
    for arguments, wanted in (
        (["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", str(wheel)], ""),
        (["-m", NAME, "--version"], f"mcts-core {version}"),
        (["-c", f"import {NAME}; print({NAME}.__version__)"], version),
        (["-c", block], "6"),
    ):
        done = subprocess.run([python, *arguments], cwd=work, capture_output=True, text=True)
        if done.returncode or done.stdout.split()[:len(wanted.split())] != wanted.split():
            said = (done.stdout + done.stderr).strip()
            yield f"with the wheel, python {' '.join(arguments)} must print {wanted or 'nothing'}, got {said}"
            return
    command = [sys.executable, "-m", "uv", "tool", "run", "--offline", "--no-config", "--python", str(python),
               "--from", str(wheel), "mcts-core", "--version"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env=os.environ | {"UV_NO_PROGRESS": "1"})
    if done.returncode or done.stdout.split()[:2] != ["mcts-core", version]:
        yield f"uvx mcts-core --version must print mcts-core {version}, got {(done.stdout + done.stderr).strip()}"


def import_seconds(python: Path) -> float:
    """What ``import mcts_core`` takes of a processor, above Python alone: the least of five."""
    def least(code: str) -> float:
        spent = []
        for _ in range(5):
            before = os.times()
            subprocess.run([python, "-P", "-c", code], check=True)
            after = os.times()
            spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
        return min(spent)

    return least(f"import {NAME}") - least("pass")


def import_problems(seconds: float) -> Iterator[str]:
    if seconds > SLOWEST:
        yield f"importing the package may take {SLOWEST} s of a processor, got {seconds:.2f} s"


# ---- how it is built and looked at

def build(names: Iterable[str], work: Path) -> Path:
    """Builds the sdist from a copy of the files of git, which is no checkout, and the wheel from the sdist."""
    shutil.rmtree(work, ignore_errors=True)
    copy, dist = work / "source", work / "dist"
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(dist), str(copy)], check=True)
    return dist


def released(dist: Path) -> tuple[Path, list[Path]]:
    """The sdist and the wheels in a folder."""
    sdists, wheels = sorted(dist.glob("*.tar.gz")), sorted(dist.glob("*.whl"))
    if len(sdists) != 1 or not wheels:
        raise SystemExit(f"error: {dist} must hold one sdist and its wheels, got {len(sdists)} and {len(wheels)}")
    return sdists[0], wheels


def artifact_problems(dist: Path, names: list[str], version: str) -> Iterator[str]:
    """Everything about the files that are released, but for using them."""
    import readme_renderer.markdown
    from trove_classifiers import classifiers

    sdist, wheels = released(dist)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    def of_metadata(text: str) -> Iterator[str]:
        yield from metadata_problems(text, version, classifiers)
        yield from description_problems(text, readme, readme_renderer.markdown.render)

    stem = f"{NAME}-{version}"
    if sdist.name != f"{stem}.tar.gz":
        yield f"the sdist must be {stem}.tar.gz, got {sdist.name}"
    with tarfile.open(sdist) as archive:
        members = {member.name.partition("/")[2]: member for member in archive if member.isfile()}
        yield from sdist_problems(names, members)
        for name in set(names) & set(members):
            if archive.extractfile(members[name]).read() != (ROOT / name).read_bytes():
                yield f"{name} is another one in the sdist"
        if "PKG-INFO" in members:
            yield from of_metadata(archive.extractfile(members["PKG-INFO"]).read().decode())
    for wheel in wheels:
        if not wheel.name.startswith(f"{stem}-"):
            yield f"a wheel must be {stem}-*.whl, got {wheel.name}"
            continue
        for problem in problems_of_wheel(wheel, names, version, of_metadata):
            yield f"{wheel.name}: {problem}"


def problems_of_wheel(wheel: Path, names: list[str], version: str,
                      of_metadata: Callable[[str], Iterable[str]]) -> Iterator[str]:
    size = wheel.stat().st_size
    if size > LARGEST:
        yield f"a wheel may take {LARGEST / 1e6} MB, got {size / 1e6:.2f} MB"
    with zipfile.ZipFile(wheel) as archive:
        files = [name for name in archive.namelist() if not name.endswith("/")]
        yield from wheel_problems(names, files)
        metadata = f"{NAME}-{version}.dist-info/METADATA"
        if metadata in files:
            yield from of_metadata(archive.read(metadata).decode())
        else:
            yield f"it has no {metadata}"
        for name in files:
            if name.endswith(NATIVE):
                yield from native_problems(name, archive.read(name))


def own_wheel(wheels: Iterable[Path]) -> Path | None:
    """The wheel that runs here."""
    from packaging.tags import sys_tags
    from packaging.utils import parse_wheel_filename

    here = set(sys_tags())
    return next((wheel for wheel in wheels if here & parse_wheel_filename(wheel.name)[3]), None)


def gate_problems() -> Iterator[str]:
    """Runs the gates."""
    for gate in GATES:
        print(f"==== make {gate}", flush=True)
        if subprocess.run(["make", gate, "ARGS="], cwd=ROOT).returncode:  # not those of make release-check
            yield f"make {gate} fails"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", metavar="TAG", help="the tag of the release, v and the version")
    parser.add_argument("--dist", type=Path, metavar="DIR", help="the sdist and the wheels (default: built here)")
    parser.add_argument("--no-gates", action="store_true", help=f"leave out make {', make '.join(GATES)}")
    args = parser.parse_args(argv)
    version = version_of_tree()
    names = tracked()
    count = 0

    def report(what: str, problems: Iterable[str]) -> bool:
        nonlocal count
        found = list(problems)
        count += len(found)
        print(f"{'FAIL' if found else 'ok  '} {what}", *found, sep="\n     ", flush=True)
        return not found

    if args.tag:
        report(f"the tag {args.tag}", tag_problems(args.tag, version, git("status", "--porcelain")))
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    report("CHANGELOG.md", changelog_problems(text, version, dated=bool(args.tag)))
    report("other files that name the version", version_problems(texts_of(NAMING_VERSION), version))
    report("workflows", workflow_problems(texts_of(name for name in names if name.startswith(".github/workflows/"))))
    site, text, makefile = texts_of([".readthedocs.yaml", "pyproject.toml", "Makefile"]).values()
    pyproject = tomllib.loads(text)
    project = pyproject["project"]
    report(".readthedocs.yaml", site_problems(site, names, pyproject["dependency-groups"], makefile))
    citation, recipe = texts_of(NAMING_VERSION).values()
    report("CITATION.cff", citation_problems(citation, project["license"]))
    report("the recipe for conda", recipe_problems(recipe, pyproject))
    dist = args.dist or build(names, ROOT / "build" / "release")
    report("sdist, wheels, metadata, README.md", artifact_problems(dist, names, version))
    wheel, environment = own_wheel(released(dist)[1]), ROOT / "build" / "release-venv"
    if wheel is None:
        report("the installed wheel", ["none of the wheels is for this Python and machine"])
    elif report("the installed wheel", installed_problems(wheel.resolve(), environment, version)):
        seconds = import_seconds(python_of(environment))
        size = wheel.stat().st_size / 1e6
        report(f"the wheel takes {size:.2f} MB, and its import {1000 * seconds:.0f} ms of a processor",
               import_problems(seconds))
    if not args.no_gates:
        report("the gates", gate_problems())
    print(f"{count} problems" if count else f"{NAME} {version} is ready")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
