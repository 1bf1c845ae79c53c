// What the page says to the server, and hears from it.

/** An answer that is no success; `status` is that of HTTP, 0 where no answer came. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** Sends a request and returns the JSON of the answer. Throws Refusal. */
async function request(path, options) {
  let answer, data;
  try {
    answer = await fetch(path, { cache: "no-store", ...options });
    data = await answer.json();
  } catch {
    throw new Refusal(0, "The server does not answer. Is mcts-core serve still running?");
  }
  if (!answer.ok) throw new Refusal(answer.status, data.error);
  return data;
}

/** The session `id` as it is, or with `after` as soon as there is something newer than that version. */
export function look(id, after) {
  return request(`/api/sessions/${id}${after === undefined ? "" : `?after=${after}`}`);
}

/** A new session. */
export function open(fields) {
  return post("/api/sessions", fields);
}

/** Something that the player does in the session `id`. */
export function act(id, action, fields = {}) {
  return post(`/api/sessions/${id}/${action}`, fields);
}

function post(path, fields) {
  return request(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  });
}
