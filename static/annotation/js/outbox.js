/** Sends every change at once, keeps it until the server has it, and tries again when it must.
 *
 * A change is written to the browser's store before it is sent. Changes go out in the order in which
 * they were made, each under the client id of the page that made it, so that the server knows a
 * change that it has already got. What a change says, where it is sent and what an answer means is
 * told by what extends this: `saver.js` for ratings, `outbox.js` of the segments for them.
 *
 * Of a change this uses {id, client_id, sequence, order, content, words, [timeField]}; `sequence` is
 * null while a text is being typed. Who extends it has
 *   kindOf(change)        changes of one kind go out together
 *   sendBatch(batch)      posts them, forgets those that the server has, takes over what it answers
 *   conflictsOf(body)     what a person has to choose between after a refusal for conflict
 */

import { LoginExpired, Refused, Unreachable, call, csrfToken } from "./api.js";
import { bodyOf } from "./viewing.js";

const BATCH_SIZE = 40;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
// Dates of answers are of whole seconds, and no request takes longer than this.
const CLOCK_SLACK_MS = 60_000;
// How often a page whose login is over looks whether somebody has logged in elsewhere.
const LOOK_MS = 1_000;
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

export class Outbox extends EventTarget {
  /** `content` is the version of what this page shows; `timeField` holds when a change was made. */
  constructor({ store, content, viewing, clock, timeField }) {
    super();
    Object.assign(this, { store, content, viewing, clock, timeField });
    this.replaced = [];
    this.conflicts = [];
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
    window.addEventListener("pagehide", () => this.settle());
  }

  /** Take up what an earlier visit left unsent; returns those changes.
   *
   * Changes to another version of the content are no changes to this one: they are set aside.
   */
  async start() {
    const left = await this.store.all();
    const isOld = ({ content }) => content !== undefined && content !== this.content;
    this.replaced = left.filter(isOld);
    const current = left.filter((change) => !isOld(change));
    // A text that was still being typed when the page ended gets its number now.
    for (const change of current.filter(({ sequence }) => sequence === null)) {
      Object.assign(change, { client_id: this.clientId, sequence: this.nextSequence() });
      await this.putDown([change]);
    }
    this.pending.unshift(...current);
    if (this.replaced.length) this.dispatchEvent(new CustomEvent("replaced"));
    if (current.length) this.flush();
    else this.setState(this.state);
    return current;
  }

  nextSequence() {
    this.sequence += 1;
    return this.sequence;
  }

  /** What every change says of itself besides what it changes. */
  stamp() {
    this.order += 1;
    return { client_id: this.clientId, order: this.order, content: this.content, [this.timeField]: this.clock.text() };
  }

  async keep(change) {
    this.pending.push(change);
    // The count of what is kept here changes even where the state does not.
    this.setState(WAITING.has(this.state) ? this.state : State.SAVING);
    await this.putDown([change]);
    await this.flush();
  }

  async putDown(changes) {
    try {
      await this.store.put(changes);
    } catch (error) {
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
  }

  async takeAway(changes) {
    try {
      await this.store.remove(changes);
    } catch (error) {
      // They stay in the store and are sent once more, which the server takes as one.
      this.dispatchEvent(new CustomEvent("storefailed", { detail: error }));
    }
  }

  /** Keep a text that is being typed, letter by letter; it is sent when the typing has come to rest. */
  keepDraft(key, draft) {
    this.drafts.set(key, draft);
    if (!WAITING.has(this.state) && this.state !== State.OFFLINE) this.setState(State.SAVING);
    clearTimeout(this.draftTimer);
    this.draftTimer = setTimeout(() => this.settle(), QUIET_MS);
    return this.putDown([draft]);
  }

  /** The typing has come to rest, or the page is left. */
  settle() {
    return this.sendDrafts();
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
        this.retryMs = FIRST_RETRY_MS;
        this.batchSize = BATCH_SIZE;
      }
      this.setState(this.drafts.size ? State.SAVING : State.SAVED);
    } catch (error) {
      await this.meet(error);
    }
  }

  nextBatch() {
    const [first] = this.pending;
    const end = this.pending.findIndex((change) => change.client_id !== first.client_id || this.kindOf(change) !== this.kindOf(first));
    return this.pending.slice(0, Math.min(end < 0 ? this.pending.length : end, this.batchSize));
  }

  /** Post changes together with what was watched before them. */
  async post(url, body) {
    const reports = this.viewing?.take() ?? [];
    const viewing = reports.length ? { reports: reports.map(bodyOf) } : undefined;
    const answer = await call("POST", url, { ...body, viewing });
    if (reports.length) this.viewing.forget(reports);
    return answer;
  }

  async forget(batch, saved) {
    const sequences = new Set(saved);
    const done = batch.filter((change) => sequences.has(change.sequence));
    await this.drop(done);
  }

  async drop(changes) {
    const ids = new Set(changes.map((change) => change.id));
    this.pending = this.pending.filter((change) => !ids.has(change.id));
    await this.takeAway(changes);
  }

  async meet(error) {
    if (error instanceof Unreachable) {
      this.setState(State.OFFLINE);
      this.retryTimer = setTimeout(() => this.flush(), this.retryMs * (0.75 + Math.random() / 2));
      this.retryMs = Math.min(this.retryMs * 2, LONGEST_RETRY_MS);
    } else if (error instanceof LoginExpired) {
      this.setState(State.LOGIN);
      this.waitForLogin();
    } else if (error instanceof Refused) {
      await this.meetRefusal(error);
    } else {
      throw error;
    }
  }

  /** Goes on by itself after a login in another tab, which this page may not be told of otherwise: each renews the cookie. */
  waitForLogin() {
    const before = csrfToken();
    clearInterval(this.loginTimer);
    this.loginTimer = setInterval(() => {
      if (this.state === State.LOGIN && csrfToken() === before) return;
      clearInterval(this.loginTimer);
      if (this.state === State.LOGIN) this.retryNow();
    }, LOOK_MS);
  }

  async meetRefusal(error) {
    const batch = this.nextBatch();
    if (error.status === 409) {
      await this.forget(batch, error.body.saved ?? []);
      await this.meetConflict(error.body);
    } else if (error.status === 404) {
      this.setState(State.FOREIGN);
    } else if (await this.correctTimes(error)) {
      this.retryTimer = setTimeout(() => this.flush());
    } else if (batch.length > 1) {
      // One wrong change must not hold up the others: find it.
      this.batchSize = 1;
      this.retryTimer = setTimeout(() => this.flush());
    } else {
      await this.giveUp(batch[0], error.message);
    }
  }

  async meetConflict(body) {
    if (body.code === "conflict") {
      this.conflicts = this.conflictsOf(body);
      this.setState(State.CONFLICT);
    } else if (body.code === "replaced") {
      this.setState(State.REPLACED);
    } else {
      this.refusal = body;
      this.setState(State.CLOSED);
    }
  }

  /** Go on without a change that the server will never take. */
  async giveUp(change, reason) {
    await this.drop([change]);
    this.dispatchEvent(new CustomEvent("refused", { detail: { change, reason } }));
    this.retryTimer = setTimeout(() => this.flush());
  }

  /** What was made by a clock that runs ahead was made now at the latest; tells whether any was. */
  async correctTimes({ date }) {
    const late = this.pending.filter((change) => Date.parse(change[this.timeField]) > Date.parse(date) + CLOCK_SLACK_MS);
    if (!late.length) return false;
    this.clock.set(date);
    late.forEach((change) => { change[this.timeField] = this.clock.text(); });
    await this.putDown(late);
    return true;
  }

  /** Give up what cannot be saved any more. */
  async discard() {
    await this.drop([...this.pending]);
    this.setState(State.SAVED);
  }

  /** Whether this page is of a version of the content that is no more. */
  get isReplaced() {
    return this.state === State.REPLACED;
  }

  /** What was done to another version of the content, in words, one line each. */
  replacedWords() {
    const changes = this.isReplaced ? [...this.replaced, ...this.pending] : this.replaced;
    return changes.map((change) => change.words);
  }

  /** Leave unsent changes to the store, so that the page can be loaded anew. */
  leave() {
    this.pending = [];
  }

  /** Give up what was done to another version. */
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
