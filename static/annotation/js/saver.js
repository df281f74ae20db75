/** Sends every change at once, keeps it until the server has it, and tries again when it must.
 *
 * A change is written to the browser's store before it is sent. Changes go out in the order in
 * which they were made, each under the client id of the page that made it, so that the server
 * knows a change that it has already got.
 */

import { LoginExpired, Refused, Unreachable, call } from "./api.js";
import { keyOf } from "./ratings.js";
import { bodyOf } from "./viewing.js";

const BATCH_SIZE = 40;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
// Dates of answers are of whole seconds, and no request takes longer than this.
const CLOCK_SLACK_MS = 60_000;

export const State = Object.freeze({
  SAVED: "saved",
  SAVING: "saving",
  OFFLINE: "offline",
  LOGIN: "login",
  CONFLICT: "conflict",
  CLOSED: "closed",
  FOREIGN: "foreign",
  PREVIEW: "preview",
  REPLACED: "replaced",
});

/** States that only a person can end. */
const WAITING = new Set([State.LOGIN, State.CONFLICT, State.CLOSED, State.FOREIGN, State.REPLACED]);

export class Saver extends EventTarget {
  /** `content` is the version of the trace on this page; `describe` puts a change into words. */
  constructor({ urls, store, book, content, describe, viewing, clock }) {
    super();
    this.clock = clock;
    this.content = content;
    this.describe = describe;
    this.viewing = viewing;
    this.replaced = [];
    this.urls = urls;
    this.store = store;
    this.book = book;
    this.clientId = crypto.randomUUID();
    this.sequence = 0;
    this.order = Date.now() * 1000;
    this.pending = [];
    this.state = State.SAVED;
    this.sending = null;
    this.retryMs = FIRST_RETRY_MS;
    this.batchSize = BATCH_SIZE;
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retryNow();
    });
    window.addEventListener("focus", () => this.retryNow());
    window.addEventListener("beforeunload", (event) => {
      if (this.pending.length) event.preventDefault();
    });
  }

  /** Take up what an earlier visit left unsent; returns those changes.
   *
   * Changes to another version of the trace are no changes to this one: they are set aside.
   */
  async start() {
    const left = await this.store.all();
    const isOld = ({ content }) => content !== undefined && content !== this.content;
    this.replaced = left.filter(isOld);
    const current = left.filter((change) => !isOld(change));
    this.pending.unshift(...current);
    if (this.replaced.length) this.dispatchEvent(new CustomEvent("replaced"));
    if (current.length) this.flush();
    return current;
  }

  /** Keep and send one answer; `baseRevision` is what the rater saw. */
  async add({ event, metric, value, confidence, baseRevision }) {
    // What was watched until now was watched before this answer.
    this.viewing?.report();
    this.sequence += 1;
    this.order += 1;
    const change = {
      id: `${this.clientId}:${this.sequence}`,
      client_id: this.clientId,
      order: this.order,
      sequence: this.sequence,
      content: this.content,
      words: this.describe({ event, metric, value, confidence }),
      event,
      metric,
      value,
      confidence,
      base_revision: baseRevision,
      rated_at: this.clock.text(),
    };
    this.pending.push(change);
    // The count of what is kept here changes even where the state does not.
    this.setState(WAITING.has(this.state) ? this.state : State.SAVING);
    try {
      await this.store.put([change]);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
    await this.flush();
  }

  retryNow() {
    if (!this.pending.length || [State.CONFLICT, State.REPLACED].includes(this.state)) return;
    if (WAITING.has(this.state)) this.setState(State.SAVING);
    this.retryMs = FIRST_RETRY_MS;
    this.flush();
  }

  /** Send until nothing is left or something stands in the way; one sender at a time. */
  flush() {
    if (WAITING.has(this.state)) return Promise.resolve();
    this.sending ??= this.sendAll().finally(() => { this.sending = null; });
    return this.sending;
  }

  async sendAll() {
    clearTimeout(this.retryTimer);
    try {
      while (this.pending.length) {
        this.setState(State.SAVING);
        await this.sendBatch(this.nextBatch());
      }
      this.setState(State.SAVED);
    } catch (error) {
      await this.meet(error);
    }
  }

  nextBatch() {
    const clientId = this.pending[0].client_id;
    const end = this.pending.findIndex((change) => change.client_id !== clientId);
    return this.pending.slice(0, Math.min(end < 0 ? this.pending.length : end, this.batchSize));
  }

  async sendBatch(batch) {
    const changes = batch.map(({ sequence, event, metric, value, confidence, base_revision, rated_at }) => (
      { sequence, event, metric, value, confidence, base_revision, rated_at }
    ));
    const { client_id, content } = batch[0];
    const reports = this.viewing?.take() ?? [];
    const viewing = reports.length ? { reports: reports.map(bodyOf) } : undefined;
    const answer = await call("POST", this.urls.changes, { client_id, content, changes, viewing });
    if (reports.length) this.viewing.forget(reports);
    this.retryMs = FIRST_RETRY_MS;
    this.batchSize = BATCH_SIZE;
    await this.forget(batch, answer.saved);
    await this.takeOver(answer.ratings);
  }

  async forget(batch, saved) {
    const sequences = new Set(saved);
    const done = batch.filter((change) => sequences.has(change.sequence));
    await this.drop(done);
  }

  async drop(changes) {
    const ids = new Set(changes.map((change) => change.id));
    this.pending = this.pending.filter((change) => !ids.has(change.id));
    try {
      await this.store.remove(changes);
    } catch (error) {
      // They stay in the store and are sent once more, which the server takes as one.
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
  }

  /** Take over the server's values, except where the rater has meanwhile given another. */
  async takeOver(ratings) {
    for (const rating of ratings) {
      const key = keyOf(rating.event, rating.metric);
      // Looked up anew each time: the rater goes on while a rebase is written to the store.
      const isLater = this.pending.some((change) => keyOf(change.event, change.metric) === key);
      if (isLater) await this.rebase(key, rating.revision);
      else this.book.store(rating);
    }
    this.dispatchEvent(new CustomEvent("ratings", { detail: ratings }));
  }

  /** What we sent made this revision, so later changes of ours stand on it. */
  async rebase(key, revision) {
    const changes = this.pending.filter((change) => keyOf(change.event, change.metric) === key);
    changes.forEach((change) => { change.base_revision = revision; });
    await this.store.put(changes);
  }

  async meet(error) {
    if (error instanceof Unreachable) {
      this.setState(State.OFFLINE);
      this.retryTimer = setTimeout(() => this.flush(), this.retryMs * (0.75 + Math.random() / 2));
      this.retryMs = Math.min(this.retryMs * 2, LONGEST_RETRY_MS);
    } else if (error instanceof LoginExpired) {
      this.setState(State.LOGIN);
    } else if (error instanceof Refused) {
      await this.meetRefusal(error);
    } else {
      throw error;
    }
  }

  async meetRefusal(error) {
    const batch = this.nextBatch();
    if (error.status === 409) {
      await this.forget(batch, error.body.saved ?? []);
      if (error.body.code === "conflict") {
        this.conflicts = error.body.conflicts;
        this.setState(State.CONFLICT);
      } else if (error.body.code === "replaced") {
        this.setState(State.REPLACED);
      } else {
        this.refusal = error.body;
        this.setState(State.CLOSED);
      }
    } else if (error.status === 404) {
      this.setState(State.FOREIGN);
    } else if (await this.correctTimes(error)) {
      this.retryTimer = setTimeout(() => this.flush());
    } else if (batch.length > 1) {
      // One wrong change must not hold up the others: find it.
      this.batchSize = 1;
      this.retryTimer = setTimeout(() => this.flush());
    } else {
      await this.drop(batch);
      this.dispatchEvent(new CustomEvent("refused", { detail: { change: batch[0], reason: error.message } }));
      this.retryTimer = setTimeout(() => this.flush());
    }
  }

  /** What was answered by a clock that runs ahead was answered now at the latest; tells whether any was. */
  async correctTimes({ date }) {
    const late = this.pending.filter(({ rated_at }) => Date.parse(rated_at) > Date.parse(date) + CLOCK_SLACK_MS);
    if (!late.length) return false;
    this.clock.set(date);
    late.forEach((change) => { change.rated_at = this.clock.text(); });
    try {
      await this.store.put(late);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
    return true;
  }

  /** Settle conflicts: `keeps` maps a key to true (ours) or false (what is saved). */
  async resolve(keeps) {
    for (const { event, metric, theirs } of this.conflicts) {
      const key = keyOf(event, metric);
      if (keeps.get(key)) {
        await this.rebase(key, theirs.revision);
      } else {
        await this.drop(this.pending.filter((change) => keyOf(change.event, change.metric) === key));
        this.book.store({ is_implied: false, ...theirs, event, metric });
      }
    }
    this.conflicts = [];
    this.setState(State.SAVING);
    await this.flush();
  }

  /** Give up what cannot be saved any more. */
  async discard() {
    await this.drop([...this.pending]);
    this.setState(State.SAVED);
  }

  /** Whether this page is of a version of the trace that is no more. */
  get isReplaced() {
    return this.state === State.REPLACED;
  }

  /** Return what was answered about another version of the trace, in words, one line each. */
  replacedWords() {
    const changes = this.isReplaced ? [...this.replaced, ...this.pending] : this.replaced;
    return changes.map((change) => change.words);
  }

  /** Leave unsent changes to the store, so that the page can be loaded anew. */
  leave() {
    this.pending = [];
  }

  /** Give up what was answered about another version. */
  async discardReplaced() {
    const changes = this.replaced;
    this.replaced = [];
    if (this.isReplaced) await this.discard();
    await this.drop(changes);
  }

  setState(state) {
    const before = this.state;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: { isNew: state !== before } }));
  }
}
