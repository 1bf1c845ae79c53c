// What the page shows of the state.

import { Board } from "./board.js";
import { chartTitle, showChart } from "./chart.js";
import { showBalance } from "./balance.js";
import { complain, enterGame, inputOf } from "./form.js";
import { showLines } from "./lines.js";
import { showMoves } from "./moves.js";
import { showPanel } from "./panel.js";
import { boardOf } from "./records.js";
import { gradients, piece, shape } from "./shapes.js";
import {
  atEnd, chancesOf, engine, find, found, here, judgeAll, lastSearch, playable, playerAt, positions, state, takenBack,
} from "./state.js";
import { showWritten } from "./written.js";
import { capital, sideName, statusText, whoPlays } from "./words.js";

export const board = new Board();

/** Everything that the parts of the page show. */
function viewOf() {
  const { record, cursor, draft } = state;
  const seen = positions.get(here());
  const running = engine.running;
  const current = found.get(here()) ?? null;
  const drawn = draft === null ? null : [...draft].map(([cell, player]) => [...cell.split(",").map(Number), player]);
  const asked = state.learning !== null && !state.learning.solved;
  return {
    ...state,
    seen: drawn === null ? seen : { ...seen, stones: drawn, last: null, lines: [], legal: [], winner: null },
    movers: positions.get(record.key()).movers,
    ply: cursor,
    figures: drawn === null && seen.winner === null && !asked ? current : null,
    shownSearch: drawn === null && !asked ? lastSearch() : null,
    searching: running && running.key === here() ? running : running?.purpose === "answer" && atEnd() ? running : null,
    playable: playable(),
    drafting: draft !== null,
  };
}

/** What was better than the move that led here: { line, seen } of the position before, where a review has marked it. */
function betterMove(view, judged) {
  const verdict = view.ply > 0 && state.learning === null && state.draft === null ? judged[view.ply - 1].verdict : null;
  if (!verdict?.grade || verdict.better === "") return null;
  const key = state.record.key(view.ply - 1);
  const { move, moves } = found.get(key);
  return positions.has(key) ? { line: moves.find(({ name }) => name === move).line, seen: positions.get(key) } : null;
}

/** Shows the state. */
export function render() {
  if (state.record === null) return;
  const view = viewOf();
  const { seen } = view;
  const judged = judgeAll(view);
  view.better = betterMove(view, judged);
  board.show(view);
  showBalance(view);
  showWritten(view);
  const words = statusText(view);
  if (find("status").textContent !== words) find("status").textContent = words;
  showPlayers(view);
  showPanel(view);
  find("chart-title").textContent = chartTitle(view);
  const chances = chancesOf(view);
  find("chart-note").hidden = !chances.some(({ few }) => few);
  showChart(find("chart"), view, chances,
    new Map(judged.map(({ verdict }, index) => [index + 1, verdict?.grade ?? ""])));
  view.mistakes = judged.some(({ verdict }) => verdict?.grade);
  showMoves(view, judged);
  showLines(view);
  showButtons(view);
  find("digits").hidden = !hasDigits();
  find("digits").textContent = `, 1 to ${seen.cols} for a column`;
  find("title").textContent = capital(seen.title);
  document.title = `${capital(seen.title)} – mcts_core`;
}

function showPlayers(view) {
  const { seen } = view;
  for (const [name, player] of [["first", 1], ["second", -1]]) {
    const chip = find(name);
    const svg = chip.querySelector("svg");
    const look = `${seen.form} ${player}`;
    if (svg.dataset.look !== look) {
      svg.dataset.look = look;
      svg.replaceChildren(...(seen.form === "text" ? []
        : [shape("defs", {}, ...gradients(name)), piece(seen.form, player, 12, 12, 24, name)]));
    }
    const won = seen.winner === player;
    const moves = seen.winner === null && seen.to_move === player;
    chip.className = won ? "won" : moves ? "moves" : "";
    const level = playerAt(player) === "engine" && state.level !== "full" ? ` (${state.level})` : "";
    const who = playerAt(player) === "you" ? "You" : `Engine${level}`;
    chip.querySelector("span").textContent = `${who}, ${sideName(seen, player)}`;
    const thinks = moves && view.searching?.purpose === "answer";
    chip.querySelector("small").textContent = won ? whoPlays(view, player) === "you" ? "have won" : "has won"
      : thinks ? "thinking…" : moves ? "to move" : "";
  }
}

function showButtons(view) {
  const { seen, searching } = view;
  const idle = state.learning === null && state.reviewing === null && state.draft === null;
  const busy = idle ? "" : "The review is not done yet: stop it first.";
  const both = state.sides.first === state.sides.second;
  enable("take-back", busy || (takenBack() < 0 && "There is no move of yours to take back."));
  enable("hint", hintless(view));
  enable("finish", (searching === null || ["analysis", "review"].includes(searching.purpose))
    && "No search for a move or a hint runs.");
  enable("analyse", state.learning !== null || state.draft !== null ? busy : "");
  find("analyse").setAttribute("aria-pressed", state.analysing ? "true" : "false");
  enable("swap", busy || (state.analysing && "In an analysis you play both sides.")
    || (both && "The same player has both sides: choose others under New game."));
  enable("rematch", busy);
  enable("review", state.record.moves.length === 0 && "There are no moves to review.");
  find("review").classList.toggle("main", seen.winner !== null && !state.reviewed && state.reviewing === null);
  find("review").textContent = state.reviewing === null ? "Review" : "Stop";
  for (const button of document.querySelectorAll("[data-to]")) {
    const back = ["first", "back"].includes(button.dataset.to);
    enable(button, back ? state.cursor === 0 && "This is the beginning." : atEnd() && "This is the last move.");
  }
  find("play-actions").hidden = state.draft !== null || state.learning !== null;
  find("learn-actions").hidden = state.learning === null;
  enable("learn-show", state.learning?.solved && "The move is found.");
  find("learn").hidden = !state.reviewed || state.learning !== null || !view.mistakes;
  find("draft-actions").hidden = state.draft === null;
  const five = boardOf(seen.game) === null && "These files are for five in a row.";
  enable(document.querySelector("[data-save='sgf']"), five);
  enable(document.querySelector("[data-save='psq']"), five
    || (state.record.diagram !== null && "A .psq file begins with an empty board: this game does not."));
  for (const kind of ["svg", "png"]) {
    enable(document.querySelector(`[data-copy="${kind}"]`), seen.form === "text" && "This game has no board to copy.");
  }
}

/** Why there is no hint now; empty where there is one. */
function hintless({ seen, searching }) {
  if (state.analysing) return "The analysis shows the best move.";
  if (searching !== null) return "A search is running.";
  if (playable()) return "";
  return seen.winner !== null ? "The game is over." : atEnd() ? "It is not your turn."
    : "This is an earlier move: go to the end for a hint, or Analyse it.";
}

/** A button that is not for now stays where the keyboard is; it says `why` where it is pointed at or clicked. */
function enable(name, why) {
  const button = typeof name === "string" ? find(name) : name;
  button.setAttribute("aria-disabled", why ? "true" : "false");
  button.title = why || "";
}

/** Shows an error where it belongs: at its field, else above the board; null takes that one away. */
export function fail(refusal) {
  const input = refusal?.field ? inputOf(refusal.field) : null;
  if (input) return complain(input, capital(refusal.message));
  find("error").textContent = refusal === null ? "" : refusal.message;
  if (refusal !== null && state.record === null) find("status").textContent = "There is no game.";
}

/** The form says what is played. */
export function showForm() {
  enterGame(positions.get(here()).game);  // with all its fields: a link may lack some
  find("plays-first").value = state.sides.first;
  find("plays-second").value = state.sides.second;
  find("level").value = state.level;
  find("alone").checked = state.alone;
  for (const name of ["seconds", "threads"]) find(name).value = state[name];
}

/** Asks whether the move at a cell is meant; null: nothing is asked. */
export function confirmCell(cell) {
  if (cell === null && find("confirm").hidden) return;
  find("confirm").hidden = cell === null;
  board.mark(cell);
  if (cell !== null) find("sure").textContent = `Play ${board.moveAt(...cell)}`;
}

/** Whether digits play columns. */
export const hasDigits = () => {
  const { form, cols } = positions.get(here());
  return form === "slots" && cols < 10;
};

/** Brings the board into view, and the keyboard to it. */
export function focusBoard() {
  find("frame").scrollIntoView({ block: "nearest" });
  const target = positions.get(here()).form === "text" ? find("choices").querySelector("button")
    : board.cells[board.focus[0]][board.focus[1]];
  target?.focus({ preventScroll: true });
}
