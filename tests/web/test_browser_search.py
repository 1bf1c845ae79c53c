"""What the page shows of a search, in a real Chromium: make test-browser."""

import time

import browser
import pytest

pytestmark = pytest.mark.browser


def test_visits_and_values_grow_on_the_board_while_the_engine_thinks(page):
    page.begin("gomoku", size=15)
    page.fill("#seconds", 20)
    page.cell(7, 7)
    page.wait("document.querySelectorAll('#picture .bubbles circle').length > 2")
    assert page.status == "You play h8. The engine is thinking."
    assert page.text("thinking-title") == "Search: thinking"
    seen = {page.text("visits") for _ in range(40) if not time.sleep(0.05)}
    assert len(seen) > 2
    assert page.see("document.querySelectorAll('#moves tbody tr').length") > 1
    assert page.see("document.querySelectorAll('#chart .live').length") == 1
    page.click("#finish")
    page.settle()
    page.wait("status().startsWith('The engine plays')")
    assert len(page.moves) == 2
    assert page.see("document.querySelectorAll('#picture .bubbles circle').length") == 0


def test_the_last_search_stays_in_view(page):
    """With what it is of, after the engine's move and at the end of the game."""
    assert page.text("search-note").startswith("No search yet.") and page.rows == []
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert page.text("thinking-title") == "Last search: before move 2" and len(page.rows) == 7
    assert page.text("search-note").startswith("Yellow to move. ")
    assert page.text("value").startswith(f"{page.moves[1]} · ")
    page.cell(0, 0)
    page.grown(4)
    page.settle()
    assert page.text("thinking-title") == "Last search: before move 4"
    while not page.see("/after \\d+ moves\\.$/.test(status())"):
        before = len(page.moves)
        page.cell(0, page.see("[0, 1, 5, 6, 2, 4, 3].find((col) => label(0, col).includes('empty'))"))
        page.grown(before + 1)
        page.settle()
        page.wait("/Your turn\\.$|after \\d+ moves\\.$/.test(status())")
    assert page.text("thinking-title").startswith("Last search: before move ") and len(page.rows) >= 1
    assert page.see("document.querySelectorAll('#picture .bubbles text').length") == 0


def test_the_tree_searches_alone(page):
    """Without the book, which answers the first moves of Connect Four at once and proves them."""
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert all(mark in "D–" or mark[0] in "WL" for _, mark, _, _ in page.rows[:1])
    page.click("#alone")
    page.fill("#seconds", 0.3)
    page.cell(0, 3)
    page.grown(4)
    page.settle()
    found = page.rows
    assert page.text("search-note") == "Yellow to move. Values: yellow’s chances."
    assert len(found) == 7 and all(mark.endswith(" %") for _, mark, _, _ in found)
    visits = [int(each.replace(",", "")) if "k" not in each else 1000 * int(each.split()[0]) for _, _, each, _ in found]
    assert visits == sorted(visits, reverse=True) and sum(visits) > 1000
    page.driver.refresh()
    page.wait("document.querySelectorAll('#record button').length === 4")
    assert page.see("document.getElementById('alone').checked")


def test_the_table_is_in_the_order_that_a_player_needs(page):
    """Wins, the shortest first, what is open by visits, losses, the longest first; no mark is cut."""
    page.link("game=connect4&rows=6&cols=7&connect=4&moves=4,4,4,4,4,3,2,6,5,5,7,7,1")
    page.wait("[...document.querySelectorAll('#moves tbody tr')].filter("
              "(row) => /(win|draw|loss) (with)?in/.test(row.textContent)).length === 7")
    marks = [mark for _, mark, _, _ in page.rows]
    assert len(marks) == 7 and all(mark[0] in "WDL" for mark in marks)
    assert marks == sorted(marks, key=lambda mark: (
        "WDL".index(mark[0]), -int(mark[1:]) if mark[0] == "L" else int(mark[1:] or 0)))
    assert page.see("[...document.querySelectorAll('#moves td:nth-child(2)')].every((cell) => "
                    "cell.firstElementChild.getBoundingClientRect().right <= cell.getBoundingClientRect().right)")
    assert page.text("value").split(" · ")[1] == marks[0]
    page.click("#moves tbody tr:nth-child(2) td")  # plays it
    page.grown(14)
    page.link("game=gomoku&size=15&rule=freestyle&moves=h8,i9,h9")
    page.wait("document.querySelectorAll('#moves tbody tr').length > 8")
    page.js("document.querySelector('#moves .line').focus()")
    page.keys("down", "down")
    assert page.see("document.activeElement.closest('tr').rowIndex") == 3
    assert page.see("document.querySelectorAll('#moves button[tabindex=\"0\"]').length") == 1


def test_a_row_of_an_earlier_search_shows_its_line_there(page):
    for col in (3, 0):
        before = len(page.moves)
        page.cell(0, col)
        page.grown(before + 2)
        page.settle()
    page.js("document.querySelector('#moves .line').focus()")
    shown = page.see("[...document.querySelectorAll('#picture > g')][1].querySelectorAll('[data-at]').length")
    hidden = page.see("document.querySelectorAll('#picture [data-at][style*=\"none\"]').length")
    assert (shown, hidden) == (4, 1)  # the engine's move is one that the line may replace
    page.keys("enter")
    page.wait("status().startsWith('Move 3 of 4')")
    assert page.see("document.querySelectorAll('#picture .preview *').length") == 0 or page.misdrawn() == []


def test_a_hint(page):
    page.begin("connect4", rows=2, cols=2, connect=2)
    page.cell(0, 0)
    page.grown(2)
    page.click("#hint")
    page.wait("status().includes('Hint: Column')")
    assert page.status.endswith("wins in 1 move.")
    hint = page.see("[...document.querySelectorAll('#grid button')].find("
                    "(cell) => cell.getAttribute('aria-label').includes('the hint'))")
    hint.click()
    page.wait("status() === 'You play column 1. You win after 3 moves.' || "
              "status() === 'You play column 2. You win after 3 moves.'")


def test_a_hint_in_a_lost_position_says_what_holds_out(page):
    page.link("game=connect4&rows=6&cols=7&connect=4&moves=3,2,4")
    page.click("#analyse")
    page.click("#hint")
    page.wait("status().includes('Hint: ')")
    assert "All moves lose" not in page.status
    page.link("game=connect4&rows=6&cols=7&connect=4&moves=3,3,4,4,5")
    page.click("#analyse")
    page.click("#hint")
    page.wait("/All moves lose; column \\d holds out longest, at most \\d+ moves\\.$/.test(status())")


@pytest.mark.parametrize("hash, moves", [
    ("game=connect4&rows=6&cols=7&connect=4&moves=4,4,4,4,4,3,2,6,5,5,7,7,1", 7), ("game=tictactoe&moves=b2", 8),
])
def test_every_legal_move_of_a_small_board_has_its_number(page, hash, moves):
    """On the board, in letters that can be read."""
    page.link(hash)
    page.wait("(() => { const texts = [...document.querySelectorAll('#picture .bubbles text')];"
              "return texts.length === arguments[0] && texts.every("
              "(text) => /^([0-9]+|[WLD][0-9]+)$/.test(text.textContent)); })()", moves)
    texts = page.see("[...document.querySelectorAll('#picture .bubbles text')].map((text) => [text.textContent, "
                     "text.getBoundingClientRect().height, getComputedStyle(text).fontSize])")
    assert min(height for _, height, _ in texts) >= 9


@pytest.mark.parametrize("width, height", [(1280, 800), (360, 640)])
def test_candidates_on_crossing_lines_are_rings_with_the_numbers_of_the_search(page, width, height):
    """No number where the search has not looked, none that leaves its ring, and none too small to be read."""
    browser.resize(page.driver, width, height)
    page.link("game=gomoku&size=15&rule=freestyle&moves=h8,i9,h9")
    page.wait("document.querySelectorAll('#picture .bubbles text').length > 3")
    page.click("#analyse")
    page.wait("off('finish') && document.getElementById('thinking-title').textContent === 'Search'")
    assert page.misdrawn() == []
    texts, labels = page.see("[document.querySelectorAll('#picture .bubbles text').length, "
                             "[...document.querySelectorAll('#grid [aria-label*=\" visits\"]')].filter((cell) => "
                             "!cell.getAttribute('aria-label').includes(', 0 visits, value –')).length]")
    assert texts == labels < 150
    found = page.see("""[...document.querySelectorAll('#picture .bubbles g')].map((bubble) => {
        const [circle, ring, text] = bubble.children;
        const box = (element) => element.getBoundingClientRect();
        return [box(circle).width, box(text).width, box(text).height,
                Number(getComputedStyle(circle).fillOpacity), getComputedStyle(circle).stroke,
                box(circle).width / box(document.querySelector('#grid button')).width];
    })""")
    assert all(text <= circle + 1 and height >= 9 for circle, text, height, _, _, _ in found)
    assert all(share <= 0.95 for _, _, _, _, _, share in found)  # neighbours do not touch
    assert {stroke for _, _, _, _, stroke, _ in found} == {"rgb(15, 88, 168)"}
    assert all(opacity < 1 for _, _, _, opacity, _, _ in found)


def test_no_bubble_has_the_colour_of_a_board(page):
    for value in (0, 0.25, 0.5, 0.75, 1):
        red, green, blue = page.see("import('/static/words.js').then((words) => words.colourOf(arguments[0])"
                                    ".match(/\\d+/g).map(Number))", value)
        assert blue < 1.25 * max(red, green)  # the board of Connect Four is blue


def balance(page):
    """What the bar beside the board shows: its words, and the share that is drawn for the side at its bottom."""
    words, box, part = page.see("(() => { const bar = document.getElementById('balance'); return ["
                                "bar.getAttribute('aria-valuetext'), bar.getBoundingClientRect(), "
                                "bar.firstElementChild.getBoundingClientRect()]; })()")
    long = max("height", "width", key=lambda side: box[side])
    return [words, part[long] / (box[long] - 2)]


@pytest.mark.parametrize("width, height", [(1280, 800), (360, 640)])
def test_a_bar_shows_the_chances_beside_the_board(page, width, height):
    browser.resize(page.driver, width, height)
    assert balance(page) == ["not known: no search yet", pytest.approx(0.5, abs=0.01)]
    page.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    assert balance(page) == ["100 %", pytest.approx(1, abs=0.01)]
    page.fill("#seconds", 0.05)
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.settle()
    page.click("#record button[data-ply='1']")
    page.wait("status().startsWith('Move 1 of 5')")
    assert balance(page) == ["50 %", pytest.approx(0.5, abs=0.01)]
    bar, board = page.see("['balance', 'board'].map((name) => document.getElementById(name).getBoundingClientRect())")
    beside, above = bar["right"] <= board["left"], bar["bottom"] <= board["top"]
    assert (beside, above) == (width > 520, width <= 520)
    if beside:
        assert abs(bar["height"] - board["height"]) < 2


def test_the_graph_says_where_few_iterations_were(page):
    page.fill("#level", "beginner")
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert page.see("document.querySelectorAll('#chart .few').length") == 1
    assert not page.see("document.getElementById('chart-note').hidden")
    assert page.see("document.getElementById('chart').getAttribute('aria-label')").endswith(
        "(too few iterations to rely on)")
    assert page.text("search-note") == "Too few iterations to rely on the chances of yellow."
