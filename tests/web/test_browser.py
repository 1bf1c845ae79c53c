"""The page of ``mcts-core serve`` in a real, headless Chromium: make test-browser."""

import threading
import time

import browser
import pytest

import mcts_core as mc
from mcts_core.web.limits import Limits
from mcts_core.web.server import Server

pytestmark = pytest.mark.browser
PATIENCE = 30.0
KEYS = {"up": "\ue013", "down": "\ue015", "left": "\ue012", "right": "\ue014", "enter": "\ue007", "tab": "\ue004",
        "home": "\ue011", "space": "\ue00d"}


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = browser.start_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def served():
    """A server with short searches."""
    found = Server(0, mc.ConnectFour(), Limits(threads=2, memory_mb=32, sessions=4), seconds=0.05)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield found
    found.shutdown()
    found.close()
    thread.join()


class Page:
    """The page in a tab."""

    def __init__(self, driver, url, width=1200, height=900):
        self.driver = driver
        browser.resize(driver, width, height)
        driver.get(url)
        self.wait("document.querySelectorAll('#grid button').length > 0 && !status().startsWith('Connecting')")

    def js(self, code, *arguments):
        return self.driver.execute_script(
            "const status = () => document.getElementById('status').textContent;"
            "const off = (id) => document.getElementById(id).getAttribute('aria-disabled') === 'true';"
            "const label = (row, col) => document.querySelector("
            "`#grid button[data-row='${row}'][data-col='${col}']`).getAttribute('aria-label');" + code, *arguments)

    def see(self, expression, *arguments):
        return self.js(f"return {expression}", *arguments)

    def wait(self, expression, *arguments):
        deadline = time.monotonic() + PATIENCE
        while not self.see(expression, *arguments):
            assert time.monotonic() < deadline, (expression, self.status, self.text("error"))
            time.sleep(0.02)

    def text(self, name):
        return self.see("document.getElementById(arguments[0]).textContent", name)

    @property
    def status(self):
        return self.text("status")

    @property
    def moves(self):
        return self.see("[...document.querySelectorAll('#record span')].map((move) => move.textContent)")

    def settle(self):
        """Waits for the end of a search."""
        self.wait("off('finish')")

    def click(self, selector):
        from selenium.webdriver.common.by import By

        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def cell(self, row, col):
        self.click(f"#grid button[data-row='{row}'][data-col='{col}']")

    def keys(self, *names):
        """Presses keys, wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(*(KEYS.get(name, name) for name in names))

    def fill(self, selector, value):
        self.js("const field = document.querySelector(arguments[0]); field.value = arguments[1];"
                "field.dispatchEvent(new Event('change'))", selector, value)

    def begin(self, game, side="first", **fields):
        self.fill("#game", game)
        for name, value in fields.items():
            self.fill(f".fields[data-game='{game}'] [name='{name}']", str(value))
        self.click(f"input[name='side'][value='{side}']")
        self.js("document.getElementById('status').textContent = ''")
        self.click("#new .main")
        self.wait("status() !== ''")
        self.settle()

    def errors(self):
        """What the console complained of."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture
def page(chromium, served):
    chromium.get("about:blank")
    chromium.get_log("browser")
    found = Page(chromium, served.url)
    yield found
    assert found.errors() == []


def test_a_full_game_of_connect_four(page):
    assert "You are red and begin. Your turn." in page.status
    while page.see("!off('hint')"):
        before = len(page.moves)
        col = page.see("[3, 2, 4, 1, 5, 0, 6].find((col) => label(0, col).includes('empty'))")
        page.cell(0, col)
        page.wait("document.querySelectorAll('#record span').length > arguments[0]", before)
        page.settle()
    assert page.see("/(The engine wins|You win|A draw) after \\d+ moves\\.$/.test(status())"), page.status
    if "wins" in page.status:
        assert page.see("document.querySelectorAll('#picture .won').length") > 0
        assert page.see("document.querySelectorAll('#grid [aria-label*=\"in the winning line\"]').length") >= 4
        assert "has won" in page.text("engine")
    assert page.see("document.querySelectorAll('#chart .point').length") >= len(page.moves) // 2
    chart = page.see("document.getElementById('chart').getAttribute('aria-label')")
    assert chart.startswith("Your winning chance by move: 1: ")
    page.click("#take-back")
    page.wait("status().startsWith('Taken back to ')")
    assert page.see("document.querySelectorAll('#picture .won').length") == 0


def test_visits_and_values_grow_on_the_board_while_the_engine_thinks(page):
    page.begin("gomoku", size=15)
    page.fill("#seconds", 20)
    page.wait("document.getElementById('error').textContent === ''")
    page.cell(7, 7)
    page.wait("document.querySelectorAll('#picture .bubbles circle').length > 2")
    assert page.status == "You play h8. The engine is thinking."
    assert page.text("thinking-title") == "Search: thinking"
    seen = {page.text("visits") for _ in range(40) if not time.sleep(0.05)}
    assert len(seen) > 2
    assert page.see("document.querySelectorAll('#moves tbody tr').length") > 1
    assert page.see("document.querySelectorAll('#chart .live').length") == 1
    assert page.see("getComputedStyle(document.getElementById('legend')).visibility") == "visible"
    page.click("#finish")
    page.settle()
    page.wait("status().startsWith('The engine plays')")
    assert len(page.moves) == 2
    assert page.see("document.querySelectorAll('#picture .bubbles circle').length") == 0


def test_a_take_back_during_a_search(page):
    page.begin("gomoku", size=9)
    page.cell(4, 4)
    page.wait("document.querySelectorAll('#record span').length === 2")
    page.fill("#seconds", 50)
    page.cell(0, 0)
    page.wait("!off('finish')")
    page.click("#take-back")
    page.wait("status() === 'Taken back to move 2. Your turn.'")
    assert len(page.moves) == 2
    page.click("#take-back")
    page.wait("document.querySelectorAll('#record span').length === 0")
    assert page.see("off('take-back')") and page.see("label(4, 4)") == "e5, empty"


def test_a_hint(page):
    page.begin("connect4", rows=2, cols=2, connect=2)
    page.cell(0, 0)
    page.wait("document.querySelectorAll('#record span').length === 2")
    page.click("#hint")
    page.wait("status().startsWith('Hint: column')")
    assert page.status.endswith("; you win.")
    hint = page.see("[...document.querySelectorAll('#grid button')].find("
                    "(cell) => cell.getAttribute('aria-label').includes('the hint'))")
    hint.click()
    page.wait("/^You play column [12]. You win after 3 moves.$/.test(status())")
    assert page.status.startswith(f"You play column {page.moves[2]}.")


def test_the_engine_begins(page):
    page.begin("tictactoe", side="second")
    page.wait("document.querySelectorAll('#record span').length === 1")
    assert "You are O." in page.status or page.status.startswith("The engine plays")
    assert page.text("you").startswith("You, O")


def test_wrong_numbers_are_told_and_nothing_is_lost(page):
    page.cell(0, 3)
    page.wait("document.querySelectorAll('#record span').length === 2")
    page.fill("#game", "gomoku")
    page.fill("[name='size']", "3")
    page.click("#new .main")
    page.wait("document.getElementById('error').textContent.includes('size must be')")
    page.fill("#threads", "1000")
    page.wait("document.getElementById('error').textContent.includes('threads must be a whole number from 1 to 2')")
    assert len(page.moves) == 2
    page.errors()  # the browser notes answers of 400


def test_two_sessions_at_once(page, chromium, served):
    page.cell(0, 3)
    page.wait("document.querySelectorAll('#record span').length === 2")
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    try:
        other = Page(chromium, served.url)
        other.begin("tictactoe")
        other.cell(1, 1)
        other.wait("document.querySelectorAll('#record span').length === 2")
        assert other.see("document.querySelectorAll('#grid button').length") == 9 and other.moves[0] == "b2"
        chromium.switch_to.window(first)
        page.cell(0, 3)
        page.wait("document.querySelectorAll('#record span').length === 4")
        assert page.moves[0] == "4" and len(served.sessions) == 2
        chromium.switch_to.window(chromium.window_handles[-1])
        assert len(other.moves) == 2
    finally:
        chromium.switch_to.window(chromium.window_handles[-1])
        chromium.close()
        chromium.switch_to.window(first)


def test_reloading_keeps_the_game(page, chromium, served):
    page.cell(0, 3)
    page.wait("document.querySelectorAll('#record span').length === 2")
    moves = page.moves
    again = Page(chromium, served.url)
    assert again.moves == moves and len(served.sessions) == 1


def test_a_session_that_is_gone_is_replaced(page, served):
    page.begin("tictactoe")
    for key in list(served.sessions._found):
        served.sessions.drop(key)
    page.cell(1, 1)
    page.wait("document.getElementById('error').textContent.includes('this is a new one')")
    assert page.moves == [] and page.see("document.querySelectorAll('#grid button').length") == 9
    page.cell(1, 1)
    page.wait("document.querySelectorAll('#record span').length === 2")
    page.errors()  # the browser notes the answer 404


def test_a_server_that_is_gone_is_told(page, served):
    served.shutdown()
    served.close()
    page.cell(0, 3)
    page.wait("document.getElementById('error').textContent.startsWith('The server does not answer')")
    page.errors()


def test_the_keyboard_alone_plays(page):
    page.js("document.activeElement.blur()")
    page.keys("tab")
    assert page.see("document.activeElement.className") == "skip"
    page.keys("tab")
    assert page.see("document.activeElement.getAttribute('aria-label')") == "column 4, row 1, empty"
    assert page.see("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keys("left", "enter")
    page.wait("document.querySelectorAll('#record span').length === 2")
    assert page.moves[0] == "3"
    assert page.see("document.activeElement.dataset.col") == "2"  # the focus stays on the board
    page.keys("up", "up", "home", "right", "space")
    page.wait("document.querySelectorAll('#record span').length === 4")
    assert page.moves[2] == "2"
    page.keys("tab")
    assert page.see("document.activeElement.id") == "take-back"
    page.keys("enter")
    page.wait("document.querySelectorAll('#record span').length === 2")
    page.keys("tab")
    assert page.see("document.activeElement.id") == "hint"
    page.keys("space")
    page.wait("status().startsWith('Hint: ')")
    page.keys("tab")
    page.keys("tab")
    page.keys("tab")
    page.keys("tab")
    assert page.see("document.activeElement.id") == "game"
    page.keys("t")  # tic-tac-toe
    page.keys("tab")
    page.keys("tab")
    assert page.see("document.activeElement.textContent") == "Start"
    page.keys("enter")
    page.wait("document.querySelectorAll('#grid button').length === 9")
    assert page.see("document.activeElement.getAttribute('aria-label')") == "b2, empty"


def test_what_a_screen_reader_meets(page):
    assert page.see("document.documentElement.lang") == "en"
    assert page.see("document.getElementById('status').getAttribute('aria-live')") == "polite"
    assert page.see("document.getElementById('error').getAttribute('role')") == "alert"
    assert page.see("document.querySelectorAll('[role=grid] > [role=row]').length") == 6
    assert page.see("document.querySelectorAll('[role=row] > [role=gridcell] > button[aria-label]').length") == 42
    assert page.see("document.querySelectorAll('#grid button[tabindex=\"0\"]').length") == 1
    assert page.see("[...document.querySelectorAll('input, select')].every((field) => field.labels.length === 1)")
    page.cell(5, 0)
    page.wait("document.querySelectorAll('#record span').length === 2")
    assert page.see("label(5, 0)").startswith("column 1, row 1, red, you")
    labels = page.see("[...document.querySelectorAll('#grid button')].map((cell) => cell.getAttribute('aria-label'))")
    assert sum("yellow, the engine, last move" in label for label in labels) == 1
    page.wait("status() === `The engine plays column ${arguments[0]}. Your turn.`", page.moves[1])


@pytest.mark.parametrize("game, fields", [
    ("connect4", {"rows": 6, "cols": 7, "connect": 4}), ("gomoku", {"size": 15}), ("tictactoe", {}),
    ("mnk", {"m": 32, "n": 32, "k": 5}), ("connect4", {"rows": 1, "cols": 64, "connect": 4}),
])
def test_a_phone_has_no_bar_to_scroll_sideways(page, game, fields):
    browser.resize(page.driver, 360, 780)
    page.begin(game, **fields)
    page.click("#hint")
    page.settle()
    assert page.see("innerWidth") == 360
    assert page.see("document.documentElement.scrollWidth") <= 360
    outside = page.see("[...document.querySelectorAll('main *')].filter((e) => !e.closest('#frame') && "
                       "e.getBoundingClientRect().right > 360.5).map((e) => e.id || e.tagName)")
    assert outside == []
    buttons = page.see("[...document.querySelectorAll('.actions button')].map((b) => b.getBoundingClientRect().height)")
    assert min(buttons) >= 44


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, scheme):
    """Contrast of text with its background, as WCAG 2.1 counts it (1.4.3): at least 4.5."""
    browser.prefer(page.driver, scheme)
    try:
        page.click("#hint")
        page.settle()
        low = page.see("""(() => {
            const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
            const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
                const part = c[i] / 255;
                return sum + weight * (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
            }, 0);
            const behind = (e) => {
                for (; e; e = e.parentElement) {
                    const colour = rgb(getComputedStyle(e).backgroundColor);
                    if (colour.length < 4 || colour[3] > 0.9) return colour;
                }
                return [255, 255, 255];
            };
            const found = [];
            const texts = 'h1, h2, p, span, small, dt, dd, th, td, label, legend, button, li';
            for (const e of document.querySelectorAll(texts)) {
                if (e.closest('#grid, .hidden') || !e.textContent.trim() || !e.getClientRects().length) continue;
                const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
                if ((a + 0.05) / (b + 0.05) < 4.5) found.push([e.tagName, e.textContent, (a + 0.05) / (b + 0.05)]);
            }
            return found;
        })()""")
        assert low == []
        dark = page.see("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] < 60")
        assert dark == (scheme == "dark")
    finally:
        browser.prefer(page.driver, "light")


def test_nothing_comes_from_elsewhere(page, served):
    names = page.see("performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert names and all(name.startswith(served.url) for name in names)
