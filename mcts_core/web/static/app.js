// The page: what is played and looked at, and which search that needs.

import { Board } from "./board.js";
import { chartTitle, plyAt, playerOf, showChart } from "./chart.js";
import { Engine } from "./engine.js";
import { complain, enteredGame, enterGame, forgive, forgiveAll, inputOf, showGameFields } from "./form.js";
import { listenToMoves, showMoves } from "./moves.js";
import { listenToPanel, showPanel } from "./panel.js";
import { Record } from "./record.js";
import { judge, valueOf } from "./review.js";
import { copyPicture, copyText, pngBlob, svgText } from "./share.js";
import { gradients, piece, shape } from "./shapes.js";
import { transport } from "./transport.js";
import { bubbleText, capital, proofText, sideName, statusText, whoPlays } from "./words.js";

const SAVED = "mcts_core page";
const REVIEW_SECONDS = 1;
const PACE = 400;
const PEOPLE = { first: "you", second: "you" };
const find = (id) => document.getElementById(id);

const engine = new Engine(transport, render, (refusal) => fail(refusal));
const board = new Board(chooseCell);

/** `record` is the game and `cursor` the move that is shown; `main` the game that an analysis has left. */
const state = {
  record: null, cursor: 0, main: null, sides: { first: "you", second: "engine" }, level: "full", seconds: 1, threads: 1,
  analysing: false, hint: null, note: "", reviewing: null, reviewed: false, draft: null, failed: "",
};
let offers = null;
let positions = new Map();
let found = new Map();
let complete = new Set();
let ticket = 0;

const here = () => state.record.key(state.cursor);
const atEnd = () => state.cursor === state.record.moves.length;
const playerAt = (player) => state.sides[player > 0 ? "first" : "second"];

// -- where one is ----------------------------------------------------------------------------------

/** Shows the position after `cursor` moves of a record, and decides what is to be searched. */
async function go(record, cursor, changes = {}) {
  const mine = ++ticket;
  try {
    await Promise.all([...new Set([cursor, record.moves.length])].map((ply) => locate(record, ply)));
  } catch (refusal) {
    if (mine === ticket) fail(refusal);
    return false;
  }
  if (mine !== ticket) return false;
  Object.assign(state, { hint: null, note: "", failed: "" }, changes, { record, cursor });
  fail(null);
  confirmCell(null);
  save();
  update();
  return true;
}

/** Asks for a position, unless it is known. Throws Refusal. */
async function locate(record, ply) {
  const key = record.key(ply);
  if (!positions.has(key)) positions.set(key, await transport.act("position", record.fields(ply)));
}

/** What the engine has to do now. */
function update() {
  render();
  if (state.reviewing !== null) return;
  const wanted = wantedSearch();
  const running = engine.running;
  if (wanted === null) {
    if (running && !(running.purpose === "hint" && running.key === here())) engine.drop();
  } else if (state.failed !== wanted.key + wanted.purpose
    && (running?.key !== wanted.key || running.purpose !== wanted.purpose)) search(wanted);
}

function wantedSearch() {
  if (state.draft !== null) return null;
  if (state.analysing) {
    if (document.hidden) return null;
    const over = positions.get(here()).winner !== null;
    return over || complete.has(here()) ? null : { purpose: "analysis", ply: state.cursor, key: here() };
  }
  const end = positions.get(state.record.key());
  const due = end.winner === null && playerAt(end.to_move) === "engine";
  return due ? { purpose: "answer", ply: end.ply, key: state.record.key() } : null;
}

/** Runs a search, keeps its figures, and does what follows from its end. */
async function search({ purpose, ply, key, seconds = state.seconds }) {
  const { record, threads } = state;
  const level = purpose === "answer" ? state.level : "full";
  const begun = performance.now();
  const shown = (figures) => keep(key, { ...figures, weak: level !== "full" });
  let figures;
  try {
    figures = await engine.run({ purpose, key, shown,
      fields: { ...record.fields(ply), purpose, seconds, threads, level } });
  } catch (refusal) {
    state.failed = key + purpose;
    fail(refusal);
    return null;
  }
  if (figures === null) return null;
  if (purpose === "analysis" && figures.stop_reason === "solved") complete.add(key);
  if (purpose === "hint" && key === here()) state.hint = figures;
  if (purpose === "answer") {
    if (state.sides.first === state.sides.second) {
      await new Promise((done) => setTimeout(done, begun + PACE - performance.now()));
    }
    if (state.record.key() !== key || state.analysing || engine.running !== null) return null;
    const grown = state.record.then(ply, figures.move);
    await go(grown, atEnd() ? ply + 1 : state.cursor);
  } else if (purpose !== "review") update();
  return figures;
}

/** Keeps the best figures of each position. */
function keep(key, figures) {
  const before = found.get(key);
  if (before && !before.weak && (figures.weak || before.visits > figures.visits) && before.number !== figures.number
    && figures.proven === null) return;
  found.set(key, figures);
}

/** All searches of a game in a row, for what each move was worth. */
async function review() {
  if (state.reviewing !== null) return stopReview();
  engine.drop();
  const { record } = state;
  const seconds = Math.min(REVIEW_SECONDS, state.seconds);
  Object.assign(state, { analysing: false, hint: null });
  for (let ply = 0; ply <= record.moves.length; ply++) {
    const key = record.key(ply);
    state.reviewing = ply;
    render();
    try {
      await locate(record, ply);
    } catch (refusal) {
      fail(refusal);
      break;
    }
    if (state.reviewing === null || state.record !== record) return;
    const known = found.get(key);
    const enough = known && !known.weak && (known.proven !== null || known.seconds >= seconds);
    if (positions.get(key).winner !== null || enough) continue;
    await search({ purpose: "review", ply, key, seconds });
    if (state.reviewing === null || state.record !== record) return;
    if (state.failed) break;
  }
  Object.assign(state, { reviewing: null, reviewed: !state.failed, note: state.failed ? "" : "The review is done." });
  update();
}

function stopReview() {
  state.reviewing = null;
  engine.drop();
  update();
}

// -- what the player does --------------------------------------------------------------------------

function playable() {
  const seen = positions.get(here());
  return seen.winner === null && state.reviewing === null && state.draft === null
    && (state.analysing || (atEnd() && playerAt(seen.to_move) === "you"));
}

function chooseCell(name, row, col, sure) {
  if (state.draft !== null) return changeDraft(row, col);
  if (!sure && playable() && positions.get(here()).legal.includes(name)) return confirmCell([row, col]);
  return play(name);
}

function play(name) {
  const seen = positions.get(here());
  if (!playable()) {
    if (state.reviewing !== null) return;
    if (seen.winner !== null) note("The game is over; begin a new one, or look at its moves.");
    else if (!atEnd()) note("This is an earlier move: go to the end to play on, or Analyse to try moves here.");
    else note("The engine is to move.");
  } else if (!seen.legal.includes(name)) {
    note(seen.form === "slots" ? `Column ${name} is full.` : `${capital(name)} is taken.`);
  } else if (state.record.moves[state.cursor] === name) go(state.record, state.cursor + 1);
  else {
    const leaves = state.analysing && state.main === null && Object.values(state.sides).includes("engine");
    go(state.record.then(state.cursor, name), state.cursor + 1,
      { reviewed: false, ...(leaves ? { main: state.record } : {}) });
  }
}

function note(text) {
  state.note = text;
  render();
}

function step(to) {
  const last = state.record.moves.length;
  const ply = { first: 0, back: state.cursor - 1, on: state.cursor + 1, last }[to];
  if (ply >= 0 && ply <= last && ply !== state.cursor) go(state.record, ply);
}

/** How many moves are left after a take-back: those before the last decision of a person. */
function takenBack() {
  if (state.analysing || state.sides.first === state.sides.second) return state.cursor - 1;
  const { movers } = positions.get(state.record.key());
  return movers.findLastIndex((player) => playerAt(player) === "you");
}

const ACTIONS = {
  "take-back": () => {
    const ply = takenBack();
    engine.drop();
    go(state.record.cut(ply), ply, { reviewed: false,
      note: ply === 0 ? "Taken back to the beginning." : `Taken back to move ${ply}.` });
  },
  hint: () => search({ purpose: "hint", ply: state.cursor, key: here() }),
  finish: () => engine.finish().catch(fail),
  analyse: () => {
    stopReview();
    if (!state.analysing) Object.assign(state, { analysing: true, hint: null, note: "" });
    else {
      state.analysing = false;
      if (state.main !== null) return go(state.main, state.main.moves.length, { main: null });
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
  draft: () => openDraft(),
};

for (const [name, action] of Object.entries(ACTIONS)) {
  find(name).addEventListener("click", (event) => {
    if (state.record !== null && event.currentTarget.getAttribute("aria-disabled") !== "true") action();
  });
}

for (const button of document.querySelectorAll("[data-to]")) {
  button.addEventListener("click", () => state.record && step(button.dataset.to));
}

find("chart").addEventListener("click", (event) => {
  if (state.record !== null) go(state.record, plyAt(find("chart"), event.clientX, state.record.moves.length));
});

listenToMoves((ply) => go(state.record, ply));
listenToPanel(
  (names) => state.record && positions.get(here()).form !== "text" && state.draft === null && board.showLine(names),
  (names) => names.length && state.analysing && play(names[0]));

document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || state.record === null) return;
  if (target.closest("input, select, textarea, summary") || state.draft !== null) return;
  const onBoard = target.closest("#grid") !== null;
  const to = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" }[event.key];
  if (to && !onBoard) step(to);
  else if (onBoard && (event.key === "PageUp" || event.key === "PageDown")) step(event.key === "PageUp" ? "back" : "on");
  else if (/^[1-9]$/.test(event.key) && hasDigits()) play(event.key);
  else return;
  event.preventDefault();
});

const hasDigits = () => {
  const { form, cols } = positions.get(here());
  return form === "slots" && cols < 10;
};

document.addEventListener("visibilitychange", () => {
  if (state.record !== null) update();
});

window.addEventListener("hashchange", () => {
  const record = Record.fromHash(location.hash);
  if (record !== null && record.toHash() !== state.record?.toHash()) openLink(record);
});

// -- a small board under a finger ------------------------------------------------------------------

/** Asks whether the move at a cell is meant; null: nothing is asked. */
function confirmCell(cell) {
  if (cell === null && find("confirm").hidden) return;
  find("confirm").hidden = cell === null;
  board.mark(cell);
  if (cell !== null) find("sure").textContent = `Play ${board.moveAt(...cell)}`;
}

find("confirm").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || board.marked === null) return;
  const [row, col] = board.marked;
  if (button.id === "sure") return play(board.moveAt(row, col));
  const [down, right] = button.dataset.step.split(",").map(Number);
  const { rows, cols } = positions.get(here());
  confirmCell([Math.min(rows - 1, Math.max(0, row + down)), Math.min(cols - 1, Math.max(0, col + right))]);
});

// -- new games and positions -----------------------------------------------------------------------

/** A new game from a record without moves, or with some. */
async function begin(record, changes) {
  engine.drop();
  const begun = await go(record, record.moves.length, { main: null, analysing: false, reviewing: null, reviewed: false,
    draft: null, ...changes });
  if (begun) {
    const kept = here();
    positions = new Map([...positions].filter(([key]) => key === kept));
    found = new Map();
    complete = new Set();
    showForm();
    update();
  }
  return begun;
}

function openLink(record) {
  return begin(record, { sides: PEOPLE, analysing: true });
}

find("game").addEventListener("change", showGameFields);

find("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  forgiveAll(event.target);
  const game = enteredGame();
  if (game === null || state.record === null) return;
  const { first, second } = event.target.elements;
  if (await begin(new Record(game), { sides: { first: first.value, second: second.value } })) focusBoard();
});

function focusBoard() {
  find("frame").scrollIntoView({ block: "nearest" });
  const target = positions.get(here()).form === "text" ? find("choices").querySelector("button")
    : board.cells[board.focus[0]][board.focus[1]];
  target?.focus({ preventScroll: true });
}

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

find("set-up").addEventListener("submit", async (event) => {
  event.preventDefault();
  forgiveAll(event.target);
  const text = find("text").value;
  if (text.includes("#game=")) {
    const record = Record.fromHash(text.slice(text.indexOf("#game=")).trim());
    if (record === null) complain(find("text"), "This link is damaged.");
    else await openLink(record);
    return;
  }
  await setUp(text, false);
});

/** Opens what a person wrote as an analysis board. */
async function setUp(text, drawn) {
  const { game } = state.record;
  try {
    const read = await transport.act("read", { game, text });
    if (await openLink(new Record(game, read.diagram, read.moves))) find("text").value = "";
  } catch (refusal) {
    fail(drawn ? { ...refusal, message: refusal.message, field: null } : refusal);
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => state.record && copy(button.dataset.copy));
}

async function copy(kind) {
  const record = state.record.cut(state.cursor);
  const texts = {
    link: () => `${location.origin}${location.pathname}#${record.toHash()}`,
    moves: () => record.moves.join(" "),
    diagram: () => positions.get(here()).diagram,
    svg: () => svgText(find("picture")),
  };
  let words = "copied";
  try {
    if (kind === "png") words = await copyPicture(await pngBlob(find("picture")));
    else await copyText(texts[kind]());
    find("copied").textContent = `${capital(kind === "svg" || kind === "png" ? kind.toUpperCase() : kind)}: ${words}.`;
  } catch {
    find("copied").textContent = "The browser does not let this page copy.";
  }
}

// -- a position set up by hand ---------------------------------------------------------------------

function openDraft() {
  const seen = positions.get(here());
  if (seen.form === "text") return complain(find("text"), "This game has no board to set up; give its moves.");
  state.draft = new Map(seen.stones.map(([row, col, player]) => [`${row},${col}`, player]));
  state.note = "";
  engine.drop();
  update();
  focusBoard();
}

function changeDraft(row, col) {
  const key = `${row},${col}`;
  const next = { undefined: 1, 1: -1 }[state.draft.get(key)];
  if (next === undefined) state.draft.delete(key);
  else state.draft.set(key, next);
  render();
}

function closeDraft() {
  state.draft = null;
  fail(null);
  update();
}

find("draft-clear").addEventListener("click", () => {
  state.draft.clear();
  render();
});
find("draft-cancel").addEventListener("click", closeDraft);
find("draft-done").addEventListener("click", () => {
  const { rows, cols } = positions.get(here());
  const mark = (row, col) => ({ 1: "X", "-1": "O" })[state.draft.get(`${row},${col}`)] ?? ".";
  const line = (row) => Array.from({ length: cols }, (_, col) => mark(row, col)).join(" ");
  setUp(Array.from({ length: rows }, (_, row) => line(row)).join("\n"), true);
});

// -- what is shown ---------------------------------------------------------------------------------

/** Everything that the parts of the page show. */
function viewOf() {
  const { record, cursor, draft } = state;
  const seen = positions.get(here());
  const running = engine.running;
  const current = found.get(here()) ?? null;
  const drawn = draft === null ? null : [...draft].map(([cell, player]) => [...cell.split(",").map(Number), player]);
  return {
    ...state,
    seen: drawn === null ? seen : { ...seen, stones: drawn, last: null, lines: [], legal: [], winner: null },
    movers: positions.get(record.key()).movers,
    ply: cursor,
    figures: drawn === null && seen.winner === null ? current : null,
    searching: running && running.key === here() ? running : running?.purpose === "answer" && atEnd() ? running : null,
    playable: playable(),
    drafting: draft !== null,
  };
}

function render() {
  if (state.record === null) return;
  const view = viewOf();
  const { seen } = view;
  board.show(view);
  showWritten(view);
  const words = statusText(view);
  if (find("status").textContent !== words) find("status").textContent = words;
  showPlayers(view);
  showPanel(view);
  const judged = judgeAll(view);
  find("chart-title").textContent = chartTitle(view);
  showChart(find("chart"), view, chancesOf(view),
    new Map(judged.map(({ verdict }, index) => [index + 1, verdict?.grade ?? ""])));
  showMoves(view, judged);
  showButtons(view);
  find("digits").hidden = !hasDigits();
  find("digits").textContent = `, 1 to ${seen.cols} for a column`;
  find("title").textContent = capital(seen.title);
  document.title = `${capital(seen.title)} – mcts_core`;
}

/** The chances of a player by ply, from all searches of the game, and from its end. */
function chancesOf(view) {
  const player = playerOf(view);
  const chances = [];
  for (let ply = 0; ply <= state.record.moves.length; ply++) {
    const key = state.record.key(ply);
    const winner = positions.get(key)?.winner ?? null;
    const figures = found.get(key);
    if (winner !== null) chances.push({ ply, chance: 0.5 + 0.5 * winner * player, live: false });
    else if (figures) {
      chances.push({ ply, chance: valueOf(figures, player).value, live: engine.running?.key === key });
    }
  }
  return chances;
}

function judgeAll(view) {
  return state.record.moves.map((name, ply) => {
    const [figures, after] = [ply, ply + 1].map((each) => found.get(state.record.key(each)));
    const winner = positions.get(state.record.key(ply + 1))?.winner ?? null;
    const weak = figures?.weak || after?.weak;
    return { player: view.movers[ply], verdict: weak ? null : judge(name, figures, after ?? null, winner) };
  });
}

/** A game without a board: its text, and its moves as buttons. */
function showWritten(view) {
  const { seen, figures } = view;
  find("written").hidden = seen.form !== "text";
  if (seen.form !== "text") return;
  find("rows").hidden = seen.diagram === "";
  find("rows").textContent = seen.diagram;
  const entries = new Map(figures?.moves.map((entry) => [entry.name, entry]));
  const list = find("choices");
  const key = JSON.stringify(seen.legal);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    list.replaceChildren(...seen.legal.map((name) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.append(name, document.createElement("small"));
      button.addEventListener("click", () => play(name));
      item.append(button);
      return item;
    }));
  }
  seen.legal.forEach((name, index) => {
    const button = list.children[index].firstElementChild;
    const entry = entries.get(name);
    button.lastElementChild.textContent = entry ? ` ${proofText(entry) || bubbleText(entry)}` : "";
    button.className = figures?.move === name ? "best" : "";
    button.setAttribute("aria-disabled", view.playable ? "false" : "true");
  });
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
  const idle = state.reviewing === null && state.draft === null;
  enable("take-back", idle && takenBack() >= 0);
  enable("hint", playable() && searching === null && !state.analysing);
  enable("finish", searching !== null && !["analysis", "review"].includes(searching.purpose));
  enable("analyse", idle || state.reviewing !== null);
  find("analyse").setAttribute("aria-pressed", state.analysing ? "true" : "false");
  enable("swap", idle && !state.analysing && state.sides.first !== state.sides.second);
  enable("rematch", idle);
  enable("review", state.record.moves.length > 0 && state.draft === null);
  find("review").classList.toggle("main", seen.winner !== null && !state.reviewed && state.reviewing === null);
  find("review").textContent = state.reviewing === null ? "Review" : "Stop";
  for (const button of document.querySelectorAll("[data-to]")) {
    const back = ["first", "back"].includes(button.dataset.to);
    enable(button, back ? state.cursor > 0 : !atEnd());
  }
  find("play-actions").hidden = state.draft !== null;
  find("draft-actions").hidden = state.draft === null;
  for (const kind of ["svg", "png"]) enable(document.querySelector(`[data-copy="${kind}"]`), seen.form !== "text");
}

/** A button that is not for now stays where the keyboard is. */
function enable(button, enabled) {
  (typeof button === "string" ? find(button) : button).setAttribute("aria-disabled", enabled ? "false" : "true");
}

/** Shows an error where it belongs: at its field, else above the board; null takes that one away. */
function fail(refusal) {
  const input = refusal?.field ? inputOf(refusal.field) : null;
  if (input) return complain(input, capital(refusal.message));
  find("error").textContent = refusal === null ? "" : refusal.message;
  if (refusal !== null && state.record === null) find("status").textContent = "There is no game.";
}

/** The form says what is played. */
function showForm() {
  enterGame(state.record.game);
  find("plays-first").value = state.sides.first;
  find("plays-second").value = state.sides.second;
  find("level").value = state.level;
  for (const name of ["seconds", "threads"]) find(name).value = state[name];
}

// -- the beginning, and what is kept ---------------------------------------------------------------

/** The address holds the game, and the tab how it is played. */
function save() {
  const { record, cursor, main, sides, level, seconds, threads, analysing } = state;
  history.replaceState(null, "", `#${record.toHash()}`);
  sessionStorage.setItem(SAVED, JSON.stringify({ hash: record.toHash(), cursor, main: main?.toHash() ?? null, sides, level,
    seconds, threads, analysing }));
}

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
  const saved = JSON.parse(sessionStorage.getItem(SAVED) ?? "null");
  const linked = Record.fromHash(location.hash);
  if (saved !== null && (linked === null || linked.toHash() === saved.hash)) {
    const { hash, cursor, main, ...rest } = saved;
    const record = Record.fromHash(hash);
    const kept = { ...rest, main: main === null ? null : Record.fromHash(main) };
    if (await go(record, Math.min(cursor, record.moves.length), kept)) return showForm();
  } else if (linked !== null && await openLink(linked)) return undefined;
  const text = find("error").textContent;
  await begin(new Record(offers.game), {});
  if (text) find("error").textContent = text;
  return undefined;
}

start();
