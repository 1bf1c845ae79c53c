// Positions that come from elsewhere or go there: pasted, set up by hand, copied.

import { complain, forgiveAll } from "./form.js";
import { note, openLink, update } from "./play.js";
import { Record } from "./record.js";
import { psqText, readRecord, sgfText } from "./records.js";
import { copyPicture, copyText, pngBlob, saveFile, svgText } from "./share.js";
import { engine, find, here, positions, state } from "./state.js";
import { transport } from "./transport.js";
import { fail, focusBoard, render } from "./view.js";
import { capital } from "./words.js";

const MOST_BYTES = 1e6;

find("set-up").addEventListener("submit", async (event) => {
  event.preventDefault();
  forgiveAll(event.target);
  const text = find("text").value;
  if (text.includes("#game=")) {
    const record = Record.fromHash(text.slice(text.indexOf("#game=")).trim());
    if (record === null) complain(find("text"), "This link is damaged.");
    else await openLink(record);
    return;
  }
  await setUp(text, false);
});

/** Opens what a person wrote as an analysis board. */
async function setUp(text, drawn) {
  const { game } = positions.get(here());
  try {
    const record = drawn ? null : readRecord(text, game);
    if (record !== null) {
      const left = record.left ? `${record.left} of its variations are left out.` : "";
      if (await openLink(new Record(record.game, record.diagram, [], record.lines))) {
        find("text").value = "";
        if (left) note(left);
      }
      return;
    }
    const read = await transport.act("read", { game, text });
    if (await openLink(new Record(game, read.diagram, read.moves))) find("text").value = "";
  } catch (refusal) {
    fail(drawn ? { ...refusal, message: refusal.message, field: null } : refusal);
  }
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => state.record && copy(button.dataset.copy));
}

async function copy(kind) {
  const { record, cursor } = state;
  const texts = {
    link: () => `${location.origin}${location.pathname}#${record.toHash(cursor)}`,
    moves: () => record.moves.slice(0, cursor).join(" "),
    diagram: () => positions.get(here()).diagram,
    svg: () => svgText(find("picture")),
  };
  let words = "copied";
  try {
    if (kind === "png") words = await copyPicture(await pngBlob(find("picture")));
    else await copyText(texts[kind]());
    find("copied").textContent = `${capital(kind === "svg" || kind === "png" ? kind.toUpperCase() : kind)}: ${words}.`;
  } catch {
    find("copied").textContent = "The browser does not let this page copy.";
  }
}

const FILES = { sgf: [sgfText, "application/x-go-sgf"], psq: [psqText, "text/plain"] };

for (const button of document.querySelectorAll("[data-save]")) {
  button.addEventListener("click", () => {
    const [write, type] = FILES[button.dataset.save];
    const name = `game.${button.dataset.save}`;
    saveFile(new Blob([write(state.record, positions.get(here()).game)], { type }), name);
    find("copied").textContent = `Saved as ${name}.`;
  });
}

find("open").addEventListener("click", () => find("file").click());
find("file").addEventListener("change", async () => {
  const [file] = find("file").files;
  find("file").value = "";
  if (!file || state.record === null) return;
  forgiveAll(find("set-up"));
  if (file.size > MOST_BYTES) complain(find("text"), "A record has at most 1 MB.");
  else await setUp(await file.text(), false);
});

// -- a position set up by hand ---------------------------------------------------------------------

/** Begins to set up a position, from the one on the board. */
export function openDraft() {
  const seen = positions.get(here());
  if (seen.form === "text") return complain(find("text"), "This game has no board to set up; give its moves.");
  state.draft = new Map(seen.stones.map(([row, col, player]) => [`${row},${col}`, player]));
  state.note = "";
  engine.drop();
  update();
  focusBoard();
}

/** Changes a cell between empty and the two players. */
export function changeDraft(row, col) {
  const key = `${row},${col}`;
  const next = { undefined: 1, 1: -1 }[state.draft.get(key)];
  if (next === undefined) state.draft.delete(key);
  else state.draft.set(key, next);
  render();
}

function closeDraft() {
  state.draft = null;
  fail(null);
  update();
}

find("draft-clear").addEventListener("click", () => {
  state.draft.clear();
  render();
});
find("draft-cancel").addEventListener("click", closeDraft);
find("draft-done").addEventListener("click", () => {
  const { rows, cols } = positions.get(here());
  const mark = (row, col) => ({ 1: "X", "-1": "O" })[state.draft.get(`${row},${col}`)] ?? ".";
  const line = (row) => Array.from({ length: cols }, (_, col) => mark(row, col)).join(" ");
  setUp(Array.from({ length: rows }, (_, row) => line(row)).join("\n"), true);
});
