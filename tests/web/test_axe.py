"""The page as axe-core finds it: make test KIND=axe."""

import os
import pathlib

import browser
import pytest
from nim import SmallNim

pytestmark = pytest.mark.axe
GAMES = {
    "connect4": "game=connect4&rows=6&cols=7&connect=4&moves=4,4,4,4,4,3,2,6",
    "gomoku": "game=gomoku&size=15&rule=freestyle&moves=h8,i9,h9,i8,h10,h11&line=0.2:g7,i7",
    "tictactoe": "game=tictactoe&moves=b2,a2,a1,c1",
}


SCREENS = [(width, height, scheme) for scheme in ("light", "dark")
           for width, height in ((1280, 800), (768, 1024), (360, 640))]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = browser.start_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def served(chromium):
    with browser.serving() as found:
        yield browser.Page(chromium, found.url)


@pytest.fixture(scope="module")
def hosted(chromium):
    with browser.hosting() as url:
        yield browser.Page(chromium, url)


def findings(page, game, width, height, scheme):
    """With a reviewed game, the search of its last position, an error at a field, and all parts open."""
    browser.resize(page.driver, width, height)
    browser.prefer(page.driver, scheme)
    page.link(GAMES[game])
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.js("document.getElementById('position').open = true")
    page.fill("#seconds", "0")
    return axe(page)


def axe(page):
    page.js(pathlib.Path(os.environ["AXE"]).read_text(encoding="utf-8"))
    return page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document).then(({violations}) => done("
        "violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)])))")


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("game", GAMES)
def test_there_are_no_findings(served, game, screen):
    assert findings(served, game, *screen) == []


@pytest.mark.parametrize("screen", SCREENS[1::2])
def test_there_are_none_while_one_learns_from_mistakes(served, screen):
    """And at the marked move, with the better line below the list."""
    width, height, scheme = screen
    browser.resize(served.driver, width, height)
    browser.prefer(served.driver, scheme)
    served.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    served.click("#review")
    served.wait("!document.getElementById('learn').hidden")
    served.click("#record button[data-ply='2']")
    served.wait("!document.getElementById('verdict').hidden")
    assert axe(served) == []
    served.click("#learn")
    served.wait("!document.getElementById('learn-actions').hidden")
    assert axe(served) == []


@pytest.mark.parametrize("screen", SCREENS[::2])
def test_there_are_none_with_a_game_of_a_user(chromium, screen):
    class Drawn(SmallNim):
        def _repr_svg_(self):
            return '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>'

    width, height, scheme = screen
    with browser.serving(Drawn(7), name="nim:Drawn") as found:
        browser.resize(chromium, width, height)
        browser.prefer(chromium, scheme)
        chromium.get(found.url)
        page = browser.Page.__new__(browser.Page)
        page.driver = chromium
        page.wait("document.querySelectorAll('#choices button').length === 2")
        page.click("#hint")
        page.wait("status().includes('Hint: ')")
        page.fill("#move", "x")
        page.click("#typed .main")
        page.wait("document.getElementById('wrong-move') !== null")
        assert axe(page) == []


@pytest.mark.parametrize("game, screen", list(zip(GAMES, SCREENS[::2], strict=True)))
def test_there_are_none_without_a_server(hosted, game, screen):
    assert findings(hosted, game, *screen) == []
