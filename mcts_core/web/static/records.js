// Records of five in a row of other programs, SGF, .psq of Piskvork and .rec, and SGF and .psq for them.
//
// The libraries for SGF that are kept up are for Go and come with a bundler, or with a server; what five in a row needs
// of the format is the 40 lines of `Sgf`. Moves that a person types are read by the engine's side (web/notation.py).

import { Refusal } from "./refusal.js";

const MOST_LINES = 64;
const REC_SIZE = 20;

/** The record in a text: { game, diagram, lines, left }, `left` the number of variations that are left out; null where
    the text is none. `current` is the game that is kept where the board has its size. Throws Refusal. */
export function readRecord(text, current) {
  if (/^\s*Piskvorky\s/i.test(text)) return readPsq(text, current);
  if (/^\s*\(\s*;/.test(text)) return readSgf(text, current);
  const rows = text.trim().split(/\r?\n/);
  const isMove = (row) => row !== undefined && /^\s*\d+\s*,\s*\d+\s*,\s*\d+\s*$/.test(row);
  const isRec = isMove(rows[2]) && !isMove(rows[0]) && !isMove(rows[1]);
  return isRec ? readMoves(rows.slice(2), REC_SIZE, REC_SIZE, 0, current) : null;
}

const refuse = (text) => { throw new Refusal("refused", text, "text"); };

/** Column letters as at the edge of the board: a to z, then aa. */
const letters = (x) => {
  const letter = (number) => String.fromCharCode(97 + number);
  return `${x < 26 ? "" : letter(Math.floor(x / 26) - 1)}${letter(x % 26)}`;
};

function nameOf(x, y, width, height, number) {
  if (!(x >= 0 && x < width && y >= 0 && y < height)) {
    refuse(`move ${number}: column ${x + 1}, row ${y + 1} from the top is not on a board of ${width} x ${height}`);
  }
  return `${letters(x)}${height - y}`;
}

function gameOf(width, height, current, rule = null) {
  const sizes = current.name === "gomoku" ? [current.size, current.size] : [current.m, current.n];
  const same = sizes[0] === width && sizes[1] === height && (current.k ?? 5) === 5;
  if (same) return rule === null ? current : { ...current, rule };
  if (width > 32 || height > 32) refuse(`a board must be at most 32 x 32, this record has ${width} x ${height}`);
  return width === height ? { name: "gomoku", size: width, rule: rule ?? "freestyle" }
    : { name: "mnk", m: width, n: height, k: 5, rule: rule ?? "freestyle" };
}

function readPsq(text, current) {
  const rows = text.trim().split(/\r?\n/);
  const [, width, height] = /^Piskvorky\s+(\d+)\s*x\s*(\d+)/i.exec(rows[0])?.map(Number) ?? [];
  if (!width || !height) refuse("the first line of a .psq file must be like “Piskvorky 15x15, 11:11, 0”");
  return readMoves(rows.slice(1), width, height, 1, current);
}

/** Lines of x,y,milliseconds up to the first other one; x and y count from `base`. */
function readMoves(rows, width, height, base, current) {
  const moves = [];
  for (const row of rows) {
    const found = /^\s*(\d+)\s*,\s*(\d+)\s*(?:,|$)/.exec(row);
    if (found === null) break;
    const name = nameOf(found[1] - base, found[2] - base, width, height, moves.length + 1);
    if (moves.includes(name)) refuse(`move ${moves.length + 1}: ${name} is taken`);
    moves.push(name);
  }
  return { game: gameOf(width, height, current), diagram: null, lines: [moves], left: 0 };
}

/** A tree of SGF: nodes are { PROPERTY: [values], children }. */
class Sgf {
  constructor(text) {
    this.tokens = text.match(/[();]|[A-Za-z]+(?=\s*\[)|\[(?:\\[^]|[^\]\\])*\]/g) ?? [];
  }

  /** The first game of the text. */
  read() {
    const root = { children: [] };
    const ends = [];
    let node = root;
    for (const token of this.tokens) {
      if (token === "(") ends.push(node);
      else if (token === ")") {
        node = ends.pop() ?? refuse("this SGF has a “)” without its “(”");
        if (ends.length === 0) break;
      } else if (token === ";") {
        const child = { children: [] };
        node.children.push(child);
        node = child;
      } else if (token[0] === "[") {
        node.values?.push(token.slice(1, -1).replace(/\\(\r?\n)?/g, ""));
      } else {
        node.values = node[token.replace(/[a-z]/g, "")] ??= [];  // older files write Black for B
      }
    }
    if (ends.length > 0) refuse("this SGF ends before its last “)”");
    return root.children[0] ?? refuse("this SGF has no moves");
  }
}

function readSgf(text, current) {
  const root = new Sgf(text).read();
  if (root.GM && root.GM[0].trim() !== "4") {
    refuse(`the SGF must be of gomoku or renju (GM[4]), this one is of another game (GM[${root.GM[0]}])`);
  }
  const [width, height] = (root.SZ?.[0] ?? "15").split(":").map(Number).concat(NaN);
  const rows = Number.isNaN(height) ? width : height;
  if (!(width >= 1 && rows >= 1)) refuse(`SZ must be the size of the board, got ${root.SZ[0]}`);
  const rule = root.RU ? (/exact|standard|renju/i.test(root.RU[0]) ? "exact" : "freestyle") : null;
  const game = gameOf(width, rows, current, rule);
  const point = (value, number) => {
    const [, letter, digits] = /^\s*([a-zA-Z])(\d{1,2})\s*$/.exec(value) ?? [];
    if (digits) return nameOf(letter.toLowerCase().charCodeAt(0) - 97, rows - digits, width, rows, number);
    if (!/^[a-zA-Z]{2}$/.test(value)) refuse(`move ${number}: “${value}” is no point, and nobody may pass`);
    const [x, y] = [...value].map((each) => (each >= "a" ? each.charCodeAt(0) - 97 : each.charCodeAt(0) - 39));
    return nameOf(x, y, width, rows, number);
  };
  const stones = new Map([["X", root.AB], ["O", root.AW]].flatMap(([mark, values]) =>
    points(values, point).map((at) => [at, mark])));
  const black = [...stones.values()].filter((mark) => mark === "X").length;
  const first = 2 * black > stones.size ? "W" : "B";
  const lines = [];
  const walk = (node, moves) => {
    const own = ["B", "W"].find((colour) => node[colour]);
    if (own) {
      const turn = moves.length % 2 ? { B: "W", W: "B" }[first] : first;
      if (own !== turn) refuse(`move ${moves.length + 1}: ${own === "B" ? "black" : "white"} plays out of turn`);
      const name = point(node[own][0], moves.length + 1);
      if (stones.has(name) || moves.includes(name)) refuse(`move ${moves.length + 1}: ${name} is taken`);
      moves = [...moves, name];
    }
    if (node.children.length === 0) lines.push(moves);
    node.children.forEach((child) => walk(child, moves));
  };
  walk(root, []);
  return { game, diagram: stones.size ? drawn(stones, width, rows) : null, lines: lines.slice(0, MOST_LINES),
    left: Math.max(0, lines.length - MOST_LINES) };
}

/** Points of a list, in which aa:cc is a rectangle. */
function points(values = [], point) {
  return values.flatMap((value) => {
    const [from, to = from] = value.split(":");
    const [low, high] = [from, to].map((each) => [...each].map((letter) => letter.charCodeAt(0)));
    if (to === from) return [point(value, 0)];
    const found = [];
    for (let x = low[0]; x <= high[0]; x++) {
      for (let y = low[1]; y <= high[1]; y++) found.push(point(String.fromCharCode(x, y), 0));
    }
    return found;
  });
}

function drawn(stones, width, height) {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => stones.get(`${letters(x)}${height - y}`) ?? ".").join(" ")).join("\n");
}

// -- writing ---------------------------------------------------------------------------------------

/** Width, height of the board of a record, null where it is not five in a row. */
export function boardOf(game) {
  if (game.name === "gomoku") return [game.size, game.size];
  return game.name === "mnk" && game.k === 5 ? [game.m, game.n] : null;
}

/** Column and row, from 0 at the top left, of a move. */
function cellOf(name, height) {
  const [, column, row] = /^([a-z]+)(\d+)$/.exec(name);
  return [[...column].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0) - 1, height - row];
}

const sgfPoint = ([x, y]) => [x, y].map((each) => String.fromCharCode(each < 26 ? 97 + each : 39 + each)).join("");

/** The record as SGF, with its variations; `game` with all its fields. */
export function sgfText({ diagram, lines }, game) {
  const [width, height] = boardOf(game);
  const size = width === height ? width : `${width}:${height}`;
  const stones = (diagram ?? "").split("\n").flatMap((row, y) =>
    [...row.replace(/\s/g, "")].flatMap((mark, x) => (mark === "." ? [] : [[mark, sgfPoint([x, y])]])));
  const [black, white] = ["X", "O"].map((each) =>
    stones.filter(([mark]) => mark === each).map(([, at]) => `[${at}]`).join(""));
  const colours = 2 * black.length > black.length + white.length ? "WB" : "BW";
  const write = (moves, ply) => {
    if (!moves.some((line) => line.length > ply)) return "";
    const names = [...new Set(moves.filter((line) => line.length > ply).map((line) => line[ply]))];
    const parts = names.map((name) => `;${colours[ply % 2]}[${sgfPoint(cellOf(name, height))}]`
      + write(moves.filter((line) => line[ply] === name), ply + 1));
    return parts.length === 1 ? parts[0] : parts.map((part) => `(${part})`).join("");
  };
  return `(;GM[4]FF[4]CA[UTF-8]AP[mcts_core]SZ[${size}]RU[${game.rule}]${black && `AB${black}`}${white && `AW${white}`}`
    + `${write(lines, 0)})\n`;
}

/** The line that is shown as .psq: this format has neither variations nor stones before the first move. */
export function psqText({ moves }, game) {
  const [width, height] = boardOf(game);
  const rows = moves.map((name) => `${cellOf(name, height).map((each) => each + 1).join(",")},0`);
  return [`Piskvorky ${width}x${height}, 0:0, 0`, ...rows, "homo-1", "homo-2", ""].join("\n");
}
