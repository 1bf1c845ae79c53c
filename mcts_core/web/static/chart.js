// The graph of the player's winning chance over the game.

import { shape } from "./shapes.js";
import { percent } from "./words.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [360, 150, 42, 12, 10, 24];

/** The chances of the player by ply, those of a search that still runs among them. */
export function chancesOf(seen) {
  const chances = seen.values.map(({ ply, value }) => ({ ply, chance: seen.person > 0 ? value : 1 - value, live: false }));
  if (seen.thinking !== null && seen.figures !== null && seen.figures.ply === seen.ply) {
    const chance = seen.figures.player === seen.person ? seen.figures.value : 1 - seen.figures.value;
    return [...chances.filter((point) => point.ply !== seen.ply), { ply: seen.ply, chance, live: true }];
  }
  return chances;
}

/** Draws the graph of a session into the element. */
export function showChart(element, seen) {
  const chances = chancesOf(seen);
  const last = Math.max(8, seen.ply);
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
  if (chances.length > 1) {
    const path = chances.map(({ ply, chance }) => `${x(ply).toFixed(1)} ${y(chance).toFixed(1)}`).join("L");
    parts.push(shape("path", { class: "area", d: `M${x(chances[0].ply)} ${y(0.5)}L${path}L${x(chances.at(-1).ply)} ${y(0.5)}z` }));
    parts.push(shape("path", { class: "curve", d: `M${path}` }));
  }
  for (const { ply, chance, live } of chances) {
    parts.push(shape("circle", { cx: x(ply), cy: y(chance), r: live ? 4.5 : 3, class: live ? "live" : "point" }));
  }
  element.replaceChildren(...parts);
  const known = chances.filter((point) => !point.live);
  const words = known.length === 0 ? "No search has valued the game yet"
    : `Your winning chance by move: ${known.map(({ ply, chance }) => `${ply}: ${percent(chance)}`).join(", ")}`;
  if (element.getAttribute("aria-label") !== words) element.setAttribute("aria-label", words);
}
