// Pieces of SVG that the board, the players and the chart are drawn with.

const SVG = "http://www.w3.org/2000/svg";

/** A new SVG element with its attributes and children. */
export function shape(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The colours of stones, which a style sheet cannot give to gradients in every browser. */
const SHADES = {
  black: ["#6b7078", "#25282c", "#0d0e10"],
  white: ["#ffffff", "#f4f1e8", "#c9c3b2"],
  red: ["#f08a5d", "#d1501f", "#a93708"],
  yellow: ["#ffeb8a", "#f3cf33", "#cf9f10"],
};

/** The gradients of the stones, for the `defs` of a picture; `prefix` keeps the ids of pictures apart. */
export function gradients(prefix) {
  return Object.entries(SHADES).map(([name, [light, middle, dark]]) =>
    shape("radialGradient", { id: `${prefix}-${name}`, cx: 0.36, cy: 0.3, r: 0.8 },
      shape("stop", { offset: 0, "stop-color": light }),
      shape("stop", { offset: 0.45, "stop-color": middle }),
      shape("stop", { offset: 1, "stop-color": dark })));
}

/** The piece of a player, +1 or -1, on a board of a form, around (x, y) in a cell of the size `cell`. */
export function piece(form, player, x, y, cell, prefix) {
  if (form === "squares") {
    const reach = 0.27 * cell;
    const look = { fill: "none", "stroke-width": 0.115 * cell, "stroke-linecap": "round" };
    return player > 0
      ? shape("path", { ...look, class: "cross", d: `M${x - reach} ${y - reach}l${2 * reach} ${2 * reach}`
        + `M${x + reach} ${y - reach}l${-2 * reach} ${2 * reach}` })
      : shape("circle", { ...look, class: "nought", cx: x, cy: y, r: 1.08 * reach });
  }
  if (form === "slots") {
    const name = player > 0 ? "red" : "yellow";
    const disc = shape("g", {},
      shape("circle", { cx: x, cy: y, r: 0.44 * cell, fill: `url(#${prefix}-${name})` }));
    // A ring for one, a plain face for the other: the players differ without colours too.
    disc.append(shape("circle", { cx: x, cy: y, r: 0.43 * cell, fill: "none", class: `${name}-edge`,
      "stroke-width": 0.03 * cell }));
    if (player > 0) {
      disc.append(shape("circle", { cx: x, cy: y, r: 0.25 * cell, fill: "none", class: "red-edge",
        "stroke-width": 0.055 * cell }));
    }
    return disc;
  }
  const name = player > 0 ? "black" : "white";
  return shape("g", {},
    shape("ellipse", { cx: x + 0.03 * cell, cy: y + 0.06 * cell, rx: 0.45 * cell, ry: 0.44 * cell, class: "shade" }),
    shape("circle", { cx: x, cy: y, r: 0.45 * cell, fill: `url(#${prefix}-${name})`, class: `${name}-edge`,
      "stroke-width": 0.02 * cell }));
}
