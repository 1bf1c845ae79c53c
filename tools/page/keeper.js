// The service worker of the page: keeps all its files in the browser, in the version in which they came, and gives them
// from there. The browser asks for this file and engine/files.js anew: where they have changed, it takes the new version
// for the next visit.

const LIST = "engine/files.js";
importScripts(LIST);

const OURS = `mcts_core page ${registration.scope} `;
const NAME = OURS + VERSION;
const PATHS = new Set([LIST, ...FILES.map(({ path }) => path)]);
const SHOWN_EVERY = 100;

addEventListener("install", (event) => event.waitUntil(keepAll()));

addEventListener("activate", (event) => event.waitUntil(forgetOthers().then(() => clients.claim())));

addEventListener("fetch", (event) => {
  const path = event.request.url.split(/[?#]/)[0].slice(registration.scope.length) || "index.html";
  if (event.request.method === "GET" && PATHS.has(path)) event.respondWith(kept(path, event.request));
});

async function kept(path, request) {
  const cache = await caches.open(NAME);
  return await cache.match(path) ?? fetch(request);
}

async function keepAll() {
  const cache = await caches.open(NAME);
  const total = FILES.reduce((sum, { size }) => sum + size, 0);
  let loaded = 0;
  let shown = 0;
  await cache.add(LIST);
  for (const { path, what } of FILES) {
    const answer = await fetch(path, { cache: "no-cache" });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
    const counted = answer.body.pipeThrough(new TransformStream({
      transform(chunk, out) {
        loaded += chunk.byteLength;
        out.enqueue(chunk);
        if (performance.now() < shown + SHOWN_EVERY) return;
        shown = performance.now();
        show({ what, loaded, total });
      },
    }));
    await cache.put(path, new Response(counted, { headers: { "Content-Type": answer.headers.get("Content-Type") } }));
  }
}

async function show(news) {
  for (const page of await clients.matchAll({ includeUncontrolled: true })) page.postMessage(news);
}

async function forgetOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(OURS) && name !== NAME) await caches.delete(name);
  }
}
