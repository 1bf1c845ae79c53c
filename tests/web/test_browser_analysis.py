"""Reviews, analyses, variations and records on the page, in a real Chromium: make test-browser."""

import time
import xml.etree.ElementTree

import browser
import pytest

import mcts_core as mc

pytestmark = pytest.mark.browser


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
    assert page.rows == []
    page.cell(1, 0)
    page.wait("status().startsWith('A2 was played in the game. Try another move.')")
    page.cell(0, 1)
    page.wait("status().startsWith('B3 is not good enough. Try another move.')")
    page.cell(0, 0)
    page.wait("status().startsWith('A3 is right: ')")
    assert page.see("document.querySelectorAll('#picture .bubbles text').length") == 8 and len(page.moves) == 5
    page.click("#learn-next")
    page.wait("status().startsWith('You have gone through the mistake.')")
    browser.resize(page.driver, 360, 640)
    page.click("#learn")
    page.wait("status().startsWith('Mistake 1')")
    page.wait("document.activeElement.closest('#grid') !== null")
    top, bottom = page.see("['status', 'board'].map((name) => document.getElementById(name).getBoundingClientRect())")
    assert top["top"] >= -1 and bottom["bottom"] <= 640
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
