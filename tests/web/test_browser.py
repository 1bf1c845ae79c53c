"""The page of ``mcts-core serve`` in a real, headless Chromium: make test KIND=browser."""

import accessibility
import browser
import pytest
from nim import SmallNim

pytestmark = pytest.mark.browser


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
