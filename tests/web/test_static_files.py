"""The files of the page: they are installed, and need nothing from elsewhere."""

import re

import pytest

from mcts_core.web.static_files import FOLDER, load_files

FILES = load_files()


def test_the_page_and_all_that_it_names_are_there():
    page = FILES["/"][1].decode()
    named = {f"/{path}" for path in re.findall(r'(?:src|href)="(static/[^"]+)"', page)}
    assert named >= {"/static/app.js", "/static/style.css", "/static/icon.svg"} and named <= set(FILES)
    imported = {f"/static/{name}" for path in FILES if path.endswith(".js")
                for name in re.findall(r'from "\./([^"]+)"', FILES[path][1].decode())}
    assert imported | named | {"/"} == set(FILES)


def test_nothing_else_is_served():
    assert len(FILES) == len(list(FOLDER.iterdir()))
    assert all(re.fullmatch(r"/|/static/[a-z]+\.(js|css|svg)", path) for path in FILES)


@pytest.mark.parametrize("path", sorted(FILES))
def test_a_file_needs_nothing_from_elsewhere(path):
    kind, body = FILES[path]
    text = body.decode("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "//" not in re.sub(r"(?m)^\s*//.*$", "", text).replace("  // ", "  ")
    assert not re.search(r"@import|url\((?!#)|\beval\b|innerHTML|<script>|\son\w+=|style=\"", text)
    assert kind.startswith(("text/", "image/svg+xml"))
