"""What is to be built: the configuration and the workflow say the same."""

import fnmatch
import json
import re
import runpy
import sysconfig
import tomllib
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ["cp311", "cp312", "cp313", "cp314", "cp314t", "cp315", "cp315t"]
PLATFORMS = ["manylinux_x86_64", "manylinux_aarch64", "musllinux_x86_64", "musllinux_aarch64",
             "macosx_x86_64", "macosx_arm64", "win_amd64", "win_arm64"]
EVERY = {f"{python}-{platform}" for python in PYTHONS for platform in PLATFORMS}


def test_the_configuration_selects_exactly_these():
    patterns = PROJECT["tool"]["cibuildwheel"]["build"].split()
    for name in EVERY:
        assert any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name
    for name in ("cp310-manylinux_x86_64", "cp316-win_amd64", "pp311-macosx_arm64"):
        assert not any(fnmatch.fnmatch(name, pattern) for pattern in patterns), name
    versions = {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 16)}
    assert versions <= set(PROJECT["project"]["classifiers"])


def test_the_workflow_has_a_machine_for_each_platform_and_waits_for_all():
    names = re.findall(r"- \{ name: ([\w-]+), runner: ([\w.-]+), skip: \"(.*?)\" \}", WORKFLOW)
    assert [name.replace("-", "_").replace("macos_", "macosx_").replace("windows_", "win_")
            for name, _, _ in names] == PLATFORMS
    for name, runner, skip in names:
        assert ("arm" in runner or runner == "macos-15") == (name.endswith(("aarch64", "arm64")))
        assert skip == {"manylinux": "*-musllinux_*", "musllinux": "*-manylinux_*"}.get(name.split("-")[0], "")
    assert f"-eq {len(EVERY)}" in WORKFLOW
    assert "needs: [sdist, wheels]" in WORKFLOW


def test_changes_of_native_code_build_a_wheel_for_systems_that_compile_nothing_else():
    text = (ROOT / ".github" / "workflows" / "systems.yml").read_text(encoding="utf-8")
    names = re.findall(r"- \{ name: (\w+), runner: ([\w.-]+) \}", text)
    assert set(names) == {("macosx_arm64", "macos-15"), ("win_amd64", "windows-2022")}
    only = re.search(r"--only (cp\d+)-\$\{\{ matrix.name \}\}", text)[1]
    assert {f"{only}-{name}" for name, _ in names} <= EVERY
    paths = json.loads(re.search(r"paths: (\[.*\])", text)[1])
    assert "src/**" in paths


def test_the_tools_that_build_and_upload_are_pinned_by_hash():
    pinned = (ROOT / ".ci" / "tools.txt").read_text(encoding="utf-8")
    wanted = [line for line in (ROOT / ".ci" / "tools.in").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    names = [re.match(r"\w+", line)[0] for line in wanted]
    assert names == ["build", "cibuildwheel", "twine"]
    for name in names:
        assert re.search(rf"^{name}==[\d.]+ \\\n    --hash=sha256:[0-9a-f]{{64}}", pinned, re.MULTILINE), name
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for command in re.findall(r"pip install (.*)", path.read_text(encoding="utf-8")):
            assert command == "--require-hashes -r .ci/tools.txt", path.name


def test_webassembly_is_configured_as_it_is_tested_here():
    settings = PROJECT["tool"]["cibuildwheel"]["pyodide"]
    common = (ROOT / "tools" / "cross" / "common.py").read_text(encoding="utf-8")
    assert f'PYTHON = "{settings["build"].removeprefix("cp").removesuffix("-*")}"' in common
    tool = (ROOT / "tools" / "cross" / "wasm.py").read_text(encoding="utf-8")
    assert f'WITHOUT = "{settings["test-environment"]["MCTS_CORE_TESTS_WITHOUT"]}"' in tool
    assert all(f'"{name}"' in tool for name in settings["test-requires"])
    assert 'MARKED = "wasm and not slow"' in tool and " -m 'wasm and not slow' " in settings["test-command"]


def test_the_wheel_for_pyodide_is_built_and_not_published():
    job = WORKFLOW.partition("\n  pyodide:\n")[2].partition("\n  publish:\n")[0]
    assert "cibuildwheel --platform pyodide" in job
    name = re.search(r"name: (\w+)\n          path: wheelhouse", job)[1]
    published = re.search(r'pattern: "\{(.+)\}"', WORKFLOW)[1].split(",")
    assert [any(fnmatch.fnmatch(each, pattern) for pattern in published)
            for each in (name, "sdist", "wheels-manylinux-x86_64")] == [False, True, True]


def test_only_the_job_that_publishes_may_ask_for_a_token():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE), path.name
        assert "secrets." not in text and "pull_request_target" not in text
        assert text.count("persist-credentials: false") == text.count("actions/checkout@")
        before, _, job = text.partition("\n  publish:\n")
        assert "write" not in before
        assert ("id-token: write" in job and "attestations: write" in job) == (path.name == "wheels.yml")


def test_platforms_without_some_packages_leave_out_what_exists():
    settings = PROJECT["tool"]["cibuildwheel"]
    without = settings["test-environment"]["MCTS_CORE_TESTS_WITHOUT"].split()
    conftest = (ROOT / "tests" / "conftest.py").read_text(encoding="utf-8")
    for package in without:
        files = re.search(rf'"{package}": \[(.*?)\]', conftest, re.DOTALL).group(1)
        for name in re.findall(r'"(\w+\.py)"', files):
            assert (ROOT / "tests" / name).exists()


def test_modules_have_no_debug_information_unless_it_is_asked_for(monkeypatch):
    monkeypatch.chdir(ROOT)
    for asked, given in (("", True), ("-O2 -g0 -Wall", True), ("-g", False), ("-O2 -ggdb3", False)):
        monkeypatch.setenv("CFLAGS", asked)
        assert ("-g0" in runpy.run_path("setup.py")["COMMON_FLAGS"]["unix"]) == given


def test_what_is_compiled_in_a_special_way_is_there(monkeypatch):
    monkeypatch.chdir(ROOT)
    setup = runpy.run_path("setup.py")
    cold, warm = set(setup["COLD_MODULES"]), set(setup["WARM_MODULES"])
    assert cold | warm <= set(setup["MODULES"]) and not cold & warm
    assert all(set(names) <= set(setup["HOT_MODULES"]) for names in setup["GAINING"].values())


@pytest.mark.parametrize(("asked", "options", "probes", "others"), [
    ("", {}, False, True),
    ("1", {}, True, True),
    ("only", {}, True, False),
    ("", {"inplace": True}, True, True),
    ("", {"editable_mode": True}, True, True),
    ("only", {"inplace": True}, True, True),
])
def test_the_wheel_has_no_modules_for_the_tests_unless_they_are_asked_for(monkeypatch, asked, options, probes, others):
    import setuptools

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MCTS_CORE_TESTING", asked)
    setup = runpy.run_path("setup.py")
    names = ["testing.probe", "checks.table_probe", "errors"]
    distribution = setuptools.Distribution({"ext_modules": [setup["extension"](name, "x.pyx") for name in names]})
    command = setup["BuildExt"](distribution)
    for option, value in options.items():
        setattr(command, option, value)
    command.ensure_finalized()
    found = {extension.name.removeprefix("mcts_core.") for extension in command.extensions}
    assert found == set(names[:1] * probes + names[1:] * others)


def test_a_copy_for_an_instruction_set_differs_by_its_name_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    setup = runpy.run_path("setup.py")
    path = tmp_path / "_rollout_baseline.c"
    path.write_text("PyInit__rollout_baseline(void) { return 1; }\n")
    translated = setup["Extension"]("mcts_core.games._rollout_baseline", [str(path)])
    assert setup["c_source"](translated, translated.name) == str(path)
    copy = Path(setup["c_source"](translated, "mcts_core.games._rollout_avx2"))
    assert copy == tmp_path / "_rollout_avx2.c"
    assert copy.read_text() == "PyInit__rollout_avx2(void) { return 1; }\n"


def test_modules_of_this_python_are_found_by_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for name in (f"tree/check{suffix}", f"errors{suffix}", "errors.cpython-27.so", "errors.py"):
        (tmp_path / "mcts_core" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mcts_core" / name).touch()
    found = runpy.run_path("setup.py")["modules_below"](tmp_path)
    assert sorted(found.values()) == ["mcts_core.errors", "mcts_core.tree.check"]


def test_without_a_compiler_that_works_the_build_stops_with_one_sentence(monkeypatch):
    monkeypatch.chdir(ROOT)
    setup = runpy.run_path("setup.py")
    compiler = types.SimpleNamespace(compiler_so=["some-cc", "-O2"])

    def compile(*arguments, **options):
        raise setup["CompileError"]("command failed")

    compiler.compile = compile
    with pytest.raises(SystemExit, match=r"^error: mcts_core is compiled, .* but some-cc is not there or cannot"):
        setup["ask_compiler"](compiler)


@pytest.mark.parametrize(("switch", "plain"), [
    ("", []),
    ("1", ["dispatch", "tree._plain_tree_avx512", "tree._plain_tree_avx2", "tree._plain_tree_baseline", "tree.check"]),
    ("baseline", ["tree._plain_tree_baseline", "tree.check"]),  # dispatch must see AVX2, else its modules never run
])
def test_portable_branches_are_built_as_asked(monkeypatch, switch, plain):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("MCTS_CORE_PLAIN_C", switch)
    setup = runpy.run_path("setup.py")
    hot = [setup["hot_name"]("tree.plain_tree", isa) for isa in ("avx512", "avx2", "baseline")]
    modules = {name: setup["extension"](name, "x.pyx") for name in ["dispatch", *hot, "tree.check"]}
    assert [name for name, module in modules.items() if module.define_macros == [("MCTS_PLAIN_C", "1")]] == plain
