// The list of the game's moves: where one is, what each lost, and a summary of both sides.

import { playerOf } from "./chart.js";
import { summary } from "./review.js";
import { percent, summaryText } from "./words.js";

const find = (id) => document.getElementById(id);

/** `go(ply)` is called with the move that was chosen; `preview(names, seen)` with the line under the pointer or the
    focus, [] for none, and the position before it; `follow(names, ply)` with a line that was chosen. */
export function listenToMoves(go, preview, follow) {
  const line = find("verdict").querySelector("button");
  const look = () => preview(line.names, line.seen);
  for (const name of ["pointerenter", "focus"]) line.addEventListener(name, look);
  line.addEventListener("click", () => {
    preview([]);
    follow(line.names, line.seen.ply);
  });
  for (const name of ["pointerleave", "blur"]) line.addEventListener(name, () => preview([]));
  find("record").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) go(Number(button.dataset.ply));
  });
}

/** Shows the moves: `judged` has { player, verdict or null } for each. */
export function showMoves(view, judged) {
  const { record, seen } = view;
  const list = find("record");
  const branched = record.at > 0 ? record.departure(record.at).ply : Infinity;
  find("no-moves").hidden = record.moves.length > 0;
  showSummary(view, judged);
  showVerdict(view, judged);
  const focused = list.contains(document.activeElement);
  // The buttons stay while an analysis changes their marks: one of them may be under a finger.
  while (list.children.length > record.moves.length) list.lastChild.remove();
  while (list.children.length < record.moves.length) list.append(newMove());
  record.moves.forEach((name, index) => {
    const button = list.children[index].firstChild;
    const [number, , note, best] = button.childNodes;
    const { verdict, player } = judged[index];
    const here = index + 1 === seen.ply;
    const side = index >= branched ? "side" : "";
    const set = (node, text) => {
      if (node.textContent !== text) node.textContent = text;
    };
    button.dataset.ply = index + 1;
    button.className = `${player === playerOf(view) ? "own" : "other"} ${side} ${verdict?.grade ?? ""}`;
    if (here) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.tabIndex = here || (seen.ply === 0 && index === 0) ? 0 : -1;
    set(number, `${index + 1}.`);
    set(button.childNodes[1], ` ${name}`);
    set(note, verdict?.text ? ` ${verdict.mark} ${verdict.text}` : "");
    set(best, verdict?.text && verdict.better ? ` best ${verdict.better}` : "");
    button.title = verdict?.text ? titleOf(verdict) : "";
  });
  const key = JSON.stringify([record.moves, seen.ply]);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const here = list.querySelector("[aria-current]");
  if (focused) (here ?? list.querySelector("button"))?.focus({ preventScroll: true });
  const top = (element) => element.getBoundingClientRect().top;
  if (here) list.scrollTop += top(here) - top(list) - list.clientHeight / 2;
  else list.scrollTop = 0;
}

function titleOf({ exact, text, lost, better }) {
  return `${exact ? `Proven: ${text}` : `Lost ${percent(lost)}`}${better ? `; better: ${better}` : ""}`;
}

/** A button with a number, the move, its mark and the best move. */
function newMove() {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.type = "button";
  button.append(document.createElement("i"), document.createTextNode(""), document.createElement("small"),
    document.createElement("span"));
  item.append(button);
  return item;
}

/** Beside the mark of the move that led here: what was better, and how it goes on. */
function showVerdict(view, judged) {
  const { better, ply, record } = view;
  find("verdict").hidden = better === null;
  if (better === null) return;
  const [words, line] = find("verdict").children;
  const { verdict } = judged[ply - 1];
  words.textContent = `${ply}. ${record.moves[ply - 1]} ${verdict.mark} ${verdict.text}. Best was `;
  line.textContent = better.line.slice(0, 8).join(" ");
  Object.assign(line, { names: better.line, seen: better.seen });
}

function showSummary(view, judged) {
  const shown = judged.some(({ verdict }) => verdict) && view.reviewed;
  find("summary").hidden = !shown;
  if (!shown) return;
  const lines = [1, -1].map((player) => summaryText(view, player, summary(judged, player)));
  if (find("summary").textContent === lines.join("")) return;
  find("summary").replaceChildren(...lines.map((line) => {
    const text = document.createElement("p");
    text.textContent = line;
    return text;
  }));
}
