"""What tests of the page in a browser begin with."""

import browser
import pytest


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    driver = browser.start_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture
def served():
    with browser.serving() as found:
        yield found


@pytest.fixture
def page(chromium, served):
    chromium.get("about:blank")
    chromium.get_log("browser")
    found = browser.Page(chromium, served.url)
    yield found
    assert found.errors() == []
