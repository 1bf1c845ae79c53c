"""A headless Chromium for tests, driven by selenium (extra [browser])."""

import os
import shutil

import pytest

ADVICE = ("the browser tests need {}: install Chromium and its driver (Debian: apt-get install chromium "
          "chromium-driver), or name their programs in CHROMIUM and CHROMEDRIVER")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--force-prefers-reduced-motion",
)


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
        pytest.fail("the browser tests need selenium: pip install '.[browser]'", pytrace=False)
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
