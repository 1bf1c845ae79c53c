// What the moves of a game were worth: from the searches of its positions to losses, marks, and a summary.

import { percent } from "./words.js";

const RESULTS = { win: 1, draw: 0.5, loss: 0 };
const TURNED = { win: "loss", draw: "draw", loss: "win" };
/** Of the visits: a move with fewer is too little known to be as good as the best one. */
const LEAST_SHARE = 0.01;
const GRADES = [[0.2, "blunder", "??"], [0.1, "mistake", "?"], [0.05, "inaccuracy", "?!"]];

/** The value of a position for a player, and what is proven of it: from its figures, or from the result at the end. */
export function valueOf(figures, player) {
  const own = figures.player === player;
  const proven = figures.proven === null || own ? figures.proven : TURNED[figures.proven];
  return { value: proven === null ? (own ? figures.value : 1 - figures.value) : RESULTS[proven], proven };
}

function endOf(winner, player) {
  const proven = winner === 0 ? "draw" : winner === player ? "win" : "loss";
  return { value: RESULTS[proven], proven };
}

/** What a move lost: `figures` before it, `after` those behind it or null, `winner` where it ended the game. */
export function judge(name, figures, after, winner = null) {
  if (!figures || (!after && winner === null)) return null;
  const before = valueOf(figures, figures.player);
  const entry = figures.moves.find((each) => each.name === name);
  let then = after ? valueOf(after, figures.player) : endOf(winner, figures.player);
  if (entry?.proven && then.proven === null) then = { value: RESULTS[entry.proven], proven: entry.proven };
  const exact = before.proven !== null && then.proven !== null;
  const best = name === figures.move;
  const lost = best && !exact ? 0 : Math.max(0, before.value - then.value);
  const [, grade, mark] = GRADES.find(([least]) => lost >= least) ?? [0, "", ""];
  const shown = ({ value, proven }) => proven ?? percent(value);
  const known = before.proven !== null || then.proven !== null;
  const text = !(exact ? lost > 0 : grade) ? "" : known ? `${shown(before)} → ${shown(then)}` : `−${Math.round(100 * lost)} %`;
  return { lost, exact, grade, mark, text, best: figures.move, better: best ? "" : figures.move };
}

/** Whether a move is as good as the best one by the figures before it: the same proof, or hardly a lower value. */
export function isAsGood(name, figures) {
  const entry = figures.moves.find((each) => each.name === name);
  if (name === figures.move) return true;
  if (!entry) return false;
  const best = valueOf(figures, figures.player);
  if (best.proven !== null) return entry.proven === best.proven;
  const enough = entry.proven !== null || entry.visits >= LEAST_SHARE * figures.visits;
  return enough && entry.value !== null && best.value - entry.value < GRADES.at(-1)[0];
}

/** Counts for one side: how many of its moves were judged, what they lost on average, and how many of each grade. */
export function summary(moves, player) {
  const judged = moves.filter((move) => move.player === player && move.verdict);
  const count = (grade) => judged.filter((move) => move.verdict.grade === grade).length;
  const lost = judged.reduce((sum, move) => sum + move.verdict.lost, 0);
  return { moves: judged.length, average: judged.length ? lost / judged.length : 0,
    blunders: count("blunder"), mistakes: count("mistake"), inaccuracies: count("inaccuracy") };
}
