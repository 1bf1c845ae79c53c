// The bar beside the board: the winning chance of both sides in the position that is shown.

import { playerOf } from "./chart.js";
import { valueOf } from "./review.js";
import { capital, percent, sideName } from "./words.js";

const find = (id) => document.getElementById(id);

/** Shows the chance of the side at the bottom, which a person plays: from the result, else from the last search. */
export function showBalance(view) {
  const { seen, shownSearch } = view;
  const bar = find("balance");
  const player = playerOf(view);
  const side = sideName(seen, player);
  const known = seen.winner !== null ? { value: 0.5 + 0.5 * seen.winner * player, proven: "result" }
    : shownSearch && !view.learning ? valueOf(shownSearch.figures, player) : null;
  const value = known?.value ?? 0.5;
  const earlier = known !== null && seen.winner === null && shownSearch.ply !== view.ply;
  const words = known === null ? "not known: no search yet"
    : `${percent(value)}${earlier ? `, by the search before move ${shownSearch.ply + 1}` : ""}`
      + `${seen.winner === null && shownSearch.figures.few ? ", from too few iterations to rely on" : ""}`;
  bar.className = `${seen.form} ${player > 0 ? "first" : "second"}${known === null ? " unknown" : ""}`;
  bar.style.setProperty("--chance", `${100 * value}%`);
  bar.querySelector("span").textContent = known === null ? "" : Math.round(100 * value);
  bar.setAttribute("aria-label", `Winning chance of ${side}`);
  bar.setAttribute("aria-valuenow", Math.round(100 * value));
  bar.setAttribute("aria-valuetext", words);
  bar.title = `${capital(side)}: ${words}`;
}
