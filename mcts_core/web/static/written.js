// A game without a board: its text, and its moves as buttons.

import { complain, forgive } from "./form.js";
import { bubbleText, proofText } from "./words.js";

const find = (id) => document.getElementById(id);

/** `play(name)` is called with a move that was chosen. */
export function listenToWritten(play) {
  find("choices").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) play(button.dataset.name);
  });
  find("typed").addEventListener("submit", (event) => {
    event.preventDefault();
    const input = find("move");
    forgive(input);
    const typed = input.value.trim();
    const names = [...find("choices").querySelectorAll("button")].map((button) => button.dataset.name);
    const found = matches(names, typed);
    if (found.length !== 1) {
      return complain(input, found.length ? `${found.length} legal moves begin with “${typed}”.`
        : `No legal move begins with “${typed}”.`);
    }
    input.value = "";
    return play(found[0]);
  });
}

/** The moves that a person may have meant: the one of this name, else those that begin so. */
function matches(names, typed) {
  const begins = (name) => name.toLowerCase().startsWith(typed.toLowerCase());
  return names.includes(typed) ? [typed] : typed ? names.filter(begins) : [];
}

/** The position's own picture. As the source of an image it can run no script and load nothing. */
function showDrawing({ svg, diagram, ply }) {
  const image = find("drawing");
  image.hidden = !svg;
  image.alt = diagram || `The board after ${ply} moves`;
  if (image.drawn === svg) return;
  image.drawn = svg;
  if (image.src) URL.revokeObjectURL(image.src);
  if (svg) image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
}

/** Shows the position. */
export function showWritten(view) {
  const { seen, figures } = view;
  find("written").hidden = seen.form !== "text";
  if (seen.form !== "text") return;
  showDrawing(seen);
  find("rows").hidden = seen.diagram === "" || Boolean(seen.svg);
  find("rows").textContent = seen.diagram;
  const entries = new Map(figures?.moves.map((entry) => [entry.name, entry]));
  const list = find("choices");
  const key = JSON.stringify(seen.legal);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
    find("move-names").replaceChildren(...seen.legal.map((name) => Object.assign(document.createElement("option"), {
      value: name })));
    find("typed").hidden = seen.legal.length === 0;
    list.replaceChildren(...seen.legal.map((name) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.append(name, document.createElement("small"));
      button.dataset.name = name;
      item.append(button);
      return item;
    }));
  }
  seen.legal.forEach((name, index) => {
    const button = list.children[index].firstElementChild;
    const entry = entries.get(name);
    button.lastElementChild.textContent = entry ? ` ${proofText(entry) || bubbleText(entry)}` : "";
    button.className = figures?.move === name ? "best" : "";
    button.setAttribute("aria-disabled", view.playable ? "false" : "true");
  });
}
