/** Sends every change at once, keeps it until the server has it, and tries again when it must.
 *
 * A change is written to the browser's store before it is sent. Changes go out in the order in
 * which they were made, each under the client id of the page that made it, so that the server
 * knows a change that it has already got.
 */

import { LoginExpired, Refused, Unreachable, call } from "./api.js";
import { REMARKS, keyOf, ratingOf } from "./ratings.js";
import { bodyOf } from "./viewing.js";

const BATCH_SIZE = 40;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
// Dates of answers are of whole seconds, and no request takes longer than this.
const CLOCK_SLACK_MS = 60_000;
// A text that nobody has typed at for so long is sent; it is kept here at every letter.
const QUIET_MS = 1_500;

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

function isRemark({ metric }) {
  return metric in REMARKS;
}

/** A conflict about a remark in the shape of one about an answer. */
function conflictOf({ kind, theirs, ...conflict }) {
  if (kind === undefined) return { ...conflict, theirs };
  const { text, revision, written_at } = theirs;
  return { ...conflict, metric: kind, theirs: { value: text, confidence: null, revision, rated_at: written_at } };
}

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
    this.drafts = new Map();
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
      if (this.pending.length || this.drafts.size) event.preventDefault();
    });
    window.addEventListener("pagehide", () => this.sendDrafts());
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
    // A text that was still being typed when the page ended gets its number now.
    for (const change of current.filter(({ sequence }) => sequence === null)) {
      Object.assign(change, { client_id: this.clientId, sequence: this.nextSequence() });
      await this.store.put([change]).catch((error) => this.dispatchEvent(new CustomEvent("storefailed", { detail: error })));
    }
    this.pending.unshift(...current);
    if (this.replaced.length) this.dispatchEvent(new CustomEvent("replaced"));
    if (current.length) this.flush();
    return current;
  }

  /** Keep and send one answer or remark; `baseRevision` is what the rater saw. */
  async add({ event, metric, value, confidence = null, cannot_judge = null, baseRevision }) {
    // What was watched until now was watched before this answer.
    this.viewing?.report();
    const sequence = this.nextSequence();
    await this.keep({
      id: `${this.clientId}:${sequence}`,
      ...this.changeOf({ event, metric, value, confidence, cannot_judge, baseRevision }),
      sequence,
    });
  }

  nextSequence() {
    this.sequence += 1;
    return this.sequence;
  }

  changeOf({ event, metric, value, confidence, cannot_judge, baseRevision }) {
    this.order += 1;
    return {
      client_id: this.clientId,
      order: this.order,
      content: this.content,
      words: this.describe({ event, metric, value, confidence, cannot_judge }),
      event,
      metric,
      value,
      confidence,
      cannot_judge,
      base_revision: baseRevision,
      rated_at: this.clock.text(),
    };
  }

  async keep(change) {
    this.pending.push(change);
    // The count of what is kept here changes even where the state does not.
    this.setState(WAITING.has(this.state) ? this.state : State.SAVING);
    await this.putDown(change);
    await this.flush();
  }

  async putDown(change) {
    try {
      await this.store.put([change]);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
  }

  /** Keep a text that is being typed, letter by letter; it is sent when the typing has come to rest. */
  draft({ event, metric, value, baseRevision }) {
    const key = keyOf(event, metric);
    const before = this.drafts.get(key);
    const draft = {
      ...this.changeOf({ event, metric, value, confidence: null, cannot_judge: null, baseRevision }),
      id: before?.id ?? `${this.clientId}:text:${crypto.randomUUID()}`,
      base_revision: before?.base_revision ?? baseRevision,
      sequence: null,
    };
    this.drafts.set(key, draft);
    if (!WAITING.has(this.state) && this.state !== State.OFFLINE) this.setState(State.SAVING);
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.sendDrafts(), QUIET_MS);
    return this.putDown(draft);
  }

  /** Make changes of the texts that are being typed, and send them. */
  async sendDrafts() {
    clearTimeout(this.draftTimer);
    const drafts = [...this.drafts.values()];
    this.drafts.clear();
    await Promise.all(drafts.map((draft) => this.keep({ ...draft, sequence: this.nextSequence() })));
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
      this.setState(this.drafts.size ? State.SAVING : State.SAVED);
    } catch (error) {
      await this.meet(error);
    }
  }

  nextBatch() {
    const [first] = this.pending;
    const end = this.pending.findIndex((change) => change.client_id !== first.client_id || isRemark(change) !== isRemark(first));
    return this.pending.slice(0, Math.min(end < 0 ? this.pending.length : end, this.batchSize));
  }

  async sendBatch(batch) {
    const { client_id, content } = batch[0];
    if (isRemark(batch[0])) {
      const remarks = batch.map(({ sequence, event, metric, value, base_revision, rated_at }) => (
        { sequence, event, kind: metric, text: value ?? "", base_revision, written_at: rated_at }
      ));
      const answer = await call("POST", this.urls.remarks, { client_id, content, remarks });
      await this.finish(batch, answer.saved, answer.remarks.map(ratingOf));
      return;
    }
    const changes = batch.map(({ sequence, event, metric, value, confidence, cannot_judge, base_revision, rated_at }) => (
      { sequence, event, metric, value, confidence, cannot_judge, base_revision, rated_at }
    ));
    const reports = this.viewing?.take() ?? [];
    const viewing = reports.length ? { reports: reports.map(bodyOf) } : undefined;
    const answer = await call("POST", this.urls.changes, { client_id, content, changes, viewing });
    if (reports.length) this.viewing.forget(reports);
    await this.finish(batch, answer.saved, answer.ratings);
  }

  async finish(batch, saved, ratings) {
    this.retryMs = FIRST_RETRY_MS;
    this.batchSize = BATCH_SIZE;
    await this.forget(batch, saved);
    await this.takeOver(ratings);
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
      const isLater = this.later(key).length > 0;
      if (isLater) await this.rebase(key, rating.revision);
      else this.book.store(rating);
    }
    this.dispatchEvent(new CustomEvent("ratings", { detail: ratings }));
  }

  /** What we sent made this revision, so later changes of ours stand on it. */
  async rebase(key, revision) {
    const changes = this.later(key);
    changes.forEach((change) => { change.base_revision = revision; });
    await this.store.put(changes);
  }

  /** Return what the rater has given for a key and the server has not got yet. */
  later(key) {
    return [...this.pending, ...this.drafts.values()].filter((change) => keyOf(change.event, change.metric) === key);
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
        this.conflicts = error.body.conflicts.map(conflictOf);
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
        this.drafts.delete(key);
        this.book.store({ is_implied: false, ...theirs, event, metric });
        this.dispatchEvent(new CustomEvent("ratings", { detail: [] }));
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
