// The list of the game's moves: where one is, what each lost, and a summary of both sides.

import { playerOf } from "./chart.js";
import { summary } from "./review.js";
import { percent, summaryText } from "./words.js";

const find = (id) => document.getElementById(id);

/** `go(ply)` is called with the move that was chosen; `preview(names, seen)` with the line under the pointer or the
    focus, [] for none, and the position before it. */
export function listenToMoves(go, preview) {
  const line = find("verdict").querySelector("button");
  const look = () => preview(line.names, line.seen);
  for (const name of ["pointerenter", "focus"]) line.addEventListener(name, look);
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
  const marks = judged.map(({ verdict }) => (verdict ? [verdict.mark, verdict.text, verdict.better] : []));
  const key = JSON.stringify([record.moves, seen.ply, marks, view.movers]);
  find("no-moves").hidden = record.moves.length > 0;
  showSummary(view, judged);
  showVerdict(view, judged);
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...record.moves.map((name, index) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const { verdict, player } = judged[index];
    button.type = "button";
    button.dataset.ply = index + 1;
    const here = index + 1 === seen.ply;
    button.className = `${player === playerOf(view) ? "own" : "other"} ${verdict?.grade ?? ""}`;
    if (here) button.setAttribute("aria-current", "step");
    button.tabIndex = here || (seen.ply === 0 && index === 0) ? 0 : -1;
    const number = document.createElement("i");
    number.textContent = `${index + 1}.`;
    button.append(number, ` ${name}`);
    if (verdict?.text) {
      const note = document.createElement("small");
      note.textContent = ` ${verdict.mark} ${verdict.text}`;
      button.append(note);
      button.title = `${verdict.exact ? `Proven: ${verdict.text}` : `Lost ${percent(verdict.lost)}`}`
        + `${verdict.better ? `; better: ${verdict.better}` : ""}`;
      if (verdict.better) {
        const best = document.createElement("span");
        best.textContent = ` best ${verdict.better}`;
        button.append(best);
      }
    }
    item.append(button);
    return item;
  }));
  const here = list.querySelector("[aria-current]");
  if (focused) (here ?? list.querySelector("button"))?.focus({ preventScroll: true });
  if (here) list.scrollTop += here.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  else list.scrollTop = 0;
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
