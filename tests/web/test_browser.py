"""The page of ``mcts-core serve`` in a real, headless Chromium: make test KIND=browser."""

import time
import xml.etree.ElementTree

import accessibility
import browser
import pytest
from nim import SmallNim

import mcts_core as mc

pytestmark = pytest.mark.browser


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


def test_a_full_game_of_connect_four(page):
    assert "You are red and begin. Your turn." in page.status
    while not page.see("/(The engine wins|You win|A draw) after \\d+ moves\\.$/.test(status())"):
        before = len(page.moves)
        col = page.see("[3, 2, 4, 1, 5, 0, 6].find((col) => label(0, col).includes('empty'))")
        page.cell(0, col)
        page.grown(before + 1)
        page.settle()
        page.wait("/Your turn\\.$|after \\d+ moves\\.$/.test(status())")
    if "wins" in page.status:
        assert page.see("document.querySelectorAll('#picture .won').length") > 0
        assert page.see("document.querySelectorAll('#grid [aria-label*=\"in the winning line\"]').length") >= 4
        assert "has won" in page.text("second")
    assert page.see("document.querySelectorAll('#chart .point').length") >= len(page.moves) // 2
    chart = page.see("document.getElementById('chart').getAttribute('aria-label')")
    assert chart.startswith("Your winning chance by move: 1: ")
    page.click("#take-back")
    page.wait("status().startsWith('Taken back to ')")
    assert page.see("document.querySelectorAll('#picture .won').length") == 0
    page.click("#rematch")
    page.wait("document.querySelectorAll('#record button').length < 2 && status().includes('Your turn')")
    assert page.text("first").startswith("Engine, red") and page.text("second").startswith("You, yellow")


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


def rows(page):
    """The table of moves as drawn: what each row says without what only a screen reader says."""
    return page.see("[...document.querySelectorAll('#moves tbody tr')].map((row) => [...row.cells].map("
                    "(cell) => (cell.querySelector('[aria-hidden]') ?? cell).textContent.trim()))")


def test_the_last_search_stays_in_view(page):
    """With what it is of, after the engine's move and at the end of the game."""
    assert page.text("search-note").startswith("No search yet.") and rows(page) == []
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert page.text("thinking-title") == "Last search: before move 2" and len(rows(page)) == 7
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
    assert page.text("thinking-title").startswith("Last search: before move ") and len(rows(page)) >= 1
    assert page.see("document.querySelectorAll('#picture .bubbles text').length") == 0


def test_the_tree_searches_alone(page):
    """Without the book, which answers the first moves of Connect Four at once and proves them."""
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    assert all(mark in "D–" or mark[0] in "WL" for _, mark, _, _ in rows(page)[:1])
    page.click("#alone")
    page.fill("#seconds", 0.3)
    page.cell(0, 3)
    page.grown(4)
    page.settle()
    found = rows(page)
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
    marks = [mark for _, mark, _, _ in rows(page)]
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


def test_a_take_back_during_a_search(page):
    page.begin("gomoku", size=9)
    page.cell(4, 4)
    page.grown(2)
    page.fill("#seconds", 50)
    page.cell(0, 0)
    page.wait("!off('finish')")
    page.click("#take-back")
    page.wait("status() === 'Taken back to move 2. Your turn.'")
    assert len(page.moves) == 2
    page.click("#take-back")
    page.wait("document.querySelectorAll('#record button').length === 0")
    assert page.see("off('take-back')") and page.see("label(4, 4)") == "e5, empty"


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


def test_the_engine_begins(page):
    page.begin("tictactoe", first="engine", second="you")
    page.grown(1)
    page.wait("status().startsWith('The engine plays')")
    assert page.text("second").startswith("You, O")


def test_both_sides_by_the_engine(page):
    page.begin("tictactoe", first="engine", second="engine")
    page.wait("/after \\d moves\\.$/.test(status())")
    assert len(page.moves) >= 5 and page.text("chart-title") == "X’s winning chance"


def test_swapping_sides_in_a_game(page):
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    page.click("#swap")
    page.grown(3)
    page.wait("status().startsWith('The engine plays')")
    assert page.text("first").startswith("Engine, red")
    assert page.see("document.getElementById('plays-first').value") == "engine"


def test_a_level(page, served):
    page.fill("#level", "beginner")
    page.cell(0, 3)
    page.grown(2)
    assert page.text("second").startswith("Engine (beginner), yellow")
    session, = served.sessions._found.values()
    assert session.look()["figures"]["visits"] < 100


def test_looking_at_earlier_moves(page):
    for col in (3, 3, 2):
        before = len(page.moves)
        page.cell(0, col)
        page.grown(before + 2)
        page.settle()
    assert len(page.moves) == 6
    page.click("#record button[data-ply='2']")
    page.wait("status().startsWith('Move 2 of 6: The engine plays column')")
    assert page.see("document.querySelectorAll('#grid [aria-label*=\", red\"]').length") == 1
    page.cell(0, 0)
    assert page.status.startswith("This is an earlier move")
    page.js("document.activeElement.blur()")
    page.keys("left")
    page.wait("status().startsWith('Move 1 of 6: You play column 4.')")
    assert page.see("document.querySelectorAll('#moves tbody tr').length") > 1  # the search of that position
    page.keys("home")
    page.wait("status().startsWith('The beginning of the game.')")
    page.keys("right")
    page.wait("status().startsWith('Move 1 of 6')")
    page.keys("end")
    page.wait("status().endsWith('Your turn.')")
    page.js("const chart = document.getElementById('chart'), box = chart.getBoundingClientRect();"
            "chart.dispatchEvent(new MouseEvent('click', {bubbles: true, "
            "clientX: box.left + box.width * (42 + 306 * 3 / 8) / 360}))")
    page.wait("status().startsWith('Move 3 of 6')")
    page.click("[data-to='last']")
    page.wait("status().endsWith('Your turn.')")


def test_a_review_marks_what_was_lost(page):
    """X gives a win away, O does not take the draw: both are proven."""
    page.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    marks = page.see("[...document.querySelectorAll('#record button')].map((move) => "
                     "move.querySelector('small')?.textContent.trim() ?? '')")
    assert marks == ["", "?? draw → loss", "", "?? draw → loss", ""] or marks[1] == "?? draw → loss"
    assert page.see("document.querySelectorAll('#record .blunder').length") >= 1
    first, second = page.see("[...document.querySelectorAll('#summary p')].map((line) => line.textContent)")
    assert first == "X: 3 moves, 0 % lost on average; no mistakes." and second.startswith("O: 2 moves, ")
    assert "blunder" in second
    assert page.see("document.querySelectorAll('#chart .blunder').length") >= 1
    assert "better: " in page.see("document.querySelector('#record .blunder').title")


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


def test_what_was_better_stands_beside_the_mark_and_on_the_board(page):
    page.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.settle()
    mark = page.see("document.querySelector('#record .blunder').textContent")
    best = mark.split(" best ")[1]
    assert mark == f"2. a2 ?? draw → loss best {best}" and best in ("a1", "a3", "c1", "c3")
    page.click("#record button[data-ply='2']")
    page.wait("!document.getElementById('verdict').hidden")
    assert page.see("document.querySelector('#verdict button').textContent").split()[0] == best
    assert page.status == f"Move 2 of 5: O plays a2. Better: {best}."
    cell = f"#grid [data-row='{3 - int(best[1])}'][data-col='{'abc'.index(best[0])}']"
    assert page.see("document.querySelector(arguments[0]).getAttribute('aria-label')", cell).startswith(
        f"{best}, empty, the better move")
    assert page.see("(() => { const [cell, ring] = [arguments[0], '#picture .better .dashes'].map("
                    "(name) => document.querySelector(name).getBoundingClientRect());"
                    "const x = (ring.left + ring.right) / 2, y = (ring.top + ring.bottom) / 2;"
                    "return cell.left < x && x < cell.right && cell.top < y && y < cell.bottom; })()", cell)
    page.js("document.querySelector('#verdict button').focus()")
    assert page.see("document.querySelector('#picture .preview text').textContent") == "1"
    assert page.see("document.querySelectorAll('#picture [data-at][style*=\"none\"]').length") == 1  # the mistake
    page.click("[data-to='last']")
    page.wait("document.getElementById('verdict').hidden")
    assert page.see("document.querySelectorAll('#picture .better *').length") == 0


def test_learning_from_mistakes(page):
    """The page asks for the move at each mark, takes what is as good as the best move, and gives no move away."""
    page.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    page.click("#review")
    page.wait("!document.getElementById('learn').hidden")
    page.settle()
    page.click("#learn")
    page.wait("status().startsWith('Mistake 1 of 1: a2 ?? draw → loss. Find a better move for O.')")
    page.wait("document.activeElement.closest('#grid') !== null")
    assert page.see("document.querySelectorAll('#picture .bubbles text, #picture .better *').length") == 0
    assert rows(page) == []
    page.cell(1, 0)
    page.wait("status().startsWith('A2 was played in the game. Try another move.')")
    page.cell(0, 1)
    page.wait("status().startsWith('B3 is not good enough. Try another move.')")
    page.cell(0, 0)
    page.wait("status().startsWith('A3 is right: ')")
    assert page.see("document.querySelectorAll('#picture .bubbles text').length") == 8 and len(page.moves) == 5
    page.click("#learn-next")
    page.wait("status().startsWith('You have gone through the mistake.')")
    page.click("#learn")
    page.wait("status().startsWith('Mistake 1')")
    page.click("#learn-show")
    page.wait("status().endsWith(' is the best move.')")
    page.click("#learn-stop")
    page.wait("document.getElementById('learn-actions').hidden && document.activeElement.id === 'learn'")


def test_what_moves_lost_by_their_figures(page):
    found = page.see("""import('/static/review.js').then(({judge, summary, valueOf}) => {
        const at = (player, value, move, proven = null, moves = []) => ({player, value, move, proven, moves});
        return {
            best: judge('a', at(1, 0.6, 'a'), at(-1, 0.7, 'x')),
            worse: judge('b', at(1, 0.6, 'a'), at(-1, 0.63, 'x')),
            thrown: judge('b', at(1, 1, 'a', 'win'), at(-1, 0.5, 'x', 'draw')),
            twice: judge('b', at(1, 1, 'a', 'win'), at(1, 1, 'x', 'win')),
            ended: judge('b', at(-1, 0.5, 'a', 'draw'), null, 1),
            half: judge('b', at(1, 0.55, 'a'), at(-1, 1, 'x', 'win')),
            unknown: judge('b', at(1, 0.5, 'a'), null),
            sum: summary([{player: 1, verdict: judge('b', at(1, 0.6, 'a'), at(-1, 0.63, 'x'))},
                          {player: 1, verdict: null}, {player: -1, verdict: null}], 1),
        };
    })""")
    assert found["best"]["lost"] == 0 and found["best"]["text"] == ""
    worse = found["worse"]
    assert (worse["grade"], worse["text"], worse["better"]) == ("blunder", "−23 %", "a")
    assert found["thrown"] | {"best": 0, "better": 0} == {
        "lost": 0.5, "exact": True, "grade": "blunder", "mark": "??", "text": "win → draw", "best": 0, "better": 0}
    assert found["twice"]["lost"] == 0 and found["ended"]["text"] == "draw → loss"
    assert found["half"]["text"] == "55 % → loss" and found["unknown"] is None
    assert found["sum"]["moves"] == 1 and found["sum"]["blunders"] == 1


RISING = "game=connect4&rows=6&cols=7&connect=4&moves=4,4,3,5,6,5,2,3,7,2"
"""Columns fill while others stay, so the cells of moves with the same name differ from position to position."""


def walk(page, *buttons):
    """Goes through the game by these buttons; what is drawn in another place than the labels say, by position."""
    faults = {}
    for name in buttons:
        before = page.status
        page.click(f"[data-to='{name}']")
        page.wait("status() !== arguments[0]", before)
        faults[name, page.status] = page.misdrawn()
    return {place: found for place, found in faults.items() if found}


@pytest.mark.parametrize("hash", [RISING, "game=gomoku&size=9&rule=freestyle&moves=e5,e6,d5,f6,c5",
                                  "game=tictactoe&moves=b2,a2,a1,a3,c3"])
def test_a_review_draws_each_number_on_the_cell_of_its_move(page, hash):
    page.link(hash)
    page.fill("#seconds", 0.05)
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.settle()
    moves = len(page.moves)
    assert walk(page, "first", *["on"] * moves, *["back"] * moves, "last", "first") == {}
    for ply in (4, 1, moves - 1, 2):
        page.click(f"#record button[data-ply='{ply}']")
        page.wait("status().startsWith(`Move ${arguments[0]} of `)", ply)
        assert page.misdrawn() == []
        assert page.see("document.querySelectorAll('#picture .bubbles text').length") > 0


def test_numbers_rise_with_the_columns_in_an_analysis(page):
    page.link(RISING)
    for step in ("first", "on", "on", "on", "on", "back", "on", "on", "back"):
        before = page.status
        page.click(f"[data-to='{step}']")
        page.wait("status() !== arguments[0]", before)
        page.wait("document.querySelectorAll('#picture .bubbles text').length > 0")
        assert page.misdrawn() == []
    for column in (3, 3, 2):  # moves of the analysis
        page.cell(0, column)
        page.wait("document.querySelector('#record [aria-current]')?.dataset.ply === "
                  "`${document.querySelectorAll('#record button').length}`")
        page.wait("document.querySelectorAll('#picture .bubbles text').length > 0")
        assert page.misdrawn() == []


def test_a_take_back_takes_numbers_back(page):
    page.begin("connect4")
    for _ in range(3):
        page.click("#hint")
        page.wait("status().includes('Hint: ')")
        assert page.misdrawn() == []
        before = len(page.moves)
        page.cell(0, 3)
        page.grown(before + 2)
        page.settle()
        page.click("#hint")
        page.wait("status().includes('Hint: ')")
        assert page.misdrawn() == []
    for left in (4, 2, 0):
        page.click("#take-back")
        page.wait("document.querySelectorAll('#record button').length === arguments[0]", left)
        assert page.misdrawn() == []
        assert page.see("document.querySelectorAll('#picture .bubbles text').length") == 7


def test_the_last_move_is_marked_where_the_same_stones_came_in_another_order(page):
    page.link("game=tictactoe&moves=b2,a1,c3")
    assert page.see("label(0, 2)").endswith("last move") and page.misdrawn() == []
    page.js("location.hash = 'game=tictactoe&moves=c3,a1,b2'")
    page.wait("label(1, 1).endsWith('last move')")
    assert page.misdrawn() == []


def test_a_line_that_is_looked_at_is_of_the_position_on_the_board(page):
    page.link("game=connect4&rows=6&cols=7&connect=4&moves=4,4,4")
    page.fill("#seconds", 0.05)
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.js("document.querySelector('#moves .line').focus()")
    for ply in (3, 2, 1):
        page.wait("status().startsWith(arguments[0])", "" if ply == 3 else f"Move {ply} of 3")
        column = page.see("document.activeElement.closest('tr').cells[0].textContent[0]")
        row = page.see("[0, 1, 2, 3, 4, 5].findLast((row) => label(row, arguments[0] - 1).includes('empty'))", column)
        assert page.see("(() => { const [cell, drawn] = [`#grid [data-row='${arguments[0]}']"
                        "[data-col='${arguments[1] - 1}']`, '#picture .preview text'].map("
                        "(name) => document.querySelector(name).getBoundingClientRect());"
                        "const [x, y] = [(drawn.left + drawn.right) / 2, (drawn.top + drawn.bottom) / 2];"
                        "return cell.left < x && x < cell.right && cell.top < y && y < cell.bottom; })()", row, column)
        page.keys("left")
    page.js("document.activeElement.blur()")
    assert page.see("document.querySelectorAll('#picture .preview *').length") == 0


def test_an_analysis_goes_on_while_one_looks(page):
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    page.click("#analyse")
    page.wait("document.querySelectorAll('#moves tbody tr').length === 7")
    page.wait("[...document.querySelectorAll('#moves tbody tr')].every("  # the exact value of every column
              "(row) => /(win|draw|loss) (with)?in/.test(row.textContent))")
    page.cell(0, 0)
    page.grown(3)
    page.cell(0, 0)  # the other side is played, too
    page.grown(4)
    assert page.moves[2:] == ["1", "1"] and "Analysis" not in page.status
    page.click("#analyse")
    page.wait("document.querySelectorAll('#record button').length === 2")  # back to the game
    assert page.status.endswith("Your turn.")


def variations(page):
    """What the list of variations says, and which one is shown; empty where it is hidden."""
    return page.see("document.getElementById('variations').hidden ? [] : [...document.querySelectorAll("
                    "'#variations li > :first-child')].map((line) => "
                    "(line.getAttribute('aria-current') ? '*' : '') + line.textContent)")


def test_moves_of_an_analysis_that_differ_make_variations(page):
    """They are kept, shown and gone through, live in links, and can be deleted; the game stays as it was."""
    for col in (3, 0):
        before = len(page.moves)
        page.cell(0, col)
        page.grown(before + 2)
        page.settle()
    game = page.moves
    page.click("#analyse")
    page.click("#record button[data-ply='1']")
    page.wait("status().startsWith('Move 1 of 4')")
    others = [col for col in range(7) if str(col + 1) != game[1]]
    page.cell(0, others[0])
    page.wait("document.querySelectorAll('#record button').length === 2")
    page.cell(0, others[1])
    page.grown(3)
    names = [str(col + 1) for col in others]
    assert page.moves == [game[0], *names[:2]]
    assert variations(page) == ["The game", f"*2. {names[0]} {names[1]}"]
    assert page.see("document.querySelectorAll('#record .side').length") == 2
    page.click("[data-to='first']")
    page.wait("status().startsWith('The beginning')")
    page.click("[data-to='on']")
    page.wait("status().startsWith('Move 1 of 3')")
    page.cell(0, others[2])  # a second one, from the same move
    page.wait("document.querySelectorAll('#record button').length === 2")
    assert variations(page) == ["The game", f"2. {names[0]} {names[1]}", f"*2. {names[2]}"]
    page.click("#variations [data-line='0']")
    page.wait("document.querySelectorAll('#record button').length === 4")
    assert page.moves == game
    page.click("[data-to='first']")
    page.wait("status().startsWith('The beginning')")
    page.cell(0, int(game[0]) - 1)  # what was played makes none
    page.wait("status().startsWith('Move 1 of 4')")
    assert len(variations(page)) == 3
    page.click("#analyse")
    page.wait("status().endsWith('Your turn.')")
    assert page.moves == game and len(variations(page)) == 3
    hash = page.see("location.hash.slice(1)")
    assert hash.endswith(f"&line=0.1:{names[0]},{names[1]}&line=0.1:{names[2]}")
    page.click("#variations [data-line='1']")
    page.grown(3)
    page.driver.refresh()
    page.wait("document.querySelectorAll('#record button').length === 3")
    assert variations(page)[1].startswith("*") and page.text("second").startswith("Engine")
    page.link(hash)
    assert page.moves == game and len(variations(page)) == 3
    page.link(f"{hash}&at=1.2")
    assert page.moves == [game[0], *names[:2]] and page.status.startswith("Move 2 of 3")
    page.click("#variations .delete[data-line='1']")
    page.wait("document.querySelectorAll('#variations li').length === 2")
    assert page.moves == game and variations(page) == ["*The game", f"2. {names[2]}"]
    page.click("#variations .delete[data-line='1']")
    page.wait("document.getElementById('variations').hidden")


def test_a_variation_of_a_variation_goes_with_it(page):
    found = page.see("""import('/static/record.js').then(({Record}) => {
        const game = new Record({name: 'connect4'}, null, ['1', '2', '3']);
        const first = game.branch(1, '4').branch(2, '5').branch(3, '6');
        const second = first.branch(2, '7');
        const hash = second.toHash(2);
        const again = Record.fromHash(hash);
        return {lines: second.lines, at: second.at, hash, same: again.toHash(again.shown) === hash,
                departs: [second.departure(1), second.departure(2)],
                without: [second.without(1).lines, second.without(2).lines, second.without(2).at],
                known: second.branch(1, '4').at, grown: game.branch(3, '9', true).lines,
                kept: game.branch(3, '9', false).lines, cut: first.cut(1).lines,
                damaged: ['line=0.1:4', 'game=x&line=5.0:1', 'game=x&line=0:1'].map(Record.fromHash)};
    })""")
    assert found["lines"] == [["1", "2", "3"], ["1", "4", "5", "6"], ["1", "4", "7"]] and found["at"] == 2
    assert found["hash"] == "game=connect4&moves=1,2,3&line=0.1:4,5,6&line=1.2:7&at=2.2" and found["same"]
    assert found["departs"] == [{"parent": 0, "ply": 1}, {"parent": 1, "ply": 2}]
    assert found["without"] == [[["1", "2", "3"]], [["1", "2", "3"], ["1", "4", "5", "6"]], 0]
    assert found["known"] == 1 and found["grown"] == [["1", "2", "3", "9"]] and found["damaged"] == [None] * 3
    assert found["kept"] == [["1", "2", "3"], ["1", "2", "3", "9"]] and found["cut"] == [["1", "2", "3"]]


def test_the_better_line_becomes_a_variation(page):
    page.link("game=tictactoe&moves=b2,a2,a1,a3,c3")
    page.click("#review")
    page.wait("!document.getElementById('summary').hidden")
    page.settle()
    page.click("#record button[data-ply='2']")
    page.wait("!document.getElementById('verdict').hidden")
    line = page.see("document.querySelector('#verdict button').textContent").split()
    page.click("#verdict button")
    page.wait("!document.getElementById('variations').hidden")
    assert page.moves == ["b2", *line] and len(line) > 2 and page.status.startswith("Move 2 of ")
    page.wait("document.activeElement.closest('#grid') !== null")


def test_an_analysis_rests_while_nobody_looks(page):
    page.link("game=gomoku&size=15&rule=freestyle&moves=h8")
    page.wait("document.getElementById('thinking-title').textContent === 'Search: analysis'")
    for hidden, title in ((True, "Search"), (False, "Search: analysis")):
        page.js("Object.defineProperty(document, 'hidden', {configurable: true, get: () => arguments[0]});"
                "document.dispatchEvent(new Event('visibilitychange'))", hidden)
        page.wait("document.getElementById('thinking-title').textContent === arguments[0]", title)


def test_several_lines_and_a_look_at_them(page):
    page.link("game=gomoku&size=15&rule=freestyle&moves=h8,i9,h9,i8,h10,h11")
    page.wait("[...document.querySelectorAll('#moves .line')].filter("
              "(line) => line.textContent.length > 3).length >= 2")
    page.js("document.querySelector('#moves .line').focus()")
    assert page.see("document.querySelectorAll('#picture .preview text').length") >= 2
    assert page.see("document.querySelector('#picture .preview text').textContent") == "1"
    assert page.see("document.querySelector('#picture .bubbles').style.display") == "none"
    page.js("document.activeElement.blur()")
    assert page.see("document.querySelectorAll('#picture .preview text').length") == 0


def test_links_hold_the_position(page):
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    moves = page.moves
    hash = page.see("location.hash")
    assert hash == f"#game=connect4&rows=6&cols=7&connect=4&moves=4,{moves[1]}"
    page.link(hash[1:])
    assert page.moves == moves and page.text("first").startswith("You") and page.text("second").startswith("You")
    page.link("game=tictactoe&board=XO./.../...&moves=b2")
    assert page.see("label(0, 0)").startswith("a3, X") and page.see("label(1, 1)").startswith("b2, X")


@pytest.mark.parametrize("hash", ["game=chess", "game=connect4&moves=9", "game=connect4&rows=1000", "game=%E0%A4%A",
                                  "game=tictactoe&board=XXXXXXXXX", "x", "game=tictactoe&moves=%3Cb%3E"])
def test_a_damaged_link_is_told_and_a_game_begins(page, hash):
    page.link(hash)
    assert page.see("document.querySelectorAll('#grid button').length") == 42
    page.errors()


def test_a_position_is_pasted_or_set_up(page):
    page.js("document.getElementById('position').open = true")
    for text, label, words in (("4455", "label(5, 4)", "column 5, row 1, red"),
                               (". . . . . . .\n" * 5 + "X O . . . . .", "label(5, 1)", "column 2, row 1, yellow")):
        page.fill("#text", text)
        page.click("#set-up [type='submit']")
        page.wait("document.getElementById('text').value === ''")
        assert page.see(label).startswith(words)
    page.fill("#text", "44x")
    page.click("#set-up [type='submit']")
    page.wait("document.getElementById('wrong-text') !== null")
    assert page.text("wrong-text").startswith("Move 3: the name of a column must be a number from 1 to 7")
    page.click("#draft")
    page.click("#draft-clear")
    page.cell(5, 0)
    page.cell(5, 1)
    assert page.status.endswith("2 red, 0 yellow: yellow needs 1 more.")
    page.cell(5, 1)
    assert page.status.endswith("1 red, 1 yellow: red is to move.")
    page.click("#draft-done")
    page.wait("document.getElementById('draft-actions').hidden")
    assert page.see("label(5, 0)").startswith("column 1, row 1, red")
    assert page.see("label(5, 1)").startswith("column 2, row 1, yellow")
    page.click("#draft")
    page.cell(0, 6)
    page.click("#draft-done")
    page.wait("document.getElementById('error').textContent !== ''")
    page.click("#draft-cancel")
    page.wait("document.getElementById('draft-actions').hidden && document.getElementById('error').textContent === ''")
    page.errors()


SGF = """(;GM[4]FF[4]SZ[15]C[a \\] ( note ;]
;B[hh];W[ig](;B[hg];W[gg])(;B[gi]C[other];W[ih](;B[jj])(;B[kk])))"""


def test_records_of_other_programs(page):
    """SGF with variations and setup stones, .psq, .rec; and why one cannot be read."""
    found = page.see("""import('/static/records.js').then(({readRecord, sgfText, psqText}) => {
        const five = {name: 'gomoku', size: 15, rule: 'freestyle'};
        const sgf = readRecord(arguments[0], five);
        const why = (text) => { try { return readRecord(text, five); } catch (error) { return error.message; } };
        const again = readRecord(sgfText(sgf, sgf.game), five);
        const set = readRecord('(;SZ[15]RU[exact]AB[aa:ba]AW[oo];W[hh])', five);
        return {
            sgf, same: JSON.stringify(again) === JSON.stringify({...sgf}), set, setText: sgfText(set, set.game),
            older: readRecord('(;GaMe[4]SiZe[19];Black[H8];White[i9])', five),
            psq: readRecord('Piskvorky 20x20, 11:11, 0\\r\\n10,10,0\\r\\n11,9,5\\r\\nA.exe\\r\\nB.exe\\r\\n1', five),
            rec: readRecord('A.exe\\nB.exe\\n9,10,0\\n0,19,5\\n', five),
            written: psqText({moves: ['h8', 'a15']}, five),
            odd: readRecord('Piskvorky 12x9, 0:0, 0\\n12,9,0', five),
            none: ['h8 i9', '112,97', 'X O', ''].map((text) => readRecord(text, five)),
            wrong: ['(;GM[1];B[aa])', '(;B[hh];B[ig])', '(;B[hh];W[hh])', '(;B[zz])', '(;B[hh]', '(;B[])', '()',
                    '(;SZ[x])', 'Piskvorky x', 'Piskvorky 15x15, 0:0, 0\\n16,1,0', 'Piskvorky 40x40, 0:0, 0',
                    '(;SZ[15:99])', 'Piskvorky 15x15, 0:0, 0\\n1,1,0\\n1,1,0'].map(why),
        };
    })""", SGF)
    five = {"name": "gomoku", "size": 15, "rule": "freestyle"}
    assert found["sgf"] == {"game": five, "diagram": None, "left": 0, "lines": [
        ["h8", "i9", "h9", "g9"], ["h8", "i9", "g7", "i8", "j6"], ["h8", "i9", "g7", "i8", "k5"]]}
    assert found["same"] and found["none"] == [None] * 4
    assert found["set"]["game"]["rule"] == "exact" and found["set"]["lines"] == [["h8"]]
    assert found["set"]["diagram"].splitlines()[0].startswith("X X .") and found["setText"].endswith(
        "RU[exact]AB[aa][ba]AW[oo];W[hh])\n")
    assert found["older"]["lines"] == [["h8", "i9"]] and found["older"]["game"]["size"] == 19
    assert found["psq"] == {"game": five | {"size": 20}, "diagram": None, "left": 0, "lines": [["j11", "k12"]]}
    assert found["rec"]["lines"] == [["j10", "a1"]] and found["rec"]["game"]["size"] == 20
    assert found["written"] == "Piskvorky 15x15, 0:0, 0\n8,8,0\n1,1,0\nhomo-1\nhomo-2\n"
    assert found["odd"]["game"] == {"name": "mnk", "m": 12, "n": 9, "k": 5, "rule": "freestyle"}
    for text, words in zip(found["wrong"], (
            "another game", "black plays out of turn", "move 2: h8 is taken", "not on a board", "ends before its last",
            "no point", None, "SZ must be the size", "first line of a .psq", "column 16, row 1", "at most 32 x 32",
            "at most 32 x 32", "move 2: a15 is taken"), strict=True):
        assert text is None if words is None else words in text


def test_a_record_is_opened_and_saved(page, tmp_path):
    page.js("document.getElementById('position').open = true")
    assert page.see("document.querySelector('[data-save=sgf]').title") == "These files are for five in a row."
    file = tmp_path / "game.sgf"
    file.write_text(SGF, encoding="utf-8")
    page.driver.find_element("id", "file").send_keys(str(file))
    page.wait("document.querySelectorAll('#record button').length === 4")
    assert page.moves == ["h8", "i9", "h9", "g9"] and len(variations(page)) == 3
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    for name, text in (("sgf", "(;GM[4]FF[4]CA[UTF-8]AP[mcts_core]SZ[15]RU[freestyle];B[hh];W[ig](;B[hg];W[gg])"
                               "(;B[gi];W[ih](;B[jj])(;B[kk])))\n"),
                       ("psq", "Piskvorky 15x15, 0:0, 0\n8,8,0\n9,7,0\n8,7,0\n7,7,0\nhomo-1\nhomo-2\n")):
        file.unlink(missing_ok=True)
        page.click(f"[data-save='{name}']")
        saved, deadline = tmp_path / f"game.{name}", time.monotonic() + 20
        while not (saved.exists() and saved.read_text(encoding="utf-8") == text):
            assert time.monotonic() < deadline, saved.exists() and saved.read_text(encoding="utf-8")
            time.sleep(0.05)
    page.fill("#text", "(;GM[1];B[aa])")
    page.click("#set-up [type='submit']")
    page.wait("document.getElementById('wrong-text') !== null")
    assert page.text("wrong-text").startswith("The SGF must be of gomoku or renju (GM[4])")


def test_copying(page):
    origin = page.see("location.origin")
    for name in ("clipboardReadWrite", "clipboardSanitizedWrite"):
        page.driver.execute_cdp_cmd("Browser.setPermission", {
            "permission": {"name": {"clipboardReadWrite": "clipboard-read"}.get(name, "clipboard-write")},
            "setting": "granted", "origin": origin})
    page.js("document.getElementById('position').open = true")
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    moves = " ".join(page.moves)

    def copied(kind):
        page.js("document.getElementById('copied').textContent = ''; window.got = undefined")
        page.click(f"[data-copy='{kind}']")
        page.wait("document.getElementById('copied').textContent.endsWith('copied.')")
        page.js("navigator.clipboard.read().then(async ([item]) => { const type = item.types[0];"
                "const blob = await item.getType(type);"
                "window.got = [type, blob.size, type === 'text/plain' ? await blob.text() : '']; })")
        page.wait("window.got !== undefined")
        return page.see("window.got")

    assert copied("moves")[2] == moves
    assert copied("link")[2] == page.see("location.href")
    assert mc.ConnectFour.from_string(copied("diagram")[2]).to_move == 1
    picture = copied("svg")[2]
    assert picture.startswith("<svg ") and "class=" not in picture and "foreignObject" not in picture
    assert xml.etree.ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    kind, size, _ = copied("png")
    assert kind == "image/png" and size > 5000


def test_errors_stand_at_their_fields(page):
    page.cell(0, 3)
    page.grown(2)
    page.fill("#game", "gomoku")
    page.fill("[name='size']", "3")
    page.click("#new .main")
    page.wait("document.getElementById('wrong-size') !== null")
    assert "must be" in page.text("wrong-size") and page.text("error") == ""
    field = "document.querySelector('[name=size]')"
    assert page.see(f"{field}.getAttribute('aria-invalid')") == "true"
    assert page.see(f"{field}.getAttribute('aria-describedby')") == "wrong-size"
    assert page.see(f"document.activeElement === {field}")
    page.fill("[name='size']", "")
    page.click("#new .main")
    assert page.text("wrong-size") == "A whole number, please."
    page.fill("#threads", "1000")
    assert page.text("wrong-threads") == "A whole number from 1 to 2, please."
    page.fill("#threads", "2")
    assert page.see("document.getElementById('wrong-threads')") is None
    page.fill("#seconds", "0")
    assert page.text("wrong-seconds") == "A number from 0.01 to 60, please."
    assert len(page.moves) == 2
    for name in ("wrong-size", "wrong-seconds"):
        assert page.see("document.getElementById(arguments[0]).getBoundingClientRect().bottom <= innerHeight", name)
    page.errors()  # the browser notes answers of 400


def test_a_control_that_is_not_for_now_says_why(page):
    dead = page.see("[...document.querySelectorAll('main button[aria-disabled=true]:not(#grid button)')]"
                    ".filter((button) => button.getClientRects().length).map((button) => button.title)")
    assert len(dead) >= 4 and all(why.endswith(".") for why in dead)
    for name, why in (("#take-back", "There is no move of yours to take back."), ("#review", "There are no moves"),
                      ("#finish", "No search for a move or a hint runs."), ("[data-to='on']", "This is the last")):
        page.click(name)
        assert page.status.startswith(why) and page.status.endswith("Your turn.")
    page.click("#analyse")
    page.click("#hint")
    assert page.status.startswith("The analysis shows the best move.")
    assert page.see("document.getElementById('take-back').title") == "There is no move of yours to take back."


def test_the_form_has_all_fields_of_a_game_whose_link_lacks_some(page):
    page.link("game=gomoku&size=9&moves=e5")
    shown = page.see("[...document.querySelectorAll('.fields[data-game=gomoku] [name]')].map((field) => field.value)")
    assert shown == ["9", "freestyle"]
    page.link("game=mnk&m=5&n=4&k=4")
    assert page.see("document.querySelector('.fields[data-game=mnk] [name=rule]').value") == "freestyle"


def test_two_sessions_at_once(page, chromium, served):
    page.cell(0, 3)
    page.grown(2)
    first = chromium.current_window_handle
    chromium.switch_to.new_window("tab")
    try:
        other = browser.Page(chromium, served.url)
        other.begin("tictactoe")
        other.cell(1, 1)
        other.grown(2)
        assert other.see("document.querySelectorAll('#grid button').length") == 9 and other.moves[0] == "b2"
        chromium.switch_to.window(first)
        page.cell(0, 3)
        page.grown(4)
        assert page.moves[0] == "4" and len(served.sessions) == 2
        chromium.switch_to.window(chromium.window_handles[-1])
        assert len(other.moves) == 2
    finally:
        chromium.switch_to.window(chromium.window_handles[-1])
        chromium.close()
        chromium.switch_to.window(first)


def test_reloading_keeps_the_game(page, chromium, served):
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    moves = page.moves
    chromium.refresh()
    page.wait("document.querySelectorAll('#record button').length === 2")
    assert page.moves == moves and len(served.sessions) == 1 and page.text("second").startswith("Engine")


def test_a_session_that_is_gone_is_not_missed(page, served):
    page.cell(0, 3)
    page.grown(2)
    page.settle()
    for key in list(served.sessions._found):
        served.sessions.drop(key)
    page.cell(0, 3)
    page.grown(4)
    assert page.text("error") == ""
    page.errors()  # the browser notes the answer 404


def test_a_server_that_is_gone_is_told(page, served):
    served.shutdown()
    served.close()
    page.cell(0, 3)
    page.wait("document.getElementById('error').textContent.startsWith('The server does not answer')")
    page.errors()


def test_a_game_by_the_keyboard_alone(page):
    accessibility.play_by_the_keyboard(page)


def test_digits_play_columns(page):
    page.js("document.activeElement.blur()")
    page.keys("5")
    page.grown(2)
    assert page.moves[0] == "5" and page.text("digits") == ", 1 to 7 for a column"
    page.js("document.getElementById('seconds').focus()")
    page.keys("1")
    assert len(page.moves) == 2
    page.begin("tictactoe")
    page.js("document.activeElement.blur()")
    page.keys("5")
    assert page.moves == [] and page.see("document.getElementById('digits').hidden")


def test_what_a_screen_reader_meets(page):
    accessibility.read_the_screen(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width, height", [(1280, 800), (768, 1024), (360, 640)])
def test_everything_is_in_view(page, width, height, scheme):
    """At 1280 x 800 the board, the graph, the moves and what begins a game; elsewhere the board and its buttons."""
    browser.resize(page.driver, width, height)
    browser.prefer(page.driver, scheme)
    try:
        for game in ("connect4", "gomoku"):
            page.begin(game)
            wanted = ["#board", "#play-actions", "#status"]
            if width == 1280:
                wanted += ["#chart", "#record", "#review", "#new .main", "#game", "#level", "#moves"]
            page.js("scrollTo(0, 0)")
            below = [name for name in wanted if not page.see(
                "(() => { const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                "return box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth; })()", name)]
            assert below == []
    finally:
        browser.prefer(page.driver, "light")


def touch(page, row, col):
    x, y = page.see("(() => { const box = document.querySelector(`#grid button[data-row='${arguments[0]}']"
                    "[data-col='${arguments[1]}']`).getBoundingClientRect();"
                    "return [box.left + box.width / 2, box.top + box.height / 2]; })()", row, col)
    for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
        page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_a_finger_hits_the_cells_of_a_large_board(page):
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
    try:
        browser.resize(page.driver, 360, 640)
        page.begin("gomoku")
        touch(page, 7, 7)
        page.wait("!document.getElementById('confirm').hidden")
        assert page.moves == [] and page.text("sure") == "Play h8"
        page.click("#confirm [data-step='0,1']")
        page.click("#confirm [data-step='-1,0']")
        assert page.text("sure") == "Play i9"
        heights = page.see("[...document.querySelectorAll('#confirm button')].map("
                           "(b) => b.getBoundingClientRect().height)")
        assert min(heights) >= 44
        page.click("#sure")
        page.grown(2)
        page.settle()
        assert page.moves[0] == "i9" and page.see("document.getElementById('confirm').hidden")
        touch(page, 0, 0)
        page.wait("!document.getElementById('confirm').hidden")
        touch(page, 0, 0)  # the same cell once more is a yes
        page.grown(4)
        page.begin("connect4")
        page.js("scrollTo(0, 0)")
        touch(page, 3, 3)  # a column is as wide as a finger
        page.grown(2)
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


@pytest.mark.parametrize("game, fields", [
    ("connect4", {"rows": 6, "cols": 7, "connect": 4}), ("gomoku", {"size": 15}), ("tictactoe", {}),
    ("mnk", {"m": 32, "n": 32, "k": 5}), ("connect4", {"rows": 1, "cols": 64, "connect": 4}),
])
def test_a_phone_has_no_bar_to_scroll_sideways(page, game, fields):
    browser.resize(page.driver, 360, 780)
    page.begin(game, **fields)
    page.click("#hint")
    page.wait("status().includes('Hint: ')")
    assert page.see("innerWidth") == 360
    assert page.see("document.documentElement.scrollWidth") <= 360
    outside = page.see("[...document.querySelectorAll('main *')].filter((e) => !e.closest('#frame') && "
                       "e.getBoundingClientRect().right > 360.5).map((e) => e.id || e.tagName)")
    assert outside == []
    buttons = page.see("[...document.querySelectorAll('#play-actions button')].map("
                       "(b) => b.getBoundingClientRect().height)")
    assert min(buttons) >= 44


def test_a_game_of_a_user(chromium):
    """Rows of text as its board, its moves as buttons."""
    class Rows(SmallNim):
        def play(self, move):
            return Rows(self.stones - move, -self.to_move)

        def __str__(self):
            return "row one\n" + "|" * self.stones

    with browser.serving(Rows(7), name="nim:Rows") as found:
        chromium.get("about:blank")
        browser.resize(chromium, 1280, 800)
        chromium.get(found.url)
        page = browser.Page.__new__(browser.Page)
        page.driver = chromium
        page.wait("document.querySelectorAll('#choices button').length === 2")
        assert page.text("rows") == "row one\n|||||||" and page.see("document.getElementById('frame').hidden")
        page.click("#hint")
        page.wait("status().includes('Hint: 1 wins within ')")
        numbers = page.see("[...document.querySelectorAll('#choices small')].map((e) => e.textContent.trim()[0])")
        assert numbers[0] == "w" and numbers[1]
        page.click("#choices button")
        page.grown(2)
        page.settle()
        while not page.see("/after \\d+ moves\\.$/.test(status())"):
            before = len(page.moves)
            page.click("#choices button")
            page.grown(before + 1)
            page.settle()
            page.wait("/Your turn\\.$|after \\d+ moves\\.$/.test(status())")
        assert page.see("location.hash").startswith("#game=nim%3ARows&moves=1,")
        assert page.see("document.querySelectorAll('#game option')[0].textContent") == "nim:Rows"


def test_a_game_of_a_user_has_its_own_picture_and_moves_by_name(chromium):
    class Drawn(SmallNim):
        def play(self, move):
            return Drawn(self.stones - move, -self.to_move)

        def name(self, move):
            return f"take {move}"

        def _repr_svg_(self):
            return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{20 * self.stones + 1}" height="40">'
                    '<script>document.title = "run"</script></svg>')

    with browser.serving(Drawn(7), name="nim:Drawn") as found:
        chromium.get("about:blank")
        chromium.get_log("browser")
        browser.resize(chromium, 1280, 800)
        chromium.get(found.url)
        page = browser.Page.__new__(browser.Page)
        page.driver = chromium
        page.wait("document.getElementById('drawing').naturalWidth === 141")
        assert page.see("document.getElementById('rows').hidden") and page.see("document.title") != "run"
        assert page.see("[...document.querySelectorAll('#move-names option')].map((option) => option.value)") == [
            "take 1", "take 2"]
        page.click("#move")
        page.keys("t", "a", "enter")
        assert page.text("wrong-move") == "2 legal moves begin with “ta”."
        page.keys("x", "enter")
        assert page.text("wrong-move") == "No legal move begins with “tax”."
        page.js("document.getElementById('move').value = ''")
        page.keys(*"TAKE 2", "enter")
        page.grown(2)
        page.settle()
        assert page.moves[0] == "take 2" and page.see("document.getElementById('wrong-move')") is None
        page.wait("document.getElementById('drawing').naturalWidth < 101")
        assert page.errors() == []


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


def test_moves_with_long_names_can_be_played_on_a_phone(chromium):
    """Names that differ at their ends alone."""
    class Long(SmallNim):
        def play(self, move):
            return Long(self.stones - move, -self.to_move)

        def name(self, move):
            return f"{'take' * 50} {'x' * 100} {move}"

    with browser.serving(Long(7), name="nim:Long") as found:
        chromium.get("about:blank")
        browser.resize(chromium, 360, 780)
        chromium.get(found.url)
        page = browser.Page.__new__(browser.Page)
        page.driver = chromium
        page.wait("document.querySelectorAll('#choices button').length === 2")
        page.click("#hint")
        page.wait("status().includes('Hint: ')")
        assert page.see("document.querySelectorAll('#choices small')[1].textContent.trim().length") > 0
        page.click("#choices li:nth-child(2) button")
        page.grown(2)
        page.settle()
        assert page.text("error") == "" and page.moves[0].endswith("x 2")
        assert page.see("document.documentElement.scrollWidth") <= 360
        outside = page.see("[...document.querySelectorAll('main *')].filter((e) => "
                           "e.getBoundingClientRect().right > 360.5).map((e) => e.id || e.tagName)")
        assert outside == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(page, scheme):
    """Contrast of text with its background, as WCAG 2.1 counts it (1.4.3): at least 4.5."""
    browser.prefer(page.driver, scheme)
    try:
        page.click("#hint")
        page.wait("status().includes('Hint: ')")
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
