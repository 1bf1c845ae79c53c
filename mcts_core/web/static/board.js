// The board: a picture, and over it a grid of buttons that the keyboard and a screen reader can use.

import { gradients, piece, shape } from "./shapes.js";
import { bubbleText, cellName, colourOf, percent, proofText, sideName, whoPlays } from "./words.js";

const CELL = 40;
const EDGE = 10;
const GUTTER = 22;
const LEAST_PIXELS = { slots: 26, points: 20, squares: 26 };
const MOST_PIXELS = { slots: 84, points: 58, squares: 120 };
const LEAST_TEXT = 9;
const PALE_SHARE = 0.02;
const FEW = 16;
const FINGER = 36;
const STAR_POINTS = { 9: [2, 4, 6], 13: [3, 6, 9], 15: [3, 7, 11], 17: [3, 8, 13], 19: [3, 9, 15] };

export class Board {
  constructor() {
    /** Called with (name, row, col, sure) for a cell with the move that it means, undefined where that is none; `sure`:
        it was not a finger on a cell that is smaller than it. */
    this.chosen = () => {};
    this.element = document.getElementById("board");
    this.picture = document.getElementById("picture");
    this.grid = document.getElementById("grid");
    this.cells = [];
    this.bubbles = new Map();
    this.focus = [0, 0];
    this.marked = null;
    new ResizeObserver(() => this.fit()).observe(this.picture);
    // A click leaves the focus where it is: the arrow keys go on through the game.
    this.grid.addEventListener("mousedown", (event) => event.preventDefault());
    this.grid.addEventListener("click", (event) => this.choose(event));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focusin", (event) => this.focused(event.target));
    this.grid.addEventListener("focusout", () => this.point(null));
    this.grid.addEventListener("pointerover", (event) => this.point(event.target.closest("button")));
    this.grid.addEventListener("pointerleave", () => this.point(null));
  }

  /** Shows what the page shows: see `viewOf` in view.js. */
  show(view) {
    const before = this.seen;
    this.view = view;
    this.seen = view.seen;
    const { seen } = view;
    this.element.parentElement.hidden = seen.form === "text";
    if (seen.form === "text") {
      this.size = undefined;
      return;
    }
    const size = JSON.stringify([seen.form, seen.rows, seen.cols]);
    if (size !== this.size) {
      this.size = size;
      this.build();
    }
    const position = JSON.stringify([seen.stones, seen.last, seen.lines]);
    if (position !== this.position) {
      this.position = position;
      this.mark(null);
      this.showLine([]);
      const grew = before !== undefined && before.form === seen.form && seen.stones.length === before.stones.length + 1;
      this.showStones(grew);
    }
    this.legal = new Set(seen.legal);
    this.showBubbles();
    this.showBetter();
    this.label();
    this.point(this.pointed);
  }

  // -- the parts that stay -------------------------------------------------------------------------

  build() {
    const { form, rows, cols } = this.seen;
    this.left = this.seen.row_names.length ? EDGE + GUTTER : EDGE;
    const width = this.left + cols * CELL + EDGE;
    const height = EDGE + rows * CELL + GUTTER + EDGE / 2;
    this.position = this.labelled = null;
    this.bubbles.clear();
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.className = form;
    const set = (name, value) => document.getElementById("stage").style.setProperty(name, value);
    set("--ratio", `${width} / ${height}`);
    set("--shape", width / height);
    const least = cols <= 16 ? Math.min(LEAST_PIXELS[form], 290 / cols) : 20;  // wider boards scroll on a phone
    set("--least", `${Math.round((width / CELL) * least)}px`);
    set("--most", `${Math.round((width / CELL) * MOST_PIXELS[form])}px`);
    set("--left", `${(100 * this.left) / width}%`);
    set("--top", `${(100 * EDGE) / height}%`);
    set("--wide", `${(100 * cols * CELL) / width}%`);
    set("--high", `${(100 * rows * CELL) / height}%`);

    this.stones = shape("g");
    this.marks = shape("g");
    this.ghost = shape("g");
    this.better = shape("g", { class: "better" });
    this.ring = shape("g", { class: "better" });
    this.values = shape("g", { class: "bubbles" });
    this.preview = shape("g", { class: "preview" });
    const defs = shape("defs", {}, ...gradients("board"));
    const base = shape("g");
    const front = shape("g");
    if (form === "slots") this.buildSlots(base, front);
    else if (form === "points") this.buildPoints(base, defs, width, height);
    else this.buildSquares(base);
    this.coordinates = shape("g", { class: "names", "text-anchor": "middle" });
    this.seen.column_names.forEach((name, col) => this.coordinates.append(
      shape("text", { x: this.x(col), y: EDGE + rows * CELL + GUTTER / 2 + 2, dy: "0.36em" }, name)));
    this.seen.row_names.forEach((name, row) => this.coordinates.append(
      shape("text", { x: EDGE + GUTTER / 2 - 2, y: this.y(row), dy: "0.36em" }, name)));
    this.picture.replaceChildren(defs, base, this.stones, front, this.coordinates, this.marks, this.ghost, this.better,
      this.values, this.ring, this.preview);

    this.cells = Array.from({ length: rows }, () => []);
    this.grid.replaceChildren(...this.cells.map((cells, row) => {
      const line = document.createElement("div");
      line.setAttribute("role", "row");
      for (let col = 0; col < cols; col++) {
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        const button = document.createElement("button");
        button.type = "button";
        button.tabIndex = -1;
        button.dataset.row = row;
        button.dataset.col = col;
        cells.push(button);
        cell.append(button);
        line.append(cell);
      }
      return line;
    }));
    this.focus = form === "slots" ? [rows - 1, cols >> 1] : [rows >> 1, cols >> 1];
    this.cells[this.focus[0]][this.focus[1]].tabIndex = 0;
    this.pointed = null;
    this.fit();
  }

  /** Coordinates are as large as other text, whatever the size of the picture, but fit beside their cells. */
  fit() {
    if (this.coordinates === undefined) return;
    const pixels = this.picture.clientWidth / this.picture.viewBox.baseVal.width || 1;
    const size = Math.min(Math.max(9, Math.min(15, 0.4 * CELL * pixels)) / pixels, 0.45 * CELL);
    this.coordinates.setAttribute("font-size", size.toFixed(2));
    this.pixels = pixels;
    if (this.view) this.showBubbles();
  }

  buildSlots(base, front) {
    const { rows, cols } = this.seen;
    const box = { x: this.left, y: EDGE, width: cols * CELL, height: rows * CELL };
    base.append(shape("rect", { ...box, class: "well" }));
    const [x, y, w, h, r] = [this.left - 5, EDGE - 5, cols * CELL + 10, rows * CELL + 10, 9];
    let outline = `M${x + r} ${y}h${w - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${h - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}`
      + `h${2 * r - w}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - h}a${r} ${r} 0 0 1 ${r} ${-r}z`;
    const hole = 0.4 * CELL;
    const rims = shape("g", { class: "rims", fill: "none", "stroke-width": 1.5 });
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        const [cx, cy] = [this.x(col), this.y(row)];
        outline += `M${cx - hole} ${cy}a${hole} ${hole} 0 1 0 ${2 * hole} 0a${hole} ${hole} 0 1 0 ${-2 * hole} 0z`;
        rims.append(shape("circle", { cx, cy, r: hole }));
      }
    }
    front.append(shape("path", { d: outline, "fill-rule": "evenodd", class: "panel" }), rims);
  }

  buildPoints(base, defs, width, height) {
    const { rows, cols } = this.seen;
    defs.append(shape("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 },
      shape("stop", { offset: 0, class: "wood-light" }), shape("stop", { offset: 1, class: "wood-dark" })));
    base.append(shape("rect", { x: 1, y: 1, width: width - 2, height: height - 2, rx: 8, fill: "url(#wood)",
      class: "wood-edge" }));
    const grain = shape("g", { class: "grain", fill: "none", "stroke-width": 1.2 });
    for (let x = 6, step = 0; x < width; x += 7 + ((step * 5) % 11), step++) {
      const bend = 5 * Math.sin(1.7 * step);
      const curve = `M${x} 3C${x + bend} ${height / 3} ${x - bend} ${(2 * height) / 3} ${x} ${height - 3}`;
      grain.append(shape("path", { d: curve }));
    }
    const lines = shape("g", { class: "lines" });
    for (let row = 0; row < rows; row++) {
      lines.append(shape("path", { d: `M${this.x(0)} ${this.y(row)}H${this.x(cols - 1)}` }));
    }
    for (let col = 0; col < cols; col++) {
      lines.append(shape("path", { d: `M${this.x(col)} ${this.y(0)}V${this.y(rows - 1)}` }));
    }
    base.append(grain, lines);
    if (rows === cols) {
      for (const row of STAR_POINTS[rows] ?? []) {
        for (const col of STAR_POINTS[rows]) {
          base.append(shape("circle", { cx: this.x(col), cy: this.y(row), r: 3.2, class: "star" }));
        }
      }
    }
  }

  buildSquares(base) {
    const { rows, cols } = this.seen;
    const gap = 1.6;
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        base.append(shape("rect", { x: this.left + col * CELL + gap, y: EDGE + row * CELL + gap,
          width: CELL - 2 * gap, height: CELL - 2 * gap, rx: 5, class: "square" }));
      }
    }
  }

  x(col) {
    return this.left + (col + 0.5) * CELL;
  }

  y(row) {
    return EDGE + (row + 0.5) * CELL;
  }

  // -- the parts that change -----------------------------------------------------------------------

  showStones(grew) {
    const { form, stones, last, lines } = this.seen;
    this.stones.replaceChildren();
    this.marks.replaceChildren();
    for (const [row, col, player] of stones) {
      const drawn = piece(form, player, this.x(col), this.y(row), CELL, "board");
      drawn.dataset.at = `${row},${col}`;
      if (grew && last && row === last[0] && col === last[1]) {
        drawn.classList.add(form === "slots" ? "drop" : "set");
        drawn.style.setProperty("--from", `${-(row + 1) * CELL}px`);
        drawn.style.setProperty("--time", `${120 + 70 * Math.sqrt(row + 1)}ms`);
        drawn.style.transformOrigin = `${this.x(col)}px ${this.y(row)}px`;
      }
      this.stones.append(drawn);
    }
    if (last && !lines.length) {
      const at = { cx: this.x(last[1]), cy: this.y(last[0]) };
      if (form === "squares") {
        this.marks.append(shape("rect", { x: at.cx - CELL / 2 + 2.6, y: at.cy - CELL / 2 + 2.6, width: CELL - 5.2,
          height: CELL - 5.2, rx: 4.5, class: "last-square" }));
      } else {
        this.marks.append(shape("circle", { ...at, r: form === "slots" ? 0.1 * CELL : 0.16 * CELL, class: "last" }));
      }
    }
    for (const [[row, col], [row2, col2]] of lines) {
      const ends = { x1: this.x(col), y1: this.y(row), x2: this.x(col2), y2: this.y(row2), "stroke-linecap": "round" };
      this.marks.append(shape("line", { ...ends, class: "won-halo", "stroke-width": 9 }),
        shape("line", { ...ends, class: "won", "stroke-width": 4.5 }));
    }
    this.won = new Set();
    for (const [[row, col], [row2, col2]] of lines) {
      const steps = Math.max(Math.abs(row2 - row), Math.abs(col2 - col));
      for (let step = 0; step <= steps; step++) {
        this.won.add(`${row + (step * (row2 - row)) / steps},${col + (step * (col2 - col)) / steps}`);
      }
    }
  }

  /** The figures of the search of the position on the board: every move that it has looked at has its number, large
      enough to be read. Where lines cross, a disc would look like a stone: a ring in the engine's colour stands there. */
  showBubbles() {
    const { figures, seen } = this.view;
    const few = seen.legal.length <= FEW;
    const shown = !figures || seen.winner !== null || this.view.drafting ? []
      : figures.moves.filter((entry) => entry.cell && (few || entry.value !== null || entry.name === figures.move));
    const most = Math.max(1, ...shown.map((entry) => entry.visits));
    const least = Math.min(17, Math.max(13, LEAST_TEXT / (this.pixels || 1)));
    const kept = new Set();
    for (const entry of [...shown].sort((a, b) => a.visits - b.visits)) {
      const best = entry.name === figures.move;
      const share = entry.visits / most;
      const pale = !best && share < PALE_SHARE && !few;
      const cell = `${entry.cell}`;  // not its name: a column's next cell rises with its stones
      let bubble = this.bubbles.get(cell);
      if (bubble === undefined) {
        const at = { cx: this.x(entry.cell[1]), cy: this.y(entry.cell[0]) };
        bubble = { circle: shape("circle", { ...at, r: 0 }), ring: shape("circle", { ...at, r: 0, class: "ring" }),
          text: shape("text", { x: at.cx, y: at.cy, "text-anchor": "middle", dy: "0.36em" }) };
        bubble.all = shape("g", {}, bubble.circle, bubble.ring, bubble.text);
        this.bubbles.set(cell, bubble);
      }
      this.values.append(bubble.all);
      kept.add(cell);
      const words = bubbleText(entry);
      const letters = words.length + (words[0] === "W" ? 0.5 : 0);
      const size = Math.min(least, 0.82 * CELL / (0.6 * letters));
      const fitting = Math.min(0.45 * CELL, 0.31 * size * letters + 3.5);
      const wide = Math.max(fitting, 0.44 * CELL * Math.sqrt(share), best ? 0.36 * CELL : 0);
      const radius = Math.min((seen.form === "points" && !best ? 0.41 : 0.46) * CELL, wide);
      bubble.all.setAttribute("class", pale ? "pale" : best ? "best" : "");
      bubble.circle.setAttribute("r", radius.toFixed(2));
      if (seen.form !== "points") {
        bubble.circle.setAttribute("fill", entry.value === null ? "#5c5a62" : colourOf(entry.value));
      }
      bubble.ring.setAttribute("r", best ? (radius + 1).toFixed(2) : 0);
      bubble.text.textContent = words;
      const large = Math.max(size, Math.min(14, 1.5 * radius / (0.6 * letters)));
      bubble.text.setAttribute("font-size", (best || share > 0.3 ? large : size).toFixed(1));
    }
    for (const [cell, bubble] of this.bubbles) {
      if (!kept.has(cell)) {
        bubble.all.remove();
        this.bubbles.delete(cell);
      }
    }
  }

  /** The move that was better than the one that led here, as a stone of its player in a dashed ring. */
  showBetter() {
    const { better } = this.view;
    const filled = better && new Set(better.seen.stones.map(([row, col]) => `${row},${col}`));
    this.betterCell = better ? this.cellOf(better.line[0], filled) : null;
    const key = JSON.stringify([this.betterCell, better?.seen.to_move]);
    if (key === this.better.dataset.key) return;
    this.better.dataset.key = key;
    this.better.replaceChildren();
    this.ring.replaceChildren();
    if (this.betterCell === null) return;
    const [x, y] = [this.x(this.betterCell[1]), this.y(this.betterCell[0])];
    const drawn = piece(this.seen.form, better.seen.to_move, x, y, CELL, "board");
    drawn.classList.add("ghost");
    this.better.append(drawn);
    const ring = { cx: x, cy: y, r: 0.47 * CELL };
    this.ring.append(shape("circle", { ...ring, class: "halo" }), shape("circle", { ...ring, class: "dashes" }));
  }

  /** Shows the moves of a line as numbered pieces on the board of the position `seen`, an earlier one perhaps; none:
      takes them away. */
  showLine(names, seen = this.seen) {
    this.values.style.display = names.length ? "none" : "";
    this.preview.replaceChildren();
    const filled = new Set(seen.stones.map(([row, col]) => `${row},${col}`));
    for (const stone of this.stones.children) {
      stone.style.display = names.length && !filled.has(stone.dataset.at) ? "none" : "";
    }
    this.marks.style.display = names.length && seen !== this.seen ? "none" : "";
    names.forEach((name, index) => {
      const at = this.cellOf(name, filled);
      if (at === null) return;
      filled.add(`${at}`);
      const [x, y] = [this.x(at[1]), this.y(at[0])];
      const player = index % 2 ? -seen.to_move : seen.to_move;
      const drawn = piece(seen.form, player, x, y, CELL, "board");
      drawn.classList.add("ahead");
      this.preview.append(drawn, shape("text", { x, y, dy: "0.36em", "text-anchor": "middle", "font-size": 15,
        class: `${seen.form} ${player > 0 ? "first" : "second"}` }, `${index + 1}`));
    });
  }

  /** Where a stone of the move comes to lie among the cells that are filled; null where that cannot be said. */
  cellOf(name, filled) {
    const { seen } = this;
    if (seen.form === "slots") {
      const col = seen.column_names.indexOf(name);
      for (let row = seen.rows - 1; row >= 0; row--) if (!filled.has(`${row},${col}`)) return [row, col];
      return null;
    }
    const [, letters, digits] = /^([a-z]+)(\d+)$/.exec(name) ?? [];
    const at = [seen.row_names.indexOf(digits), seen.column_names.indexOf(letters)];
    return at.includes(-1) ? null : at;
  }

  /** What the buttons say. */
  label() {
    const { view, seen } = this;
    const figures = view.searching === null ? view.figures : null;
    const key = JSON.stringify([this.position, view.playable, view.drafting, view.sides, seen.legal.length,
      this.betterCell, figures && [figures.number, figures.visits], view.hint?.move]);
    if (key === this.labelled) return;
    this.labelled = key;
    const owners = new Map(seen.stones.map(([row, col, player]) => [`${row},${col}`, player]));
    const found = new Map(figures ? figures.moves.map((entry) => [`${entry.cell}`, entry]) : []);
    this.cells.forEach((cells, row) => cells.forEach((button, col) => {
      const key = `${row},${col}`;
      const owner = owners.get(key);
      const parts = [cellName(seen, row, col)];
      if (owner === undefined) parts.push("empty");
      else {
        const who = whoPlays(view, owner);
        parts.push(sideName(seen, owner), ...(who === sideName(seen, owner) ? [] : [who]));
      }
      if (seen.last && row === seen.last[0] && col === seen.last[1]) parts.push("last move");
      if (this.won.has(key)) parts.push("in the winning line");
      if (`${this.betterCell}` === key) parts.push("the better move");
      const entry = found.get(key);
      if (entry) {
        parts.push(`${entry.visits} visits`, proofText(entry) || `value ${percent(entry.value)}`);
        if (entry.name === view.hint?.move) parts.push("the hint");
      }
      const playable = view.drafting || (view.playable && this.legal.has(this.moveAt(row, col)));
      const words = parts.join(", ");
      if (button.getAttribute("aria-label") !== words) button.setAttribute("aria-label", words);
      button.setAttribute("aria-disabled", playable ? "false" : "true");
    }));
  }

  // -- what the player does ------------------------------------------------------------------------

  moveAt(row, col) {
    const { seen } = this;
    return seen.form === "slots" ? seen.column_names[col] : seen.column_names[col] + seen.row_names[row];
  }

  choose(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const [row, col] = [Number(button.dataset.row), Number(button.dataset.col)];
    const small = Math.min(button.clientWidth, button.clientHeight) < FINGER && this.seen.form !== "slots";
    const sure = event.pointerType !== "touch" || !small || `${this.marked}` === `${[row, col]}`;
    this.chosen(this.moveAt(row, col), row, col, sure);
  }

  /** Marks a cell that a finger has touched, and that is still to be confirmed; null: none. */
  mark(cell) {
    this.marked = cell;
    this.point(cell === null ? null : this.cells[cell[0]][cell[1]]);
  }

  key(event) {
    const { rows, cols } = this.seen;
    let [row, col] = this.focus;
    if (event.altKey || event.metaKey) return;
    if (event.key === "ArrowUp") row = Math.max(0, row - 1);
    else if (event.key === "ArrowDown") row = Math.min(rows - 1, row + 1);
    else if (event.key === "ArrowLeft") col = Math.max(0, col - 1);
    else if (event.key === "ArrowRight") col = Math.min(cols - 1, col + 1);
    else if (event.ctrlKey && !["Home", "End"].includes(event.key)) return;
    else if (event.key === "Home") [row, col] = [event.ctrlKey ? 0 : row, 0];
    else if (event.key === "End") [row, col] = [event.ctrlKey ? rows - 1 : row, cols - 1];
    else return;
    event.preventDefault();
    this.cells[row][col].focus();
  }

  focused(button) {
    if (!button.dataset.row) return;
    this.cells[this.focus[0]][this.focus[1]].tabIndex = -1;
    this.focus = [Number(button.dataset.row), Number(button.dataset.col)];
    button.tabIndex = 0;
    this.point(button);
  }

  /** Where a stone would come to lie. */
  point(button) {
    this.pointed = button;
    this.ghost?.replaceChildren();
    if (this.marked !== null && this.ghost) {
      const [x, y] = [this.x(this.marked[1]), this.y(this.marked[0])];
      this.ghost.append(shape("path", { class: "aim", d: `M${x} ${this.y(0)}V${this.y(this.seen.rows - 1)}`
        + `M${this.x(0)} ${y}H${this.x(this.seen.cols - 1)}` }));
    }
    if (!button || button.getAttribute("aria-disabled") === "true" || !button.isConnected || this.view.drafting) return;
    const col = Number(button.dataset.col);
    let row = Number(button.dataset.row);
    if (this.seen.form === "slots") {
      row = this.seen.rows - 1 - this.seen.stones.filter((stone) => stone[1] === col).length;
    }
    const drawn = piece(this.seen.form, this.seen.to_move, this.x(col), this.y(row), CELL, "board");
    drawn.classList.add("ghost");
    this.ghost.append(drawn);
  }
}
