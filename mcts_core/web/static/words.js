// Names and sentences: what the page shows, and what a screen reader says.

const SIDES = { slots: ["red", "yellow"], points: ["black", "white"], squares: ["X", "O"],
  text: ["the first player", "the second player"] };

/** What the pieces of a player are called. */
export function sideName(seen, player) {
  return SIDES[seen.form][player > 0 ? 0 : 1];
}

/** A cell as the coordinates beside the board say it. */
export function cellName(seen, row, col) {
  return seen.form === "slots" ? `column ${seen.column_names[col]}, row ${seen.rows - row}`
    : seen.column_names[col] + seen.row_names[row];
}

/** A text as the beginning of a sentence. */
export function capital(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/** A move in a sentence. */
export function moveName(seen, name) {
  return seen.form === "slots" ? `column ${name}` : name;
}

/** A value in percent; not 0 or 100 for what is only nearly so. */
export function percent(value) {
  if (value === null) return "–";
  if (value > 0 && value < 0.01) return "<1 %";
  if (value > 0.99 && value < 1) return ">99 %";
  return `${Math.round(100 * value)} %`;
}

/** A large number in few characters. */
export function count(number) {
  if (number >= 999.5e3) return `${(number / 1e6).toFixed(number < 99.5e5 ? 1 : 0)} M`;
  if (number >= 9999.5) return `${Math.round(number / 1e3)} k`;
  return Math.round(number).toLocaleString("en");
}

/** The few characters in a bubble: the value in percent, or what is proven. */
export function bubbleText(entry) {
  if (entry.proven !== null) return entry.proven[0].toUpperCase() + (entry.distance ?? "");
  return entry.value === null ? "–" : `${Math.round(100 * entry.value)}`;
}

/** The few characters in a table: what is proven without what its bound may hide, else the value in percent. */
export function markText(entry) {
  return entry.proven === null ? percent(entry.value) : entry.proven === "draw" ? "D" : bubbleText(entry);
}

/** What is proven, in words, as the distance is a bound; empty where nothing is. */
export function proofText(entry) {
  if (entry.proven === null) return "";
  if (entry.distance === null) return entry.proven;
  return `${entry.proven} ${entry.proven !== "draw" && entry.distance > 1 ? "within" : "in"} ${entry.distance}`;
}

/** The colour of a value: plum for 0, grey, green for 1: none that a board or a piece has. White text can be read on
    all of them. */
export function colourOf(value) {
  const [low, middle, high] = [[138, 36, 92], [92, 90, 98], [4, 104, 62]];
  const [from, to, part] = value < 0.5 ? [low, middle, 2 * value] : [middle, high, 2 * value - 1];
  return `rgb(${from.map((each, index) => Math.round(each + part * (to[index] - each))).join(" ")})`;
}

/** "1 move", "2 moves". */
export function counted(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** "a", "a and b", "a, b and c". */
function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Who plays a side: "you", "the engine", or by its colour where one of them plays both. */
export function whoPlays(view, player) {
  const { seen, sides } = view;
  if (sides.first === sides.second) return sideName(seen, player);
  return sides[player > 0 ? "first" : "second"] === "you" ? "you" : "the engine";
}

function plays(who) {
  return `${capital(who)} ${who === "you" ? "play" : "plays"}`;
}

/** How a game ended, in a sentence. */
export function resultText(view) {
  const { seen } = view;
  if (seen.winner === 0) return `A draw after ${counted(seen.ply, "move")}.`;
  const who = whoPlays(view, seen.winner);
  return `${capital(who)} ${who === "you" ? "win" : "wins"} after ${counted(seen.ply, "move")}.`;
}

/** What a hint is worth to the player who asked. */
export function hintText(seen, figures) {
  const best = moveName(seen, figures.move);
  const distance = figures.distance === null ? null : counted(figures.distance, "move");
  const named = (entries) => listed(entries.slice(0, 6).map((entry) => entry.name)) + (entries.length > 6 ? ", ..." : "");
  const all = (entries) => (seen.form === "slots" ? `column${entries.length === 1 ? "" : "s"} ` : "") + named(entries);
  const losing = figures.moves.filter((entry) => entry.proven === "loss");
  const others = figures.moves.filter((entry) => entry.name !== figures.move);
  const close = others.filter((entry) => entry.proven === null && entry.value !== null
    && entry.visits >= figures.visits / 20 && entry.value >= figures.value - 0.02);
  if (figures.proven === "win") return `${capital(best)} wins${distance ? ` ${figures.distance > 1 ? "within" : "in"} ${distance}` : ""}.`;
  if (seen.legal.length === 1) return `${capital(best)} is the only move${judgement(figures)}.`;
  if (figures.proven === "loss") {
    return `All moves lose; ${best} holds out longest${distance ? `, at most ${distance}` : ""}.`;
  }
  const chance = figures.proven === "draw" ? `${capital(best)} draws, and nothing wins`
    : `${capital(best)}: your winning chance is ${percent(figures.value)}${doubt(figures)}`;
  if (losing.length === seen.legal.length - 1) return `${chance}; every other move loses.`;
  if (close.length) return `${chance}; ${all(close)} ${close.length === 1 ? "is" : "are"} as good.`;
  if (losing.length && losing.length <= 16) return `${chance}; ${all(losing)} ${losing.length === 1 ? "loses" : "lose"}.`;
  return `${chance}.`;
}

function judgement(figures) {
  if (figures.proven !== null) return `; it is a ${proofText(figures)}`;
  return `; your winning chance is ${percent(figures.value)}${doubt(figures)}`;
}

function doubt(figures) {
  return figures.few ? ", from too few iterations to rely on" : "";
}

/** The sentence above the board. */
export function statusText(view) {
  const { seen, record, sides, searching, analysing } = view;
  const news = view.note ? [view.note] : [];
  const behind = seen.ply < record.moves.length;
  const last = seen.ply ? `${plays(whoPlays(view, seen.movers[seen.ply - 1]))} ${moveName(seen, seen.moves[seen.ply - 1])}.`
    : "";
  if (view.reviewing !== null) {
    return `Reviewing move ${view.reviewing} of ${record.moves.length}.`;
  }
  if (view.learning !== null) return learningText(view);
  if (view.drafting) return draftText(view);
  if (behind) {
    news.push(seen.ply ? `Move ${seen.ply} of ${record.moves.length}: ${last}` : "The beginning of the game.");
    if (view.better) news.push(`Better: ${moveName(seen, view.better.line[0])}.`);
  } else if (last && !view.note) {
    news.push(last);
  } else if (!seen.ply && !view.note) {
    const alone = sides.first !== sides.second;
    news.push(`${capital(seen.title)}.`);
    if (alone) {
      const own = sides.first === "you" ? 1 : -1;
      news.push(`You are ${sideName(seen, own)}${own === seen.to_move ? " and begin" : ""}.`);
    }
  }
  if (seen.winner !== null) news.push(resultText(view));
  else if (searching?.waiting) news.push("The engine waits for its turn.");
  else if (searching?.purpose === "answer") news.push("The engine is thinking.");
  else if (searching?.purpose === "hint") news.push("The engine looks for a hint.");
  else if (view.hint !== null) news.push(`Hint: ${hintText(seen, view.hint)}`);
  else if (analysing) news.push(`${capital(sideName(seen, seen.to_move))} to move.`);
  else if (!behind && sides.first !== sides.second) news.push("Your turn.");
  else if (!behind) news.push(`${capital(sideName(seen, seen.to_move))} to move.`);
  return news.join(" ");
}

/** What a position that is set up has so far, and who is to move then: stones alternate. */
function draftText({ seen }) {
  const count = (player) => seen.stones.filter((stone) => stone[2] === player).length;
  const [first, second] = [count(1), count(-1)];
  const [one, two] = [sideName(seen, 1), sideName(seen, -1)];
  const next = first === second ? `${one} is to move` : first === second + 1 ? `${two} is to move`
    : first < second ? `${one} needs ${second - first} more` : `${two} needs ${first - second - 1} more`;
  return `Set up: each click changes a cell between empty, ${one} and ${two}. `
    + `${first} ${one}, ${second} ${two}: ${next}.`;
}

/** What is asked while one learns from a mistake, and what was said to the last try. */
function learningText({ seen, learning, record, note }) {
  const { list, index, solved, said } = learning;
  const { ply, verdict } = list[index];
  const question = `Mistake ${index + 1} of ${list.length}: ${moveName(seen, record.moves[ply])} ${verdict.mark} `
    + `${verdict.text}. Find a better move for ${sideName(seen, seen.to_move)}.`;
  return [note, said, ...(solved ? [] : [question])].filter(Boolean).join(" ");
}

/** What one side did in a game, in a sentence. */
export function summaryText(view, player, found) {
  const name = capital(sideName(view.seen, player));
  const role = view.sides.first === view.sides.second ? "" : ` (${whoPlays(view, player)})`;
  const faults = [[found.blunders, "blunder"], [found.mistakes, "mistake"], [found.inaccuracies, "inaccuracy"]]
    .filter(([number]) => number > 0)
    .map(([number, word]) => (word === "inaccuracy" && number > 1 ? `${number} inaccuracies` : counted(number, word)));
  return `${name}${role}: ${counted(found.moves, "move")}, ${percent(found.average)} lost on average`
    + `${faults.length ? `; ${listed(faults)}` : "; no mistakes"}.`;
}
