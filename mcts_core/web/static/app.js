// The page: what happens when something is clicked or pressed, and how it begins.

import { plyAt } from "./chart.js";
import { complain, enteredGame, forgive, forgiveAll, showGameFields } from "./form.js";
import { tryMove } from "./learning.js";
import { listenToLines } from "./lines.js";
import { listenToMoves } from "./moves.js";
import { listenToPanel } from "./panel.js";
import {
  begin, go, note, openLink, play, review, save, saved, search, step, stopReview, tryLine, update,
} from "./play.js";
import { Record } from "./record.js";
import { changeDraft, openDraft } from "./setup.js";
import { complete, engine, find, here, playable, positions, state, takenBack } from "./state.js";
import { transport } from "./transport.js";
import { board, confirmCell, fail, focusBoard, hasDigits, showForm } from "./view.js";
import { listenToWritten } from "./written.js";

let offers = null;

// -- what the player does --------------------------------------------------------------------------

board.chosen = (name, row, col, sure) => {
  if (state.draft !== null) return changeDraft(row, col);
  if (!sure && playable() && positions.get(here()).legal.includes(name)) return confirmCell([row, col]);
  return choose(name);
};

function choose(name) {
  if (state.learning !== null && playable()) tryMove(name);
  else play(name);
}

const ACTIONS = {
  "take-back": () => {
    const ply = takenBack();
    const stays = state.analysing && state.record.at === 0 && !state.free;  // an analysis takes no move of a game back
    engine.drop();
    go(stays ? state.record : state.record.cut(ply), ply, { reviewed: false,
      note: ply === 0 ? "Taken back to the beginning." : `Taken back to move ${ply}.` });
  },
  hint: () => search({ purpose: "hint", ply: state.cursor, key: here() }),
  finish: () => engine.finish().catch(fail),
  analyse: () => {
    stopReview();
    if (!state.analysing) Object.assign(state, { analysing: true, hint: null, note: "" });
    else {
      const game = state.record.select(0);
      return go(game, game.moves.length, { analysing: false, free: false });
    }
    save();
    update();
  },
  swap: () => {
    state.sides = { first: state.sides.second, second: state.sides.first };
    state.note = "";
    showForm();
    save();
    update();
  },
  rematch: () => {
    const sides = { first: state.sides.second, second: state.sides.first };
    begin(new Record(state.record.game, state.record.diagram), { sides });
  },
  review,
  draft: openDraft,
};

// A button that is not for now says why.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[aria-disabled='true']");
  if (!button?.title || state.record === null) return;
  event.stopPropagation();
  note(button.title);
}, true);

for (const [name, action] of Object.entries(ACTIONS)) {
  find(name).addEventListener("click", () => state.record !== null && action());
}

for (const button of document.querySelectorAll("[data-to]")) {
  button.addEventListener("click", () => state.record && step(button.dataset.to));
}

find("chart").addEventListener("click", (event) => {
  if (state.record !== null) go(state.record, plyAt(find("chart"), event.clientX, state.record.moves.length));
});

/** Shows a line on the board of the position before it. */
function preview(names, seen) {
  if (state.record === null || positions.get(here()).form === "text" || state.draft !== null) return;
  board.showLine(names, seen);
}

listenToWritten(choose);
listenToMoves((ply) => go(state.record, ply), preview, async (line, ply) => {
  if (await tryLine(ply, line)) focusBoard();
});
listenToLines(
  (at) => {
    const record = state.record.select(at);
    go(record, at === 0 ? record.moves.length : record.departure(at).ply + 1, { analysing: true, reviewed: false });
  },
  (index) => {
    const record = state.record.without(index);
    go(record, Math.min(state.cursor, record.moves.length), { reviewed: false });
  });
listenToPanel(
  preview,
  (names, ply) => {
    if (ply === state.cursor) choose(names[0]);
    else go(state.record, ply);
  });

document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || state.record === null) return;
  if (target.closest("input, select, textarea, summary") || state.draft !== null) return;
  const onBoard = target.closest("#grid") !== null;
  const to = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
  if (to && !onBoard) step(to);
  else if (onBoard && /^Page(Up|Down)$/.test(event.key)) step(event.key === "PageUp" ? "back" : "on");
  else if (/^[1-9]$/.test(event.key) && hasDigits()) choose(event.key);
  else return;
  event.preventDefault();
});

document.addEventListener("visibilitychange", () => {
  if (state.record !== null) update();
});

window.addEventListener("hashchange", () => {
  const record = Record.fromHash(location.hash);
  if (record !== null && record.toHash() !== state.record?.toHash()) openLink(record);
});

// -- a small board under a finger ------------------------------------------------------------------

find("confirm").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || board.marked === null) return;
  const [row, col] = board.marked;
  if (button.id === "sure") return choose(board.moveAt(row, col));
  const [down, right] = button.dataset.step.split(",").map(Number);
  const { rows, cols } = positions.get(here());
  confirmCell([Math.min(rows - 1, Math.max(0, row + down)), Math.min(cols - 1, Math.max(0, col + right))]);
});

// -- new games and positions -----------------------------------------------------------------------

find("game").addEventListener("change", showGameFields);

find("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  forgiveAll(event.target);
  const game = enteredGame();
  if (game === null || state.record === null) return;
  const { first, second } = event.target.elements;
  if (await begin(new Record(game), { sides: { first: first.value, second: second.value } })) focusBoard();
});

for (const name of ["seconds", "threads"]) {
  find(name).addEventListener("change", () => {
    const input = find(name);
    const [low, high] = offers.limits[name];
    const value = input.valueAsNumber;
    if (Number.isNaN(value) || value < low || value > high || (name === "threads" && !Number.isInteger(value))) {
      return complain(input, `${name === "threads" ? "A whole number" : "A number"} from ${low} to ${high}, please.`);
    }
    forgive(input);
    state[name] = value;
    save();
  });
}

find("level").addEventListener("change", () => {
  state.level = find("level").value;
  save();
});

find("alone").addEventListener("change", () => {
  state.alone = find("alone").checked;
  complete.clear();
  save();
  if (engine.running?.purpose !== "answer") engine.drop();
  update();
});

// -- the beginning, and what is kept ---------------------------------------------------------------

async function start() {
  try {
    offers = await transport.offers((text) => { find("status").textContent = text; });
  } catch (refusal) {
    fail(refusal);
    return;
  }
  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  find("game").replaceChildren(...offers.games.map(({ name, label }) => option(name, label)));
  find("level").replaceChildren(...offers.levels.map((name) => option(name, name === "full" ? "full strength" : name)));
  for (const name of ["seconds", "threads"]) [find(name).min, find(name).max] = offers.limits[name];
  find("threads").parentElement.hidden = offers.limits.threads[1] === 1;
  Object.assign(state, { seconds: offers.seconds, threads: offers.threads });
  const before = saved();
  const linked = Record.fromHash(location.hash);
  if (before !== null && (linked === null || linked.toHash() === before.hash)) {
    const { hash, cursor, ...kept } = before;
    const record = Record.fromHash(hash);
    if (await go(record, Math.min(cursor, record.moves.length), kept)) return showForm();
  } else if (linked !== null && await openLink(linked)) return undefined;
  const text = find("error").textContent;
  await begin(new Record(offers.game), {});
  if (text) find("error").textContent = text;
  return undefined;
}

start();
