// How requests reach the engine where the page has no server: as messages to a worker, which runs it in Pyodide. It takes
// the place of mcts_core/web/static/transport.js; no other file of the page knows of that.

import { Refusal } from "./refusal.js";

const ENGINE = new URL("../engine/", import.meta.url);
const KEEPER = new URL("../keeper.js", import.meta.url);
const MEGABYTE = 1e6;

/** The protocol of mcts_core/web/protocol.py, with the texts of mcts_core/web/worker.py. */
class WorkerTransport {
  constructor() {
    this.worker = null;
    this.asked = new Map();
    this.count = 0;
    this.say = () => {};
  }

  /** What the engine offers: games, levels, limits, and what to begin with. `say(text)` is called with what is loaded
   *  first, and how far that is. Throws Refusal. */
  async offers(say) {
    this.say = say;
    await keep(say);
    return this.ask("offers");
  }

  /** How the search goes, as soon as there is something newer than the version `after`. Throws Refusal. */
  look(after) {
    return this.ask("look", { after });
  }

  /** An action with its fields. Throws Refusal. */
  async act(action, fields = {}) {
    const [status, data] = await this.ask("act", { action, fields: JSON.stringify(fields) });
    if (status !== 200) throw new Refusal("refused", data.error, data.field);
    return data;
  }

  ask(what, given = {}) {
    this.worker ??= this.start();
    const id = ++this.count;
    this.worker.postMessage({ id, what, ...given });
    return new Promise((done, fail) => this.asked.set(id, { done, fail }));
  }

  start() {
    const worker = new Worker(new URL("worker.js", ENGINE));
    worker.addEventListener("message", ({ data }) => {
      if (data.say !== undefined) return this.say(data.say);
      if (data.failed !== undefined) return this.end(data.failed);
      this.asked.get(data.id).done(JSON.parse(data.answer));
      return this.asked.delete(data.id);
    });
    worker.addEventListener("error", (event) => this.end(event.message || "its files cannot be loaded"));
    return worker;
  }

  /** The engine cannot go on. What is asked next starts another one, which needs nothing of it. */
  end(why) {
    this.worker.terminate();
    this.worker = null;
    for (const { fail } of this.asked.values()) fail(new Refusal("refused", `The engine failed: ${why}`));
    this.asked.clear();
  }
}

/** Has the browser keep all files, so that the page works without a network from then on. Where it keeps none, as on
 *  pages without https, the engine comes over the network each time. */
async function keep(say) {
  const keeper = navigator.serviceWorker;
  if (!keeper) return;
  keeper.addEventListener("message", ({ data: { what, loaded, total } }) => {
    const [some, all] = [loaded, total].map((bytes) => (bytes / MEGABYTE).toFixed(1));
    say(`Loading ${what}: ${some} of ${all} MB…`);
  });
  try {
    const { active, installing } = await keeper.register(KEEPER);
    if (active === null && installing !== null) {
      await new Promise((done) => {
        installing.addEventListener("statechange", () => installing.state !== "installed" && done());
      });
    }
  } catch (error) {
    console.info(`The browser keeps no files of this page: ${error.message}`);
  }
}

export const transport = new WorkerTransport();
