// The page: one session of the server, shown and played.

import { Board } from "./board.js";
import { showChart } from "./chart.js";
import { gradients, piece, shape } from "./shapes.js";
import { act, look, open } from "./talk.js";
import { capital, count, newsText, percent, proofText, sideName } from "./words.js";

const KEY = "mcts_core session";
const RETRY = 2000;
const ROWS = 6;
const find = (id) => document.getElementById(id);

let id = sessionStorage.getItem(KEY);
let seen = null;
let following = false;
let busy = false;

const board = new Board((move, button) => play(move, button));

/** Takes a session as the server told it; an older one than is shown is of no use. */
function show(news) {
  if (seen !== null && news.version < seen.version) return;
  const before = seen;
  seen = news;
  board.show(seen);
  const words = newsText(before, seen);
  if (words) find("status").textContent = words;
  if (seen.error !== null) complain(seen.error);
  showPlayers();
  showSearch();
  showChart(find("chart"), seen);
  showRecord();
  showSettings();
  find("title").textContent = capital(seen.title);
  document.title = `${capital(seen.title)} – mcts_core`;
  enable("take-back", seen.can_take_back);
  enable("hint", seen.winner === null && seen.to_move === seen.person && seen.thinking === null);
  enable("finish", seen.thinking !== null);
  if (seen.thinking !== null) follow();
}

/** Asks for news as long as the engine thinks. */
async function follow() {
  if (following) return;
  following = true;
  while (seen.thinking !== null) {
    const asked = id;
    try {
      const news = await look(asked, seen.version);
      if (asked !== id) continue;  // a session took its place meanwhile
      show(news);
      if (find("error").dataset.status === "0") complain("");
    } catch (refusal) {
      if (asked !== id) continue;
      if (refusal.status === 404) {
        following = false;
        return renew();
      }
      complain(refusal.message, refusal.status);
      await new Promise((done) => setTimeout(done, RETRY));
    }
  }
  following = false;
}

/** Does something that the player asked for. */
async function ask(action, fields) {
  if (busy) return false;
  busy = true;
  try {
    const news = await act(id, action, fields);
    complain("");
    show(news);
    return true;
  } catch (refusal) {
    if (refusal.status === 404) await renew();
    else complain(refusal.message, refusal.status);
    return false;
  } finally {
    busy = false;
  }
}

/** A session in the place of one that is gone. */
async function renew() {
  const fields = seen === null ? {} : { game: seen.game, side: seen.person > 0 ? "first" : "second",
    seconds: seen.seconds, threads: seen.threads };
  try {
    const news = await open(fields);
    const lost = seen !== null;
    id = news.id;
    sessionStorage.setItem(KEY, id);
    seen = null;
    show(news);
    complain(lost ? "The server had forgotten the game; this is a new one." : "");
  } catch (refusal) {
    complain(refusal.message, refusal.status);
  }
}

async function start() {
  if (id !== null) {
    try {
      show(await look(id));
      return showForm();
    } catch (refusal) {
      if (refusal.status !== 404) {
        complain(refusal.message, refusal.status);
        return;
      }
    }
  }
  await renew();
  showForm();
}

function complain(text, status = "") {
  find("error").textContent = text;
  find("error").dataset.status = status;
  if (text && seen === null) find("status").textContent = "There is no game.";
}

// -- what the player does --------------------------------------------------------------------------

function play(move, button) {
  if (seen === null) return;
  if (seen.winner !== null) find("status").textContent = "The game is over; begin a new one.";
  else if (seen.to_move !== seen.person) find("status").textContent = "The engine is to move.";
  else if (!seen.legal.includes(move)) {
    find("status").textContent = `There is no room: ${button.getAttribute("aria-label")}.`;
  } else ask("play", { move, ply: seen.ply });
}

for (const action of ["take-back", "hint", "finish"]) {
  find(action).addEventListener("click", (event) => {
    if (event.currentTarget.getAttribute("aria-disabled") !== "true") ask(action);
  });
}

/** A button that is not for now stays where the keyboard is. */
function enable(name, enabled) {
  find(name).setAttribute("aria-disabled", enabled ? "false" : "true");
}

for (const name of ["seconds", "threads"]) {
  find(name).addEventListener("change", () => {
    const fields = { seconds: find("seconds").valueAsNumber, threads: find("threads").valueAsNumber };
    if (Object.values(fields).some(Number.isNaN)) complain("Seconds and threads must be numbers.");
    else ask("set", fields);
  });
}

find("game").addEventListener("change", showFields);

find("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  const game = { name: find("game").value };
  for (const input of shownFields().querySelectorAll("input, select")) {
    game[input.name] = input.type === "number" ? input.valueAsNumber : input.value;
  }
  if (Object.values(game).some(Number.isNaN)) return complain("The numbers of the game must be whole numbers.");
  if (await ask("begin", { game, side: new FormData(event.target).get("side") })) {
    board.element.scrollIntoView({ block: "nearest" });
    board.cells[board.focus[0]][board.focus[1]].focus({ preventScroll: true });
  }
});

function shownFields() {
  return document.querySelector(`.fields[data-game="${find("game").value}"]`) ?? document.createElement("div");
}

function showFields() {
  for (const fields of document.querySelectorAll(".fields[data-game]")) {
    fields.hidden = fields.dataset.game !== find("game").value;
  }
}

/** The form says what is played. */
function showForm() {
  if (seen === null) return;
  find("game").value = seen.game.name;
  for (const input of shownFields().querySelectorAll("input, select")) input.value = seen.game[input.name];
  find("new").elements.side.value = seen.person > 0 ? "first" : "second";
  showFields();
}

// -- what the page shows beside the board ----------------------------------------------------------

function showPlayers() {
  for (const [name, player, word] of [["you", seen.person, "You"], ["engine", -seen.person, "Engine"]]) {
    const chip = find(name);
    const svg = chip.querySelector("svg");
    const look = `${seen.form} ${player}`;
    if (svg.dataset.look !== look) {
      svg.dataset.look = look;
      svg.replaceChildren(shape("defs", {}, ...gradients(name)), piece(seen.form, player, 12, 12, 24, name));
    }
    const won = seen.winner === player;
    const moves = seen.winner === null && seen.to_move === player;
    chip.className = won ? "won" : moves ? "moves" : "";
    const thinks = moves && player !== seen.person && seen.thinking !== null;
    chip.querySelector("span").textContent = `${word}, ${sideName(seen, player)}`;
    chip.querySelector("small").textContent = won ? "has won" : thinks ? "thinking…" : moves ? "to move" : "";
  }
}

function showSearch() {
  const { figures } = seen;
  const thinking = seen.thinking !== null;
  const current = figures !== null && (!thinking || figures.ply === seen.ply);
  const whose = current && figures.player === seen.person ? "your" : "the engine’s";
  const shown = current && figures.ply === seen.ply && seen.winner === null;
  find("legend").hidden = !shown;
  find("whose").textContent = `${whose} chance`;
  const title = thinking ? (seen.thinking.waiting ? "Search: waiting" : "Search: thinking") : "Search";
  if (find("thinking-title").textContent !== title) find("thinking-title").textContent = title;
  find("clock").className = thinking ? "runs" : "";
  const share = current ? Math.min(1, figures.seconds / seen.seconds) : 0;
  find("clock").firstElementChild.style.setProperty("width", `${100 * (thinking || !current ? share : 1)}%`);
  find("visits").textContent = current ? count(figures.visits) : "–";
  find("speed").textContent = current ? count(figures.per_second) : "–";
  find("depth").textContent = current ? figures.depth.toFixed(1) : "–";
  find("value").textContent = current ? proofText(figures) || percent(figures.value) : "–";
  find("value-name").textContent = current ? (figures.player === seen.person ? "Your value" : "Its value") : "Value";
  find("line").textContent = current && figures.line.length ? `Line: ${figures.line.join(" ")}` : "";
  showMoves(current ? figures : null);
}

function showMoves(figures) {
  const body = find("moves").tBodies[0];
  const rows = figures === null ? [] : figures.moves.slice(0, ROWS);
  while (body.rows.length > rows.length) body.deleteRow(-1);
  while (body.rows.length < rows.length) {
    const row = body.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    row.append(head);
    for (let cell = 0; cell < 3; cell++) row.insertCell();
    const bar = document.createElement("div");
    bar.className = "bar";
    bar.append(document.createElement("div"), document.createElement("span"));
    row.cells[2].append(bar);
  }
  rows.forEach((entry, index) => {
    const row = body.rows[index];
    const part = figures.visits ? Math.min(1, entry.visits / figures.visits) : 0;
    const best = entry.name === figures.move;
    row.className = best ? "best" : "";
    row.cells[0].textContent = `${entry.name}${best ? " ★" : ""}`;
    row.cells[1].textContent = count(entry.visits);
    row.cells[2].querySelector(".bar > div").style.setProperty("width", `${100 * part}%`);
    row.cells[2].querySelector("span").textContent = percent(part);
    row.cells[3].textContent = proofText(entry) || percent(entry.value);
  });
}

function showRecord() {
  const list = find("record");
  const key = `${seen.number} ${seen.moves.join(" ")}`;
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.replaceChildren();
  find("no-moves").hidden = seen.moves.length > 0;
  for (let ply = 0; ply < seen.moves.length; ply += 2) {
    const line = document.createElement("li");
    for (const each of [ply, ply + 1]) {
      if (each >= seen.moves.length) break;
      const move = document.createElement("span");
      const who = (each % 2 === 0) === (seen.person > 0) ? "you" : "engine";
      move.className = each === seen.moves.length - 1 ? `${who} latest` : who;
      move.textContent = seen.moves[each];
      line.append(move, " ");
    }
    list.append(line);
  }
  list.scrollTop = list.scrollHeight;
}

function showSettings() {
  for (const name of ["seconds", "threads"]) {
    const input = find(name);
    [input.min, input.max] = seen.limits[name];
    if (document.activeElement !== input) input.value = seen[name];
  }
}

start();
