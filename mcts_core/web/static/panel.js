// The figures of a search beside the board: totals, and the moves with their lines. The last search stays in view.

import { capital, count, markText, percent, proofText, sideName } from "./words.js";

/** Of a board whose moves are more than columns. */
const MOST_ROWS = 24;
/** Visits: with fewer the tree has hardly searched. */
const AT_ONCE = 1000;
const PURPOSES = { answer: "thinking", hint: "a hint", review: "review", analysis: "analysis" };
/** The row under the pointer or the focus, and what shows its line on the board. */
let looked = null;
let show = () => {};

const find = (id) => document.getElementById(id);

/** `preview(names, seen)` is called with the line under the pointer or the focus, [] for none, and the position before
    it; `follow(names, ply)` with a line that was chosen, and its place in the game. */
export function listenToPanel(preview, follow) {
  const body = find("moves").tBodies[0];
  const look = (row) => {
    looked = row;
    preview(row?.names ?? [], row?.seen);
  };
  show = () => looked && look(looked.isConnected ? looked : null);
  body.addEventListener("pointerover", (event) => look(event.target.closest("tr")));
  body.addEventListener("pointerleave", () => look(null));
  body.addEventListener("focusin", (event) => look(event.target.closest("tr")));
  body.addEventListener("focusout", () => look(null));
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row) follow(row.names, row.ply);
  });
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") event.preventDefault();
    next?.querySelector("button").focus();
  });
}

/** Shows the figures of the position on the board; without any, those of the last search before it. */
export function showPanel(view) {
  const { searching, shownSearch } = view;
  const figures = shownSearch?.figures ?? null;
  const own = shownSearch?.ply === view.ply;
  const title = searching !== null ? `Search: ${searching.waiting ? "waiting" : PURPOSES[searching.purpose]}`
    : figures === null || own ? "Search" : `Last search: before move ${shownSearch.ply + 1}`;
  const set = (id, text) => {
    if (find(id).textContent !== text) find(id).textContent = text;
  };
  set("thinking-title", title);
  const endless = searching?.purpose === "analysis";
  find("clock").className = endless ? "endless" : searching ? "runs" : "";
  const share = figures && own ? Math.min(1, figures.seconds / view.seconds) : 0;
  find("clock").firstElementChild.style.setProperty("width", `${100 * (searching && !endless ? share : 1)}%`);
  set("visits", figures ? count(figures.visits) : "–");
  set("speed", figures?.per_second ? count(figures.per_second) : "–");
  set("depth", figures ? figures.depth.toFixed(1) : "–");
  set("value", figures ? `${figures.move} · ${markText(figures)}` : "–");
  find("value").title = figures ? `${figures.move}: ${proofText(figures) || percent(figures.value)}` : "";
  set("search-note", noteOf(view, shownSearch));
  find("moves").classList.toggle("written", view.seen.form === "text");
  showRows(shownSearch);
}

function noteOf(view, shown) {
  if (view.drafting) return "";
  if (view.learning !== null && shown === null) return "Hidden while you look for a better move.";
  if (shown === null) return "No search yet. The engine searches for its move; Hint and Analyse search for yours.";
  const side = sideName(shown.seen, shown.figures.player);
  const { few, alone, proven, visits } = shown.figures;
  if (few) return `Too few iterations to rely on the chances of ${side}.`;
  const known = proven !== null && !alone && visits < AT_ONCE && shown.seen.form !== "text";
  return `${capital(side)} to move. ${known ? "Proven by exact search." : `Values: ${side}’s chances.`}`;
}

/** The rows of a table: every column of a board with slots, else the moves that the search has looked at. */
function rowsOf({ seen, figures }) {
  if (seen.form === "slots") return figures.moves;
  const known = ({ visits, proven, name }) => visits > 0 || proven !== null || name === figures.move;
  return figures.moves.filter(known).slice(0, MOST_ROWS);
}

function showRows(shown) {
  const body = find("moves").tBodies[0];
  const rows = shown === null ? [] : rowsOf(shown);
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) body.append(newRow());
  rows.forEach((entry, index) => {
    const row = body.rows[index];
    const best = entry.name === shown.figures.move;
    row.className = best ? "best" : "";
    Object.assign(row, { names: entry.line, seen: shown.seen, ply: shown.ply });
    const set = (element, text) => {
      if (element.textContent !== text) element.textContent = text;
    };
    set(row.cells[0], `${entry.name}${best ? " ★" : ""}`);
    const [mark, words] = row.cells[1].children;
    set(mark, markText(entry));
    set(words, proofText(entry) || percent(entry.value));
    set(row.cells[2].querySelector("span"), count(entry.visits));
    const part = shown.figures.visits ? Math.min(1, entry.visits / shown.figures.visits) : 0;
    row.cells[2].querySelector(".bar > div").style.setProperty("width", `${100 * part}%`);
    const line = row.cells[3].firstElementChild;
    set(line, entry.line.slice(1).join(" ") || "–");
    line.setAttribute("aria-label", `${entry.name}, then ${line.textContent}`);
  });
  const buttons = [...body.querySelectorAll("button")];
  const stop = buttons.find((button) => button === document.activeElement) ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  show();
}

function newRow() {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  row.append(head);
  for (let cell = 0; cell < 3; cell++) row.insertCell();
  const mark = document.createElement("span");
  mark.setAttribute("aria-hidden", "true");
  const words = document.createElement("span");
  words.className = "hidden";
  row.cells[1].append(mark, words);
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
