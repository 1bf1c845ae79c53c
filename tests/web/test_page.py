"""The page without a server, tools/page: what its build makes, the page in a real Chromium (make test KIND=page)."""

import json
import re
import sys
import zipfile
from pathlib import Path

import accessibility
import browser
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "page"))

import build  # noqa: E402

SNAPSHOT = "engine/python.snapshot"
READY = "/Your turn\\.$|after \\d+ moves\\.$/.test(status())"


# -- the build -------------------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path):
    """A page with an engine that is not one."""
    pyodide = tmp_path / "pyodide"
    pyodide.mkdir()
    for name in build.OF_PYODIDE:
        (pyodide / name).write_text(name, encoding="utf-8")
    (pyodide / "pyodide-lock.json").write_text('{"info": {"abi": "1"}, "packages": {"numpy": {}}}', encoding="utf-8")
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for name in ("mcts_core/__init__.py", "mcts_core/arena.so", "mcts_core/arena.pyi", "mcts_core/game.pxd",
                     "mcts_core/web/static/app.js"):
            file.writestr(name, name)
    folder = tmp_path / "page"
    return folder, build.build(folder, wheel, pyodide), lambda: build.build(folder, wheel, pyodide)


def test_the_files_are_those_of_the_served_page_but_for_the_transport(made):
    folder, _, _ = made
    served = {path.name: path.read_bytes() for path in build.STATIC.iterdir()}
    found = {path.name: path.read_bytes() for path in [*(folder / "static").iterdir(), folder / "index.html"]}
    assert found.keys() == served.keys()
    assert {name for name in found if found[name] != served[name]} == {"transport.js"}


def test_the_engine_has_what_it_needs(made):
    folder, _, _ = made
    with zipfile.ZipFile(folder / "engine" / "mcts_core.zip") as file:
        assert file.namelist() == ["mcts_core/__init__.py", "mcts_core/arena.so"]
    assert json.loads((folder / "engine" / "pyodide-lock.json").read_text()) == {"info": {"abi": "1"}, "packages": {}}


def test_the_browser_keeps_every_file_and_knows_a_new_version(made):
    folder, files, again = made
    listed = folder / "engine" / "files.js"
    present = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    own = {"keeper.js", "engine/files.js"}  # the browser keeps a service worker and what it imports by itself
    assert {file["path"]: file["size"] for file in files} == {
        name: size for name, size in present.items() if name not in own}
    text = listed.read_text(encoding="utf-8")
    assert json.loads(text.partition("FILES = ")[2].rstrip(";\n")) == files
    again()
    assert listed.read_text(encoding="utf-8") == text
    (folder.parent / "pyodide" / "pyodide.js").write_text("newer", encoding="utf-8")
    again()
    assert listed.read_text(encoding="utf-8").partition("\n")[0] != text.partition("\n")[0]


def test_no_file_names_a_host():
    for path in [*build.STATIC.iterdir(), *build.HERE.glob("*.js")]:
        hosts = re.findall(r"https?://[\w.-]+", path.read_text(encoding="utf-8"))
        assert set(hosts) <= {"http://www.w3.org"}, path  # the namespace of SVG


# -- in a browser ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hosted():
    with browser.hosting() as url:
        yield url


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = browser.start_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def page(chromium, hosted):
    chromium.get("about:blank")
    chromium.get_log("browser")
    found = browser.Page(chromium, hosted)
    found.fill("#seconds", 0.2)
    yield found
    assert found.errors() == []


def over(page):
    return page.see("/(The engine wins|You win|A draw) after \\d+ moves\\.$/.test(status())")


@pytest.fixture
def told(hosted, tmp_path):
    """Opens the page in a browser that does not know it, after ``script``, and returns what the status line says."""
    drivers = []

    def visit(script=""):
        drivers.append(browser.start_chromium(tmp_path / str(len(drivers))))
        drivers[-1].execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script + """
            window.told = [];
            new MutationObserver(() => {
              const text = document.getElementById("status")?.textContent;
              if (text && text !== told.at(-1)) told.push(text);
            }).observe(document, { subtree: true, childList: true, characterData: true });"""})
        page = browser.Page(drivers[-1], hosted)
        assert page.errors() == []
        return page.see("told")

    yield visit
    for driver in drivers:
        driver.quit()


@pytest.mark.browser
def test_it_says_what_it_loads_and_how_far_it_is(told):
    connecting, *loading, python, package, ready = told()
    assert connecting == "Connecting…" and ready.endswith("Your turn.")
    assert (python, package) == ("Starting Python…", "Starting mcts_core…")
    found = [re.fullmatch(r"Loading (the page|Python|mcts_core): ([\d.]+) of 1\d\.\d MB…", text) for text in loading]
    shares = [float(each[2]) for each in found]
    assert len(shares) >= 2 and shares == sorted(shares)


@pytest.mark.browser
def test_a_browser_that_keeps_no_files_loads_them_each_time(told):
    connecting, *loading, ready = told("delete Navigator.prototype.serviceWorker;")
    assert loading == ["Loading Python…", "Starting mcts_core…"] and ready.endswith("Your turn.")


@pytest.mark.browser
def test_a_full_game_of_connect_four(page):
    page.begin("connect4")
    while not over(page):
        before = len(page.moves)
        page.cell(0, page.see("[3, 2, 4, 1, 5, 0, 6].find((col) => label(0, col).includes('empty'))"))
        page.grown(before + 1)
        page.settle()
        page.wait(READY)
    assert len(page.moves) >= 7
    page.click("#review")
    page.wait("status().startsWith('The review is done.')")
    assert page.see("document.querySelectorAll('#summary p').length") == 2


@pytest.mark.browser
def test_a_full_game_of_gomoku(page):
    """The visitor puts stones in a row where none are."""
    page.begin("gomoku", size=15)
    cells = [(row, col) for row in range(0, 15, 2) for col in range(15)]
    while not over(page):
        before = len(page.moves)
        row, col = next(cell for cell in cells if page.see("label(...arguments).includes('empty')", *cell))
        page.cell(row, col)
        page.grown(before + 1)
        page.settle()
        page.wait(READY)
    assert "The engine wins after" in page.status
    assert page.see("document.querySelectorAll('#grid [aria-label*=\"in the winning line\"]').length") >= 5


@pytest.mark.browser
def test_a_long_search_hears_what_the_visitor_does(page):
    page.begin("gomoku", size=15)
    page.fill("#seconds", 50)
    page.cell(7, 7)
    page.wait("document.querySelectorAll('#picture .bubbles circle').length > 2")
    page.click("#finish")
    page.settle()
    page.wait("status().startsWith('The engine plays')")
    page.cell(0, 0)
    page.wait("!off('finish')")
    page.click("#take-back")
    page.wait("status() === 'Taken back to move 2. Your turn.'")


@pytest.mark.browser
def test_levels_hints_and_analysis(page):
    page.begin("connect4")
    page.fill("#level", "beginner")
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert "Engine (beginner)" in page.text("second")
    page.click("#hint")
    page.wait("status().includes('Hint: ')")
    page.click("#analyse")
    page.wait("document.querySelectorAll('#picture .bubbles text').length === 7")
    page.click("#analyse")
    page.fill("#level", "full")
    page.link("game=tictactoe&moves=b2")
    page.wait("[...document.querySelectorAll('#picture .bubbles text')].filter("
              "(text) => /^[WLD][0-9]+$/.test(text.textContent)).length === 8")


@pytest.mark.browser
@pytest.mark.parametrize("use", [accessibility.play_by_the_keyboard, accessibility.read_the_screen])
def test_it_can_be_used_without_a_mouse_and_without_a_screen(page, use):
    page.link("")
    page.fill("#seconds", 0.2)
    use(page)


@pytest.mark.browser
def test_it_works_without_a_network_once_loaded(chromium):
    with browser.hosting() as url:
        page = browser.Page(chromium, url)
        page.wait(f"caches.match('{SNAPSHOT}').then((found) => found !== undefined)")
    chromium.get("about:blank")
    page = browser.Page(chromium, url)  # nobody answers there any more
    page.fill("#seconds", 0.1)
    page.begin("gomoku", size=15)
    page.cell(7, 7)
    page.grown(2)


@pytest.mark.browser
def test_a_damaged_snapshot_is_met_only_once(page):
    kept = f"caches.match('{SNAPSHOT}').then((found) => found?.blob()).then((blob) => blob?.size ?? 0)"
    page.wait(f"{kept}.then((size) => size > 1e6)")
    page.see("caches.keys().then((names) => caches.open(names[0])).then("
             f"(cache) => cache.put('{SNAPSHOT}', new Response('damaged')))")
    page.driver.refresh()
    page.wait(f"{kept}.then((size) => size === 0)")
    page.driver.get_log("browser")
    page.link("game=tictactoe&moves=b2")
    page.wait(f"{kept}.then((size) => size > 1e6)")
    page.driver.get_log("browser")  # the page that was left may have complained meanwhile
