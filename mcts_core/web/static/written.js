// A game without a board: its text, and its moves as buttons.

import { bubbleText, proofText } from "./words.js";

const find = (id) => document.getElementById(id);

/** `play(name)` is called with a move that was chosen. */
export function listenToWritten(play) {
  find("choices").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) play(button.dataset.name);
  });
}

/** Shows the position. */
export function showWritten(view) {
  const { seen, figures } = view;
  find("written").hidden = seen.form !== "text";
  if (seen.form !== "text") return;
  find("rows").hidden = seen.diagram === "";
  find("rows").textContent = seen.diagram;
  const entries = new Map(figures?.moves.map((entry) => [entry.name, entry]));
  const list = find("choices");
  const key = JSON.stringify(seen.legal);
  if (list.dataset.key !== key) {
    list.dataset.key = key;
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
