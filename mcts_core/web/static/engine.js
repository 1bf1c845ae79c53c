// One search at a time: starts it, follows its news, and begins it again where the other side has forgotten it.

import { Refusal } from "./refusal.js";

const RETRY = 2000;

export class Engine {
  constructor(transport) {
    this.transport = transport;
    this.listen(() => {}, () => {});
    this.running = null;
  }

  /** Sets `changed()`, called when a search begins, has news, or ends, and `complain(refusal or null)`, for trouble on
      the way. */
  listen(changed, complain) {
    this.changed = changed;
    this.complain = complain;
  }

  /** Runs a job { fields, shown } in place of any other; its last figures, or null where another job took its place. */
  async run(job) {
    const mine = this.running = { ...job, waiting: false };
    this.changed();
    try {
      for (;;) {
        const figures = await this.follow(mine);
        if (figures !== undefined) return figures;
      }
    } finally {
      if (this.running === mine) {
        this.running = null;
        this.changed();
      }
    }
  }

  /** Undefined where the search was forgotten on the way. */
  async follow(mine) {
    let news = await this.patiently(mine, () => this.transport.act("search", mine.fields));
    const number = news?.number;
    while (this.running === mine) {
      if (news.number !== number) return undefined;
      if (news.error !== null) throw new Refusal("refused", news.error);
      mine.waiting = news.waiting;
      if (news.figures !== null) mine.shown(news.figures);
      if (!news.running) return news.figures;
      this.changed();
      const seen = news.version;
      news = await this.patiently(mine, () => this.transport.look(seen));
    }
    return null;
  }

  /** Asks until there is an answer, as long as the job is wanted. */
  async patiently(mine, ask) {
    let failed = false;
    while (this.running === mine) {
      try {
        const news = await ask();
        if (failed) this.complain(null);
        return news;
      } catch (refusal) {
        if (refusal.kind !== "unreachable") throw refusal;
        failed = true;
        this.complain(refusal);
        await new Promise((done) => setTimeout(done, RETRY));
      }
    }
    return null;
  }

  /** Ends the search with what it has found. */
  async finish() {
    if (this.running !== null) await this.transport.act("finish");
  }

  /** Ends the search for nothing. */
  drop() {
    if (this.running === null) return;
    this.running = null;
    this.transport.act("drop").catch(() => {});
    this.changed();
  }
}
