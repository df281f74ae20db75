/** Saves gestures and checks: an outbox whose changes come from the book of segments.
 *
 *   const outbox = createSegmentOutbox(data, book, { store, clock, viewing })
 *   await outbox.start()                takes up what an earlier visit left unsent; before the page is shown
 *   outbox.state, events "state", "storefailed", "refused", "replaced"    as those of the audit page
 *   outbox.conflicts                    in State.CONFLICT: [{name, mine, theirs, laterCount}], to be settled by
 *   outbox.resolve(keepsMine)           true: as on this page; false: as it is saved, and what was built on it goes
 *   outbox.flush(), outbox.pending      before submitting: nothing may be left
 *   outbox.carryOver()                  when the recording was replaced: segments go along by their steps
 *   outbox.asFile()                     everything as text, for work that cannot be saved any more
 *
 * A gesture is refused whole. `mine` are the segments as this page's gesture leaves them, `theirs` what
 * they are on the server; `laterCount` gestures were built on this one and would go with it.
 */

import { call } from "../../annotation/js/api.js";
import { Outbox, State } from "../../annotation/js/outbox.js";
import { recall, remember } from "../../annotation/js/tab_memory.js";
import { fromTable, segment, toWire } from "./model.js";

const TYPING = "typing";
// Of a gesture on many segments the words name no more.
const MOST_TOLD = 3;
// Other tabs of this browser look once for several saves in a row.
const LOOK_AFTER_MS = 300;

export function createSegmentOutbox(data, book, { store, clock, viewing }) {
  return new SegmentOutbox(data, book, { store, clock, viewing });
}

class SegmentOutbox extends Outbox {
  constructor({ urls, content, title, account }, book, { store, clock, viewing }) {
    super({ store, content, viewing, clock, timeField: "made_at" });
    Object.assign(this, { urls, book, title });
    this.headName = `piev:head:${account}:${urls.self}`;
    this.tabs = new BroadcastChannel(`piev:${account}:${urls.self}`);
    this.tabs.addEventListener("message", () => this.lookSoon());
    book.on("gesture", (entry) => (entry.isTyped ? this.sendDrafts() : this.add(this.ofGesture(entry))));
    book.on("draft", (entry) => this.keepDraft(TYPING, { ...this.stamp(), ...this.ofGesture(entry), sequence: null }));
    book.on("untyped", ({ id }) => this.dropDraft(id));
    book.on("check", ({ id, check }) => {
      // What was written before goes out before.
      this.settle();
      this.add({ id, ...this.ofCheck(check) });
    });
    book.on("note", (check) => {
      const name = `${check.key}:${check.question}`;
      const id = this.drafts.get(name)?.id ?? crypto.randomUUID();
      this.keepDraft(name, { ...this.stamp(), id, ...this.ofCheck(check), sequence: null });
    });
    book.on("rested", () => this.settle());
  }

  ofCheck(check) {
    return { check, words: `${check.question}: ${check.answer ? "yes" : "no"}${check.note && `, “${check.note}”`}` };
  }

  ofGesture({ id, gesture }) {
    const told = gesture.changes.slice(0, MOST_TOLD).map(({ after }) => this.book.describe(after));
    const more = gesture.changes.length - told.length;
    return { id, words: `${gesture.name}: ${told.join(" | ")}${more ? ` | and ${more} more` : ""}`, gesture: toWire(gesture) };
  }

  async start() {
    // A page that is loaded while its last gesture is on the way may have been made before it arrived.
    if (Number(recall(this.headName)) > this.book.saved.head) await this.refresh().catch(() => {});
    const left = await super.start();
    this.hasLeft = left.length > 0;
    for (const { id, gesture, check } of left) {
      if (gesture) this.book.takeUp(id, gesture);
      else this.book.storeChecks([check]);
    }
    return left;
  }

  /** Keep and send a gesture or a check. */
  async add(what) {
    // What was watched until now was watched before this.
    this.viewing?.report();
    await this.keep({ ...this.stamp(), ...what, sequence: this.nextSequence() });
  }

  /** A text that was typed becomes a gesture, whose words go out with the notes that were typed. */
  settle() {
    this.book.settle();
    return this.drafts.size ? this.sendDrafts() : undefined;
  }

  async dropDraft(id) {
    this.drafts.delete(TYPING);
    if (!this.drafts.size) clearTimeout(this.draftTimer);
    if (!this.pending.length && !this.drafts.size && this.state === State.SAVING) this.setState(State.SAVED);
    await this.takeAway([{ id }]);
  }

  kindOf({ check }) {
    return check ? "check" : "gesture";
  }

  async sendBatch(batch) {
    const { client_id, content } = batch[0];
    if (batch[0].check) {
      const checks = batch.map(({ sequence, check, made_at }) => ({ sequence, ...check, made_at }));
      const answer = await this.post(this.urls.checks, { client_id, content, checks });
      await this.forget(batch, answer.saved);
      this.tabs.postMessage("saved");
      this.book.takeOver({ checks: answer.checks.filter((check) => !this.isAsked(check)) });
      return;
    }
    const gestures = batch.map(({ sequence, gesture, made_at }) => ({ sequence, ...gesture, made_at }));
    const answer = await this.post(this.urls.gestures, { client_id, content, gestures });
    remember(this.headName, answer.head);
    const knownHead = this.book.saved.head + answer.saved.length;
    await this.forget(batch, answer.saved);
    this.tabs.postMessage("saved");
    this.book.takeOver({ items: fromTable(answer.segments) });
    // Another tab has done something in between, or may have done before this page was opened.
    if (answer.head !== knownHead || this.hasLeft) await this.refresh();
  }

  /** Another tab has saved something; who saves here meanwhile is told by the answer. */
  lookSoon() {
    clearTimeout(this.lookTimer);
    this.lookTimer = setTimeout(() => this.look(), LOOK_AFTER_MS);
  }

  /** Nothing is sent meanwhile: what is read before a save must not be taken over after it. */
  look() {
    if (this.pending.length || this.sending) return;
    // Away from the network or logged out the next save tells.
    this.sending = this.refresh().catch(() => {}).then(() => {
      this.sending = null;
      return this.pending.length ? this.flush() : undefined;
    });
  }

  /** Take over everything that is saved by now. */
  async refresh() {
    const { segments, checks, head } = await call("GET", this.urls.self);
    this.hasLeft = false;
    this.book.takeOver({ items: fromTable(segments), head, checks: checks.filter((check) => !this.isAsked(check)) });
  }

  /** Whether another answer to a question waits to be sent. */
  isAsked({ key, question }) {
    const unsent = [...this.pending, ...this.drafts.values()];
    return unsent.some(({ check }) => check?.key === key && check.question === question);
  }

  async forget(batch, saved) {
    const done = batch.filter(({ gesture, sequence }) => gesture && saved.includes(sequence));
    this.book.takeOver({ saved: done.map(({ id }) => id), head: this.book.saved.head + done.length });
    await super.forget(batch, saved);
  }

  /** What is given up is no longer shown. */
  async drop(changes) {
    this.book.replaceWaiting(changes.map(({ id }) => [id, null]));
    await super.drop(changes);
  }

  async giveUp(change, reason) {
    const [, ...later] = this.builtOn(change);
    await this.drop(later);
    await super.giveUp(change, reason);
  }

  async meetConflict(body) {
    const change = this.pending.find(({ sequence }) => sequence === body.sequence) ?? this.pending[0];
    if (body.code === "conflict" && change.check) {
      this.book.takeOver({ items: body.theirs.map(read) });
      await this.giveUp(change, "the segment has been changed in another tab");
    } else if (body.code === "locked" && body.sequence !== undefined) {
      await this.giveUp(change, body.detail);
    } else {
      await super.meetConflict(body);
    }
  }

  conflictsOf({ sequence, theirs }) {
    const change = this.pending.find((item) => item.sequence === sequence) ?? this.pending[0];
    const { name, changes } = this.book.waiting.get(change.id);
    const keys = new Set(theirs.map(({ key }) => key));
    const mine = changes.map(({ after }) => after).filter(({ key }) => keys.has(key));
    return [{ change, name, mine, theirs: theirs.map(read), laterCount: this.builtOn(change).length - 1 }];
  }

  /** Settle the conflict: the segments become as this page has them, or as they are saved. */
  async resolve(keepsMine) {
    this.book.settle();
    const [{ change, theirs }] = this.conflicts;
    this.conflicts = [];
    this.book.takeOver({ items: theirs });
    if (keepsMine) await this.rebase(change, theirs);
    else await this.drop(this.builtOn(change));
    this.setState(State.SAVING);
    await this.flush();
  }

  /** A change and those after it that need what it made, each with its segments. */
  builtOn(change) {
    const keys = new Set();
    const needs = ({ gesture, check }) => (check ? keys.has(check.key)
      : gesture.changes.some(({ key, set, insert }) => keys.has(key) || keys.has((set ?? insert)?.parent_key)));
    return this.pending.slice(this.pending.indexOf(change)).filter((item) => {
      if (item !== change && !needs(item)) return false;
      item.gesture?.changes.forEach(({ key }) => keys.add(key));
      return true;
    });
  }

  /** Put a gesture, and what was built on it, on the segments as they are saved now. */
  async rebase(change, theirs) {
    const now = new Map(theirs.map((item) => [item.key, item]));
    const others = [];
    for (const item of this.builtOn(change)) {
      if (item.check) {
        item.check = { ...item.check, segment_revision: now.get(item.check.key)?.revision ?? item.check.segment_revision };
        continue;
      }
      const waiting = this.book.waiting.get(item.id);
      const changes = waiting.changes.map(({ before, after }) => {
        const base = now.get(after.key);
        if (!base) return { before, after };
        const moved = segment(after.key, { ...after, revision: base.revision + 1 });
        now.set(after.key, moved);
        return { before: base, after: moved };
      });
      others.push([item.id, { ...waiting, changes }]);
      item.gesture = toWire({ ...waiting, changes });
    }
    this.book.replaceWaiting(others);
    await this.putDown(this.builtOn(change));
  }

  /** Go on with another version of the recording; what is not sent yet is sent to that one after a reload. */
  async carryOver() {
    this.book.settle();
    await call("POST", this.urls["carry-over"]);
    const left = [...this.replaced, ...this.pending];
    left.forEach((change) => { change.content = undefined; });
    await this.putDown(left);
    this.leave();
  }

  /** Everything as it is on this page, as text: for work that cannot be saved any more. */
  asFile() {
    const unsaved = [...this.replaced, ...this.pending].filter(({ gesture }) => gesture).map(({ words, made_at, gesture }) => ({ words, made_at, ...gesture }));
    return `${JSON.stringify({ recording: this.title, segments: this.book.segments(), unsaved }, null, 1)}\n`;
  }
}

function read(item) {
  return segment(item.key, item);
}
