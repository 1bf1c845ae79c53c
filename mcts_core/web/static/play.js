// From what a player does to what the engine has to do: moves, searches, reviews, new games.

import { atEnd, complete, engine, found, here, keep, locate, playable, playerAt, positions, state } from "./state.js";
import { confirmCell, fail, render, showForm } from "./view.js";
import { capital } from "./words.js";

const SAVED = "mcts_core page";
const REVIEW_SECONDS = 1;
const PACE = 400;
const PEOPLE = { first: "you", second: "you" };

let ticket = 0;

engine.listen(render, fail);

/** Shows the position after `cursor` moves of a record, and decides what is to be searched. */
export async function go(record, cursor, changes = {}) {
  const mine = ++ticket;
  try {
    await Promise.all([...new Set([cursor, record.moves.length])].map((ply) => locate(record, ply)));
  } catch (refusal) {
    if (mine === ticket) fail(refusal);
    return false;
  }
  if (mine !== ticket) return false;
  Object.assign(state, { hint: null, note: "", failed: "", learning: null }, changes, { record, cursor });
  fail(null);
  confirmCell(null);
  save();
  update();
  return true;
}

/** What the engine has to do now. */
export function update() {
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
  if (state.draft !== null || state.learning !== null) return null;
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
export async function search({ purpose, ply, key, seconds = state.seconds }) {
  const { record, threads, alone } = state;
  const level = purpose === "answer" ? state.level : "full";
  const begun = performance.now();
  const shown = (figures) => keep(key, { ...figures, weak: level !== "full" });
  let figures;
  try {
    figures = await engine.run({ purpose, key, shown,
      fields: { ...record.fields(ply), purpose, seconds, threads, level, alone } });
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
    await go(grown, atEnd() ? ply + 1 : state.cursor, { learning: state.learning });
  } else if (purpose !== "review") update();
  return figures;
}

/** All searches of a game in a row, for what each move was worth. */
export async function review() {
  if (state.reviewing !== null) return stopReview();
  engine.drop();
  const { record } = state;
  const seconds = Math.min(REVIEW_SECONDS, state.seconds);
  Object.assign(state, { analysing: record.at > 0, hint: null, learning: null });
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
    const same = known && !known.weak && known.alone === state.alone;
    const enough = same && (known.proven !== null || known.seconds >= seconds);
    if (positions.get(key).winner !== null || enough) continue;
    await search({ purpose: "review", ply, key, seconds });
    if (state.reviewing === null || state.record !== record) return;
    if (state.failed) break;
  }
  Object.assign(state, { reviewing: null, reviewed: !state.failed, note: state.failed ? "" : "The review is done." });
  update();
}

export function stopReview() {
  state.reviewing = null;
  engine.drop();
  update();
}

/** Plays a move, or says why that is not possible. */
export function play(name) {
  const seen = positions.get(here());
  if (!playable()) {
    if (state.reviewing !== null) return;
    if (seen.winner !== null) note("The game is over; begin a new one, or look at its moves.");
    else if (!atEnd()) note("This is an earlier move: go to the end to play on, or Analyse to try moves here.");
    else note("The engine is to move.");
  } else if (!seen.legal.includes(name)) {
    note(seen.form === "slots" ? `Column ${name} is full.` : `${capital(name)} is taken.`);
  } else if (state.record.moves[state.cursor] === name) go(state.record, state.cursor + 1);
  else if (state.analysing) tryLine(state.cursor, [name]);
  else go(state.record.then(state.cursor, name), state.cursor + 1, { reviewed: false });
}

/** Tries moves after the first `ply` on the analysis board: moves that differ from the game make a variation. */
export function tryLine(ply, names) {
  const grown = names.reduce((record, name, index) => record.branch(ply + index, name, state.free), state.record);
  return go(grown, ply + 1, { analysing: true, reviewed: state.reviewed && grown.at === state.record.at });
}

/** A sentence above the board, until something else happens. */
export function note(text) {
  state.note = text;
  render();
}

/** To another move of the game: "first", "back", "on" or "last". */
export function step(to) {
  const last = state.record.moves.length;
  const ply = { first: 0, back: state.cursor - 1, on: state.cursor + 1, last }[to];
  if (ply >= 0 && ply <= last && ply !== state.cursor) go(state.record, ply);
}

/** A new game from a record without moves, or with some. */
export async function begin(record, changes) {
  engine.drop();
  const begun = await go(record, record.shown ?? record.moves.length, { free: false, analysing: false, reviewing: null,
    reviewed: false, draft: null, ...changes });
  if (begun) {
    const kept = [here(), record.key()];
    for (const key of positions.keys()) if (!kept.includes(key)) positions.delete(key);
    found.clear();
    complete.clear();
    showForm();
    update();
  }
  return begun;
}

/** Opens a game that came from elsewhere, on the analysis board. */
export function openLink(record) {
  return begin(record, { sides: PEOPLE, analysing: true, free: true });
}

/** The address holds the game, and the tab how it is played. */
export function save() {
  const { record } = state;
  const kept = ["cursor", "free", "sides", "level", "seconds", "threads", "alone", "analysing"]
    .map((name) => [name, state[name]]);
  history.replaceState(null, "", `#${record.toHash()}`);
  sessionStorage.setItem(SAVED, JSON.stringify({ hash: record.toHash(), ...Object.fromEntries(kept) }));
}

/** What `save` has kept in this tab; null where it has nothing. */
export const saved = () => JSON.parse(sessionStorage.getItem(SAVED) ?? "null");
