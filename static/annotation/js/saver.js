/** Saves what a rater answers and remarks: an outbox whose changes are ratings. */

import { call } from "./api.js";
import { Outbox, State } from "./outbox.js";
import { REMARKS, keyOf, ratingOf } from "./ratings.js";

/** A conflict about a remark in the shape of one about an answer. */
function conflictOf({ kind, theirs, ...conflict }) {
  if (kind === undefined) return { ...conflict, theirs };
  const { text, revision, written_at } = theirs;
  return { ...conflict, metric: kind, theirs: { value: text, confidence: null, revision, rated_at: written_at } };
}

export class Saver extends Outbox {
  /** `content` is the version of the trace on this page; `describe` puts a change into words. */
  constructor({ urls, store, book, content, describe, viewing, clock }) {
    super({ store, content, viewing, clock, timeField: "rated_at" });
    this.describe = describe;
    this.urls = urls;
    this.book = book;
    this.isLeaving = false;
    window.addEventListener("beforeunload", () => { this.isLeaving = true; });
  }

  /** Keep and send one answer or remark; `baseRevision` is what the rater saw. */
  async add({ event, metric, value, confidence = null, cannot_judge = null, baseRevision }) {
    this.isLeaving = false;
    // What was watched until now was watched before this answer.
    this.viewing?.report();
    const sequence = this.nextSequence();
    await this.keep({
      id: `${this.clientId}:${sequence}`,
      ...this.changeOf({ event, metric, value, confidence, cannot_judge, baseRevision }),
      sequence,
    });
  }

  changeOf({ event, metric, value, confidence, cannot_judge, baseRevision }) {
    return {
      ...this.stamp(),
      words: this.describe({ event, metric, value, confidence, cannot_judge }),
      event,
      metric,
      value,
      confidence,
      cannot_judge,
      base_revision: baseRevision,
    };
  }

  /** Keep a text that is being typed, letter by letter; it is sent when the typing has come to rest. */
  draft({ event, metric, value, baseRevision }) {
    const key = keyOf(event, metric);
    const before = this.drafts.get(key);
    return this.keepDraft(key, {
      ...this.changeOf({ event, metric, value, confidence: null, cannot_judge: null, baseRevision }),
      id: before?.id ?? `${this.clientId}:text:${crypto.randomUUID()}`,
      base_revision: before?.base_revision ?? baseRevision,
      sequence: null,
    });
  }

  kindOf({ metric }) {
    return metric in REMARKS ? "remark" : "answer";
  }

  async sendBatch(batch) {
    const { client_id, content } = batch[0];
    if (this.kindOf(batch[0]) === "remark") {
      const remarks = batch.map(({ sequence, event, metric, value, base_revision, rated_at }) => (
        { sequence, event, kind: metric, text: value ?? "", base_revision, written_at: rated_at }
      ));
      const answer = await call("POST", this.urls.remarks, { client_id, content, remarks });
      await this.forget(batch, answer.saved);
      await this.takeOver(answer.remarks.map(ratingOf));
      return;
    }
    const changes = batch.map(({ sequence, event, metric, value, confidence, cannot_judge, base_revision, rated_at }) => (
      { sequence, event, metric, value, confidence, cannot_judge, base_revision, rated_at }
    ));
    const answer = await this.post(this.urls.changes, { client_id, content, changes });
    await this.forget(batch, answer.saved);
    await this.takeOver(answer.ratings);
  }

  /** A page that is loaded while the last answers are on the way may have been made before they
   * arrived: it finds them in the store, sends them once more, which counts once, and shows them.
   */
  async forget(batch, saved) {
    if (!this.isLeaving) return super.forget(batch, saved);
    this.pending = this.pending.filter((change) => !batch.includes(change) || !saved.includes(change.sequence));
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
    await this.putDown(changes);
  }

  /** What the rater has given for a key and the server has not got yet. */
  later(key) {
    return [...this.pending, ...this.drafts.values()].filter((change) => keyOf(change.event, change.metric) === key);
  }

  conflictsOf({ conflicts }) {
    return conflicts.map(conflictOf);
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
}
