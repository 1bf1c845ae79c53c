// What is played and looked at: the game, where one is in it, and what searches have found.

import { playerOf } from "./chart.js";
import { Engine } from "./engine.js";
import { judge, valueOf } from "./review.js";
import { transport } from "./transport.js";

export const find = (id) => document.getElementById(id);

export const engine = new Engine(transport);

/** `record` is the game and `cursor` the move that is shown; `free`: nobody plays this game, so that an analysis may go
    on with it; `learning`: { list, index, solved, said } while one learns from mistakes. */
export const state = {
  record: null, cursor: 0, free: false, sides: { first: "you", second: "engine" }, level: "full", seconds: 1,
  threads: 1, alone: false,
  analysing: false, hint: null, note: "", reviewing: null, reviewed: false, draft: null, failed: "",
  learning: null,
};
/** By the key of a position: what the page draws of it, the figures of its best search, and whether those are final. */
export const positions = new Map();
export const found = new Map();
export const complete = new Set();

export const here = () => state.record.key(state.cursor);
export const atEnd = () => state.cursor === state.record.moves.length;
export const playerAt = (player) => state.sides[player > 0 ? "first" : "second"];

/** Asks for a position, unless it is known. Throws Refusal. */
export async function locate(record, ply) {
  const key = record.key(ply);
  if (!positions.has(key)) positions.set(key, await transport.act("position", record.fields(ply)));
}

/** Keeps the best figures of each position, those of the tree alone apart. */
export function keep(key, figures) {
  const before = found.get(key);
  const other = before && before.alone === figures.alone && before.number !== figures.number;
  if (other && !before.weak && (figures.weak || before.visits > figures.visits) && figures.proven === null) return;
  found.set(key, figures);
}

/** The last search of the game up to the move that is shown: { ply, seen, figures }; null where there was none. */
export function lastSearch() {
  for (let ply = state.cursor; ply >= 0; ply--) {
    const key = state.record.key(ply);
    if (found.has(key) && positions.has(key)) return { ply, seen: positions.get(key), figures: found.get(key) };
  }
  return null;
}

/** Whether a person may choose a move now. */
export function playable() {
  const seen = positions.get(here());
  if (state.learning !== null) return !state.learning.solved;
  return seen.winner === null && state.reviewing === null && state.draft === null
    && (state.analysing || (atEnd() && playerAt(seen.to_move) === "you"));
}

/** How many moves are left after a take-back: those before the last decision of a person. */
export function takenBack() {
  if (state.analysing || state.sides.first === state.sides.second) return state.cursor - 1;
  const { movers } = positions.get(state.record.key());
  return movers.findLastIndex((player) => playerAt(player) === "you");
}

/** The chances of a player by ply, from all searches of the game, and from its end. */
export function chancesOf(view) {
  const player = playerOf(view);
  const chances = [];
  for (let ply = 0; ply <= state.record.moves.length; ply++) {
    const key = state.record.key(ply);
    const winner = positions.get(key)?.winner ?? null;
    const figures = found.get(key);
    if (winner !== null) chances.push({ ply, chance: 0.5 + 0.5 * winner * player, live: false, few: false });
    else if (figures) {
      const live = engine.running?.key === key;
      chances.push({ ply, chance: valueOf(figures, player).value, live, few: figures.few });
    }
  }
  return chances;
}

/** What each move of the game was worth: { player, verdict or null }. */
export function judgeAll(view) {
  return state.record.moves.map((name, ply) => {
    const [figures, after] = [ply, ply + 1].map((each) => found.get(state.record.key(each)));
    const winner = positions.get(state.record.key(ply + 1))?.winner ?? null;
    const weak = figures?.weak || after?.weak;
    return { player: view.movers[ply], verdict: weak ? null : judge(name, figures, after ?? null, winner) };
  });
}
