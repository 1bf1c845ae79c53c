// Names and sentences: what the page shows, and what a screen reader says.

const SIDES = { slots: ["red", "yellow"], points: ["black", "white"], squares: ["X", "O"] };

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
  return text[0].toUpperCase() + text.slice(1);
}

/** A move in a sentence. */
export function moveName(seen, name) {
  return seen.form === "slots" ? `column ${name}` : name;
}

/** A value in percent; not 0 or 100 for what is only nearly so. */
export function percent(value) {
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
  if (entry.proven === null) return `${Math.round(100 * entry.value)}`;
  return entry.proven[0].toUpperCase() + (entry.distance ?? "");
}

/** What is proven, in words; empty where nothing is. */
export function proofText(entry) {
  if (entry.proven === null) return "";
  return entry.distance === null ? entry.proven : `${entry.proven} in ${entry.distance}`;
}

/** The colour of a value: grey for 0, blue for 1. White text can be read on all of them. */
export function colourOf(value) {
  const mix = (low, high) => Math.round(low + value * (high - low));
  return `rgb(${mix(102, 0)} ${mix(112, 87)} ${mix(122, 184)})`;
}

/** How a game ended, in a sentence. */
export function resultText(seen) {
  if (seen.winner === 0) return `A draw after ${seen.ply} moves.`;
  const who = seen.winner === seen.person ? "You win" : "The engine wins";
  return `${who} after ${seen.ply} moves.`;
}

/** What has happened between two looks at a session, in a sentence or two; empty where nothing has. */
export function newsText(before, seen) {
  const news = [];
  const fresh = before === null || before.number !== seen.number;
  if (fresh) {
    news.push(`${capital(seen.title)}. You are ${sideName(seen, seen.person)}${seen.person > 0 ? " and begin" : ""}.`);
  } else if (seen.ply < before.ply) {
    news.push(seen.ply === 0 ? "Taken back to the beginning." : `Taken back to move ${seen.ply}.`);
  }
  if (before !== null || seen.ply < 3) {
    for (let ply = fresh ? 0 : before.ply; ply < seen.ply; ply++) {
      const who = (ply % 2 === 0) === (seen.person > 0) ? "You play" : "The engine plays";
      news.push(`${who} ${moveName(seen, seen.moves[ply])}.`);
    }
  }
  const changed = news.length > 0;
  if (seen.winner !== null) {
    if (changed) news.push(resultText(seen));
  } else if (seen.thinking !== null) {
    const hint = seen.thinking.purpose === "hint";
    if (changed || before.thinking === null || before.thinking.waiting !== seen.thinking.waiting) {
      if (seen.thinking.waiting) news.push("The engine waits for its turn.");
      else news.push(hint ? "The engine looks for a hint." : "The engine is thinking.");
    }
  } else if (seen.hint !== null && (before === null || before.hint === null)) {
    const found = seen.figures;
    const chance = { win: "you win", loss: "you lose", draw: "a draw" }[found.proven]
      ?? `your winning chance is ${percent(found.value)}`;
    news.push(`Hint: ${moveName(seen, seen.hint.name)}; ${chance}.`);
  } else if (changed && seen.to_move === seen.person) {
    news.push("Your turn.");
  } else if (before !== null && before.thinking !== null && seen.error === null) {
    news.push("Your turn.");
  }
  return news.join(" ");
}
