// How requests reach the engine: here over HTTP, to mcts-core serve. No other file of the page knows of that. Where the
// page has no server, tools/page/transport.js takes the place of this file: the engine is a worker in the browser then.

import { Refusal } from "./refusal.js";

const KEY = "mcts_core session";

/** The protocol of mcts_core/web/protocol.py over HTTP. A session that is gone is replaced: it holds nothing. */
class HttpTransport {
  constructor() {
    this.id = sessionStorage.getItem(KEY);
  }

  /** What the engine offers: games, levels, limits, and what to begin with. The page gives a function, which over HTTP
   *  nothing needs: it shows a text about what has to be loaded first. Throws Refusal. */
  offers() {
    return this.ask("");
  }

  /** How the search goes, as soon as there is something newer than the version `after`. Throws Refusal. */
  look(after) {
    return this.ask(`?after=${after}`);
  }

  /** An action with its fields. Throws Refusal. */
  act(action, fields = {}) {
    return this.ask(`/${action}`, fields);
  }

  async ask(path, fields) {
    if (this.id === null) await this.open();
    const asked = this.id;
    let answer = await request(`/api/sessions/${asked}${path}`, fields);
    if (answer.status === 404) {
      if (this.id === asked) await this.open();
      answer = await request(`/api/sessions/${this.id}${path}`, fields);
    }
    return answer.data();
  }

  async open() {
    this.opening ??= request("/api/sessions", {});
    try {
      this.id = (await this.opening).data().id;
      sessionStorage.setItem(KEY, this.id);
    } finally {
      this.opening = undefined;
    }
  }
}

/** Sends one request: POST where there are fields. Throws Refusal where no answer comes. */
async function request(path, fields) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) };
  try {
    const answer = await fetch(path, { cache: "no-store", ...(fields === undefined ? {} : post) });
    const data = await answer.json();
    return {
      status: answer.status,
      data() {
        if (!answer.ok) throw new Refusal("refused", data.error, data.field);
        return data;
      },
    };
  } catch {
    throw new Refusal("unreachable", "The server does not answer. Is mcts-core serve still running?");
  }
}

export const transport = new HttpTransport();
