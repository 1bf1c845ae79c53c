// The engine in a worker of the browser: mcts_core in Pyodide. What is asked ({ id, what, ... }) is answered between two
// steps of a search ({ id, answer }); before that, { say } names what is being loaded.

importScripts("pyodide.js", "files.js");

const CACHE = `mcts_core page ${new URL("..", location)} ${VERSION}`;  // that of keeper.js
const SNAPSHOT = "python.snapshot";
const started = start();
const looks = [];
let stepping = false;

async function start() {
  const wheel = fetch("mcts_core.zip").then((answer) => answer.arrayBuffer());
  const python = await startPython();
  postMessage({ say: "Starting mcts_core…" });
  python.unpackArchive(await wheel, "zip", { extractDir: "/mcts_core" });
  return python.runPython(`
import sys
sys.path.insert(0, "/mcts_core")
from mcts_core.web.worker import Worker
Worker()`);
}

/** Python, from its memory after its first start where the browser has kept that: within 0.6 s instead of 3 s. */
async function startPython() {
  const cache = await ownCache();
  postMessage({ say: cache === null ? "Loading Python…" : "Starting Python…" });
  if (cache === null) return loadPyodide();
  const kept = await (await cache.match(SNAPSHOT))?.arrayBuffer();
  await cache.delete(SNAPSHOT);  // a damaged one, with which Python never starts, is met only once
  const python = await loadPyodide(kept === undefined ? { _makeSnapshot: true } : { _loadSnapshot: kept });
  cache.put(SNAPSHOT, new Response(kept ?? python.makeMemorySnapshot())).catch(() => {});  // there may be no room
  return python;
}

/** The files that keeper.js keeps; null where the browser does not let it. */
async function ownCache() {
  try {
    return await caches.has(CACHE) ? await caches.open(CACHE) : null;
  } catch {
    return null;
  }
}

function reply(id, answer) {
  postMessage({ id, answer });
}

/** Answers those who wait for news. */
function tell(engine) {
  if (looks.length === 0) return;
  const news = engine.news();
  const { version, running } = JSON.parse(news);
  for (let index = looks.length - 1; index >= 0; index--) {
    if (version > looks[index].after || !running) reply(looks.splice(index, 1)[0].id, news);
  }
}

const pause = new MessageChannel();
const nextTurn = () => new Promise((done) => {
  pause.port1.onmessage = done;
  pause.port2.postMessage(null);
});

/** Searches as long as there is something to search. */
async function search(engine) {
  if (stepping) return;
  stepping = true;
  do {
    await nextTurn();
    stepping = engine.step();
    tell(engine);
  } while (stepping);
}

addEventListener("message", async ({ data: { id, what, after, action, fields } }) => {
  try {
    const engine = await started;
    if (what === "offers") reply(id, engine.offers());
    else if (what === "look") looks.push({ id, after });
    else {
      reply(id, engine.act(action, fields));
      if (action === "search") search(engine).catch(fail);
    }
    tell(engine);
  } catch (error) {
    fail(error);
  }
});

function fail(error) {
  postMessage({ failed: String(error?.message ?? error).trim().split("\n").at(-1) });
}
