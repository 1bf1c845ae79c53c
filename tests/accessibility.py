"""What the page must be for the keyboard and for a screen reader, with a server and without one."""


def play_by_the_keyboard(page):
    """Of a new page: from its top to a game, to its end, through its moves, and to another game."""
    page.js("document.activeElement.blur()")
    page.keys("tab")
    assert page.see("document.activeElement.className") == "skip"
    page.keys("tab")
    assert page.see("document.activeElement.getAttribute('aria-label')") == "column 4, row 1, empty"
    assert page.see("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keys("left", "enter")
    page.grown(2)
    page.settle()
    assert page.moves[0] == "3"
    assert page.see("document.activeElement.dataset.col") == "2"  # the focus stays on the board
    page.keys("up", "up", "home", "right", "space")
    page.grown(4)
    page.settle()
    assert page.moves[2] == "2"
    page.keys("7")
    page.grown(6)
    page.settle()
    assert page.moves[4] == "7"
    while not page.see("/after \\d+ moves\\.$/.test(status())"):
        before = len(page.moves)
        page.keys(page.see("`${[6, 5, 4, 3, 2, 1, 0].find((col) => label(0, col).includes('empty')) + 1}`"))
        page.grown(before + 1)
        page.settle()
        page.wait("/Your turn\\.$|after \\d+ moves\\.$/.test(status())")
    page.keys("tab")
    assert page.see("document.activeElement.id") == "take-back"
    page.keys("left")
    page.wait("/^Move \\d+ of \\d+:/.test(status())")
    page.keys("end")
    page.wait("/after \\d+ moves\\.$/.test(status())")
    for _ in range(40):
        if page.see("document.activeElement.id") == "game":
            break
        page.keys("tab")
    page.keys("t")  # tic-tac-toe
    for _ in range(4):
        page.keys("tab")
        if page.see("document.activeElement.textContent") == "Start":
            break
    page.keys("enter")
    page.wait("document.querySelectorAll('#grid button').length === 9")
    assert page.see("document.activeElement.getAttribute('aria-label')") == "b2, empty"


def read_the_screen(page):
    """What a screen reader meets on a new page and after a move."""
    assert page.see("document.documentElement.lang") == "en"
    assert page.see("document.getElementById('status').getAttribute('aria-live')") == "polite"
    assert page.see("document.getElementById('error').getAttribute('role')") == "alert"
    assert page.see("document.querySelectorAll('[role=grid] > [role=row]').length") == 6
    assert page.see("document.querySelectorAll('[role=row] > [role=gridcell] > button[aria-label]').length") == 42
    assert page.see("document.querySelectorAll('#grid button[tabindex=\"0\"]').length") == 1
    fields = "[...document.querySelectorAll('input, select, textarea')]"
    assert page.see(f"{fields}.every((field) => field.labels.length === 1)")
    page.cell(5, 0)
    page.grown(2)
    page.settle()
    assert page.see("label(5, 0)").startswith("column 1, row 1, red, you")
    labels = page.see("[...document.querySelectorAll('#grid button')].map((cell) => cell.getAttribute('aria-label'))")
    assert sum("yellow, the engine, last move" in label for label in labels) == 1
    page.wait("status() === `The engine plays column ${arguments[0]}. Your turn.`", page.moves[1])
