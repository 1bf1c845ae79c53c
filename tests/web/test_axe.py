"""The page as axe-core finds it: make test KIND=axe."""

import os
import pathlib

import browser
import pytest

pytestmark = pytest.mark.axe
GAMES = {
    "connect4": "game=connect4&rows=6&cols=7&connect=4&moves=4,4,4,4,4,3,2,6",
    "gomoku": "game=gomoku&size=15&rule=freestyle&moves=h8,i9,h9,i8,h10,h11",
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
    page.js(pathlib.Path(os.environ["AXE"]).read_text(encoding="utf-8"))
    return page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document).then(({violations}) => done("
        "violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)])))")


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("game", GAMES)
def test_there_are_no_findings(served, game, screen):
    assert findings(served, game, *screen) == []


@pytest.mark.parametrize("game, screen", list(zip(GAMES, SCREENS[::2], strict=True)))
def test_there_are_none_without_a_server(hosted, game, screen):
    assert findings(hosted, game, *screen) == []
