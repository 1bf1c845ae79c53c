"""A headless Chromium for tests, driven by selenium (group browser), and the page in it, with a server or without."""

import contextlib
import functools
import http.server
import os
import shutil
import threading
import time
from pathlib import Path

import pytest

import mcts_core as mc
from mcts_core.web.limits import Limits
from mcts_core.web.server import Server

ADVICE = ("the browser tests need {}: install Chromium and its driver (Debian: apt-get install chromium "
          "chromium-driver), or name their programs in CHROMIUM and CHROMEDRIVER")
PAGE = Path(os.environ.get("MCTS_CORE_PAGE", Path(__file__).parents[1] / "build" / "page"))
"""The page without a server."""
PATIENCE = 30.0
KEYS = {"up": "\ue013", "down": "\ue015", "left": "\ue012", "right": "\ue014", "enter": "\ue007", "tab": "\ue004",
        "home": "\ue011", "end": "\ue010", "space": "\ue00d"}
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--force-prefers-reduced-motion",
)


MISDRAWN = r"""
const buttons = [...document.querySelectorAll('#grid button')].map((button) => {
    const box = button.getBoundingClientRect();
    return { box, label: button.getAttribute('aria-label'), at: `${button.dataset.row},${button.dataset.col}` };
});
const cells = new Map(buttons.map((cell) => [cell.at, { ...cell, pieces: 0, last: 0, numbers: [] }]));
const faults = [];
const under = (element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const found = buttons.find(({ box }) => box.left <= x && x < box.right && box.top <= y && y < box.bottom);
    if (!found) faults.push(`${element.outerHTML} is on no cell`);
    return cells.get(found?.at) ?? { pieces: 0, last: 0, numbers: [] };
};
const [stones, , , marks] = [...document.querySelectorAll('#picture > g')].slice(1);
for (const stone of stones.children) under(stone.querySelector('circle') ?? stone).pieces++;
for (const mark of marks.querySelectorAll('.last, .last-square')) under(mark).last++;
const values = document.querySelector('#picture .bubbles');
const shown = values.style.display !== 'none';  // not while a line is looked at
if (shown) for (const text of values.querySelectorAll('text')) under(text).numbers.push(text.textContent);
const slots = document.getElementById('board').className === 'slots';
const won = document.querySelector('#picture .won') !== null;
const searched = buttons.some(({ label }) => / visits/.test(label));
for (const { at, label, pieces, last, numbers } of cells.values()) {
    const empty = label.includes(', empty');
    if (pieces !== (empty ? 0 : 1)) faults.push(`${label}: ${pieces} pieces`);
    if (!won && last !== (label.includes(', last move') ? 1 : 0)) faults.push(`${label}: ${last} marks`);
    const [row, col] = at.split(',').map(Number);
    const below = cells.get(`${row + 1},${col}`);
    const within = !slots || !below || !below.label.includes(', empty');
    if (numbers.length && !(empty && within)) faults.push(`${label}: the number ${numbers}`);
    if (!searched || !shown) continue;
    const [, proven, distance] = /, (win|draw|loss)(?: (?:within|in) (\d+))?/.exec(label) ?? [];
    const value = /, value (\d+) %/.exec(label)?.[1];
    const expected = proven ? proven[0].toUpperCase() + (distance ?? '') : value;
    if (/, 0 visits, value –/.test(label)) continue;  // on a large board it has no number
    if (/ visits/.test(label) !== (numbers.length === 1)) faults.push(`${label}: the numbers [${numbers}]`);
    else if (expected !== undefined && numbers[0] !== expected) faults.push(`${label}: the number ${numbers}`);
}
return faults;
"""


def program(variable, *names):
    """The path of a program; the test fails where there is none."""
    for name in (os.environ.get(variable), *names):
        found = name and shutil.which(name)
        if found:
            return found
    pytest.fail(ADVICE.format(names[0]), pytrace=False)


def start_chromium(folder):
    """A driver of a new Chromium whose profile is in ``folder``."""
    chromium = program("CHROMIUM", "chromium", "chromium-browser", "google-chrome", "chrome")
    chromedriver = program("CHROMEDRIVER", "chromedriver", "chromium.chromedriver")
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        pytest.fail("the browser tests need selenium: pip install --group browser", pytrace=False)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=chromedriver))
    driver.set_page_load_timeout(30)
    driver.set_script_timeout(30)
    return driver


def resize(driver, width, height=900):
    """Gives the page the size of a screen, a phone's too, which no window of a desktop can have."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})


def prefer(driver, scheme):
    """``light`` or ``dark``."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})


@contextlib.contextmanager
def serving(game=None, name=""):
    """A server with short searches."""
    found = Server(0, game or mc.ConnectFour(), Limits(threads=2, memory_mb=32, sessions=4), name=name, seconds=0.05)
    thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield found
    finally:
        found.shutdown()
        found.close()
        thread.join()


@contextlib.contextmanager
def hosting():
    """Any host of static files, with the page that `make page` has built; its address."""
    assert (PAGE / "index.html").exists(), "make page builds the page first"

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=PAGE))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Page:
    """The page in a tab."""

    def __init__(self, driver, url, width=1200, height=900):
        self.driver = driver
        resize(driver, width, height)
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
        return self.see("[...document.querySelectorAll('#record button')].map("
                        "(move) => move.childNodes[1].textContent.trim())")

    @property
    def rows(self):
        """The table of moves as drawn: what each row says without what only a screen reader says."""
        return self.see("[...document.querySelectorAll('#moves tbody tr')].map((row) => [...row.cells].map("
                        "(cell) => (cell.querySelector('[aria-hidden]') ?? cell).textContent.trim()))")

    def settle(self):
        """Waits for the end of a search, and of the engine's turn."""
        self.wait("off('finish') && !status().endsWith('thinking.') && !status().startsWith('Connecting')")

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

    def begin(self, game, first="you", second="engine", **fields):
        self.fill("#game", game)
        for name, value in fields.items():
            self.fill(f".fields[data-game='{game}'] [name='{name}']", str(value))
        self.fill("#plays-first", first)
        self.fill("#plays-second", second)
        self.js("document.getElementById('status').textContent = ''")
        self.click("#new .main")
        self.wait("status() !== ''")
        if "you" in (first, second):
            self.settle()

    def misdrawn(self):
        """Where the picture of the board differs from what the labels of its cells say; empty where nothing does.

        Each drawn thing belongs to the cell whose button its middle is in: a piece, the mark of the last move, and a
        number, which must be the one of the label where a search has ended, and on an empty cell that a stone can
        reach.
        """
        return self.js(MISDRAWN)

    def link(self, hash):
        """Opens the page anew with what stands behind the # of a link."""
        url = self.see("location.origin + '/'")
        self.js("sessionStorage.removeItem('mcts_core page')")
        self.driver.get("about:blank")
        self.driver.get(f"{url}#{hash}")
        self.wait("document.querySelectorAll('#grid button').length > 0 && !status().startsWith('Connecting')")

    def grown(self, count):
        """Waits until the game has so many moves."""
        self.wait("document.querySelectorAll('#record button').length >= arguments[0]", count)

    def errors(self):
        """What the console complained of."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
