// The figures of a search beside the board: totals, and the best moves with their lines.

import { count, percent, proofText } from "./words.js";

const ROWS = 6;
/** The row under the pointer or the focus, and what shows its line on the board. */
let looked = null;
let show = () => {};

const find = (id) => document.getElementById(id);

/** `preview(names)` is called with the line under the pointer or the focus, [] for none; `follow(names)` with a line
    that was chosen. */
export function listenToPanel(preview, follow) {
  const body = find("moves").tBodies[0];
  const look = (row) => {
    looked = row;
    preview(row?.names ?? []);
  };
  show = () => looked && look(looked.isConnected ? looked : null);
  body.addEventListener("pointerover", (event) => look(event.target.closest("tr")));
  body.addEventListener("pointerleave", () => look(null));
  body.addEventListener("focusin", (event) => look(event.target.closest("tr")));
  body.addEventListener("focusout", () => look(null));
  body.addEventListener("click", (event) => {
    if (event.target.closest("button")) follow(event.target.closest("tr").names);
  });
}

/** Shows the figures of the position on the board; without any, that there are none. */
export function showPanel(view) {
  const { figures, searching } = view;
  const words = { answer: "thinking", hint: "a hint", review: "review", analysis: "analysis" };
  const title = searching === null ? "Search" : `Search: ${searching.waiting ? "waiting" : words[searching.purpose]}`;
  if (find("thinking-title").textContent !== title) find("thinking-title").textContent = title;
  const endless = searching?.purpose === "analysis";
  find("clock").className = endless ? "endless" : searching ? "runs" : "";
  const share = figures ? Math.min(1, figures.seconds / view.seconds) : 0;
  find("clock").firstElementChild.style.setProperty("width", `${100 * (searching && !endless ? share : 1)}%`);
  find("visits").textContent = figures ? count(figures.visits) : "–";
  find("speed").textContent = figures?.per_second ? count(figures.per_second) : "–";
  find("depth").textContent = figures ? figures.depth.toFixed(1) : "–";
  find("value").textContent = figures ? proofText(figures) || percent(figures.value) : "–";
  find("moves").classList.toggle("written", view.seen.form === "text");
  showRows(figures);
}

function showRows(figures) {
  const body = find("moves").tBodies[0];
  const rows = figures === null ? [] : figures.moves.slice(0, ROWS);
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) body.append(newRow());
  rows.forEach((entry, index) => {
    const row = body.rows[index];
    const best = entry.name === figures.move;
    row.className = best ? "best" : "";
    row.names = entry.line;
    const set = (element, text) => {
      if (element.textContent !== text) element.textContent = text;
    };
    set(row.cells[0], `${entry.name}${best ? " ★" : ""}`);
    set(row.cells[1], proofText(entry) || percent(entry.value));
    set(row.cells[2].querySelector("span"), count(entry.visits));
    const part = figures.visits ? Math.min(1, entry.visits / figures.visits) : 0;
    row.cells[2].querySelector(".bar > div").style.setProperty("width", `${100 * part}%`);
    set(row.cells[3].firstElementChild, entry.line.slice(1).join(" "));
    row.cells[3].firstElementChild.hidden = entry.line.length < 2;
  });
  show();
}

function newRow() {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  row.append(head);
  for (let cell = 0; cell < 3; cell++) row.insertCell();
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.append(document.createElement("div"), document.createElement("span"));
  row.cells[2].append(bar);
  const line = document.createElement("button");
  line.type = "button";
  line.className = "line";
  row.cells[3].append(line);
  return row;
}
