/** Stands where the saver stands on a page that only shows what raters see: it keeps nothing. */

import { State } from "./outbox.js";

export class Rehearsal extends EventTarget {
  constructor() {
    super();
    this.state = State.PREVIEW;
    this.pending = [];
    this.conflicts = [];
  }

  /** There is nothing from an earlier visit. */
  async start() {
    this.dispatchEvent(new CustomEvent("state", { detail: { isNew: true } }));
    return [];
  }

  async add() {}

  async draft() {}

  async sendDrafts() {}

  async flush() {}

  retryNow() {}
}
