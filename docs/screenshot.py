"""Makes docs/serve.png again: python docs/screenshot.py

It needs the dependency group browser, Chromium and its driver, as the tests of the page do, and takes their driver.
"""

import base64
import sys
import tempfile
import threading
import time
from pathlib import Path

import mcts_core as mc
from mcts_core.web.limits import Limits
from mcts_core.web.server import Server

DOCS = Path(__file__).parent
COLUMNS = (3, 5)
SIZE = (1280, 800)
SCALE = 0.6


def picture(driver, url):
    """The page as PNG while the engine thinks about its answer to the last move."""
    from browser import prefer, resize

    resize(driver, *SIZE)
    driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    prefer(driver, "light")
    driver.get(url)
    wait(driver, "document.getElementById('hint').getAttribute('aria-disabled') === 'false'")
    driver.execute_script("document.getElementById('alone').click()")  # the book would answer before one sees a search
    for number, column in enumerate(COLUMNS):
        wait(driver, "document.getElementById('hint').getAttribute('aria-disabled') === 'false'")
        if number == len(COLUMNS) - 1:
            driver.execute_script("const field = document.getElementById('seconds'); field.value = 8;"
                                  "field.dispatchEvent(new Event('change'))")
            wait(driver, "document.getElementById('seconds').value === '8'")
            time.sleep(0.5)
        driver.execute_script(f"document.querySelector('#grid button[data-col=\"{column}\"]').click()")
        wait(driver, f"document.querySelectorAll('#record button').length > {2 * number}")
    time.sleep(2)
    clip = {"x": 0, "y": 0, "width": SIZE[0], "height": SIZE[1], "scale": SCALE}
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": clip})
    return base64.b64decode(shot["data"])


def wait(driver, condition):
    """Waits until the page fulfils a condition."""
    deadline = time.monotonic() + 30
    while not driver.execute_script(f"return {condition}"):
        if time.monotonic() > deadline:
            sys.exit(f"the page does not come to: {condition}")
        time.sleep(0.05)


def main():
    """Writes the picture."""
    sys.path.insert(0, str(DOCS.parent / "tests"))
    from browser import start_chromium

    server = Server(0, mc.ConnectFour(), Limits(), seconds=0.5)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            driver = start_chromium(folder)
            try:
                (DOCS / "serve.png").write_bytes(picture(driver, server.url))
            finally:
                driver.quit()
    finally:
        server.shutdown()
        server.close()
        thread.join()


if __name__ == "__main__":
    main()
