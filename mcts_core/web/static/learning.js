// Learning from mistakes: the page asks for a better move at each mark of a review.

import { go, note } from "./play.js";
import { isAsGood } from "./review.js";
import { find, found, here, judgeAll, positions, state } from "./state.js";
import { focusBoard } from "./view.js";
import { capital, moveName } from "./words.js";

/** The moves, by the ply before them, that the review has marked; of a person's side where only one side has one. */
export function mistakes() {
  const both = state.sides.first === state.sides.second;
  const own = state.sides.first === "you" ? 1 : -1;
  const { movers } = positions.get(state.record.key());
  return judgeAll({ movers }).flatMap(({ player, verdict }, ply) =>
    (verdict?.grade && (both || player === own) ? [{ ply, verdict }] : []));
}

async function ask(list, index) {
  if (index === list.length) {
    await end({ note: `You have gone through ${list.length === 1 ? "the mistake" : `all ${list.length} mistakes`}.` });
    return;
  }
  const learning = { list, index, solved: false, said: "" };
  if (!await go(state.record, list[index].ply, { learning })) return;
  focusBoard();
  find("status").scrollIntoView({ block: "nearest" });  // the question
}

/** The keyboard goes back to where it began. */
async function end(changes) {
  if (await go(state.record, state.record.moves.length, changes)) find("learn").focus({ preventScroll: true });
}

/** A move that a person tries. */
export function tryMove(name) {
  const { learning, record } = state;
  const { ply, verdict } = learning.list[learning.index];
  const seen = positions.get(here());
  const word = capital(moveName(seen, name));
  if (!seen.legal.includes(name)) return note(`${word} is not possible.`);
  const right = isAsGood(name, found.get(here()));
  const better = name === verdict.best ? "it is the best move" : `${moveName(seen, verdict.best)} is as good`;
  const said = right ? `${word} is right: ${better}.`
    : name === record.moves[ply] ? `${word} was played in the game.` : `${word} is not good enough.`;
  state.learning = { ...learning, solved: right, said: right ? said : `${said} Try another move.` };
  return note("");
}

find("learn").addEventListener("click", () => ask(mistakes(), 0));
find("learn-next").addEventListener("click", () => ask(state.learning.list, state.learning.index + 1));
find("learn-stop").addEventListener("click", () => end({}));
find("learn-show").addEventListener("click", () => {
  const { list, index } = state.learning;
  const best = capital(moveName(positions.get(here()), list[index].verdict.best));
  state.learning = { ...state.learning, solved: true, said: `${best} is the best move.` };
  note("");
});
