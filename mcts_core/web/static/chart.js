// The graph of a side's winning chance over the game. Its points can be clicked.

import { shape } from "./shapes.js";
import { capital, percent, sideName } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 130, 42, 12, 10, 24];

/** The player whose chance is shown: the person who plays one side, else the one who is called first. */
export function playerOf(view) {
  return view.sides.first !== "you" && view.sides.second === "you" ? -1 : 1;
}

/** What the graph is called. */
export function chartTitle(view) {
  const { first, second } = view.sides;
  return first === second ? `${capital(sideName(view.seen, 1))}’s winning chance` : "Your winning chance";
}

/** Draws the graph: `chances` are { ply, chance, live, few } for the player, `grades` words by ply; marks the shown ply. */
export function showChart(element, view, chances, grades) {
  const { seen, record } = view;
  const last = Math.max(8, record.moves.length);
  const x = (ply) => LEFT + ((WIDTH - LEFT - RIGHT) * ply) / last;
  const y = (chance) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - chance);
  const parts = [];
  for (const chance of [0, 0.5, 1]) {
    parts.push(shape("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(chance), y2: y(chance),
      class: chance === 0.5 ? "even" : "bound" }));
    parts.push(shape("text", { x: LEFT - 6, y: y(chance) + 4, "text-anchor": "end" }, `${100 * chance} %`));
  }
  const step = [1, 2, 5, 10, 20, 50, 100, 200].find((size) => last / size <= 8) ?? 500;
  for (let ply = 0; ply <= last; ply += step) {
    parts.push(shape("text", { x: x(ply), y: HEIGHT - 6, "text-anchor": "middle" }, `${ply}`));
  }
  parts.push(shape("line", { x1: x(seen.ply), x2: x(seen.ply), y1: y(0), y2: y(1), class: "here" }));
  if (chances.length > 1) {
    const path = chances.map(({ ply, chance }) => `${x(ply).toFixed(1)} ${y(chance).toFixed(1)}`).join("L");
    const [start, end] = [chances[0], chances.at(-1)].map(({ ply }) => `${x(ply)} ${y(0.5)}`);
    parts.push(shape("path", { class: "area", d: `M${start}L${path}L${end}z` }));
    parts.push(shape("path", { class: "curve", d: `M${path}` }));
  }
  for (const { ply, chance, live, few } of chances) {
    const grade = grades.get(ply) ?? "";
    parts.push(shape("circle", { cx: x(ply), cy: y(chance), r: live ? 4.5 : grade ? 4 : 3,
      class: live ? "live" : `point ${grade}${few ? " few" : ""}` }));
  }
  element.replaceChildren(...parts);
  const known = chances.filter((point) => !point.live);
  const words = known.length === 0 ? "No search has valued the game yet"
    : `${chartTitle(view)} by move: ${known.map(({ ply, chance, few }) =>
      `${ply}: ${percent(chance)}${few ? " (too few iterations to rely on)" : ""}`).join(", ")}`;
  if (element.getAttribute("aria-label") !== words) element.setAttribute("aria-label", words);
}

/** The ply at a place of the graph on the screen, of a game of `moves` moves. */
export function plyAt(element, clientX, moves) {
  const box = element.getBoundingClientRect();
  const place = (WIDTH * (clientX - box.left)) / box.width;
  const ply = Math.round((Math.max(8, moves) * (place - LEFT)) / (WIDTH - LEFT - RIGHT));
  return Math.min(moves, Math.max(0, ply));
}
