// The variations of a game: which are there, which one is shown; they can be deleted.

const find = (id) => document.getElementById(id);
const SHOWN = 6;

/** `select(index)` is called with a line that was chosen, and `remove(index)` with one that is to be deleted. */
export function listenToLines(select, remove) {
  find("variations").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const index = Number(button.dataset.line);
    if (button.className !== "delete") return select(index);
    find("variations").querySelector("button").focus();
    return remove(index);
  });
}

/** Shows the game and its variations, where it has any. */
export function showLines({ record }) {
  const box = find("variations");
  const key = JSON.stringify([record.lines, record.at]);
  box.hidden = record.lines.length < 2;
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  const focused = box.contains(document.activeElement) ? document.activeElement.dataset.line : null;
  box.querySelector("ul").replaceChildren(...record.lines.map((moves, index) => {
    const item = document.createElement("li");
    const button = buttonOf(index, index === 0 ? "The game" : textOf(record, moves, index));
    if (index === record.at) button.setAttribute("aria-current", "true");
    item.append(button);
    if (index > 0) {
      const cross = buttonOf(index, "✕");
      cross.className = "delete";
      cross.setAttribute("aria-label", `Delete the variation ${textOf(record, moves, index)}`);
      item.append(cross);
    }
    return item;
  }));
  if (focused !== null) {
    (box.querySelector(`[data-line="${focused}"]`) ?? box.querySelector("button")).focus({ preventScroll: true });
  }
}

function textOf(record, moves, index) {
  const { ply } = record.departure(index);
  const own = moves.slice(ply);
  return `${ply + 1}. ${own.slice(0, SHOWN).join(" ")}${own.length > SHOWN ? " …" : ""}`;
}

function buttonOf(index, text) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.line = index;
  button.textContent = text;
  return button;
}
