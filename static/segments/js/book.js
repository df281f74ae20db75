/** All segments of one recording as the page knows them, with the answers to questions about them.
 *
 * The server decides; this copy follows the same rules so that the page answers at once, and takes
 * over whatever the server says afterwards. Over what is saved lie the gestures that the server has
 * not got yet, oldest first, and on top of those a text that is being typed.
 *
 *   const book = createBook(data)       data: that of GET api/v1/segmentations/<id>/
 *   book.do(gesture)                    show it at once and give it to the outbox and the undo stack
 *   book.type(gesture)                  the same for a text, letter by letter: one gesture per pause;
 *   book.settle(), book.untype()        … or when the field is left; … or none, when it is given up
 *   book.segments(), book.get(key), book.state      what is there now (model.js)
 *   book.faults()                       what is wrong with it (faults.js)
 *   book.check({key, question, answer, note}), book.answer(key, question)
 *   book.on("change", (keys) => …)      segments came, went or changed; returns what ends listening
 *   book.on("checks", () => …)          answers were given or taken over
 */

import { Fault, faults } from "./faults.js";
import { GestureError, Segmentation, fromTable, fromWire, isSame, keysOf, renewed, requireValid } from "./model.js";

// Where edges are locked nobody can mend these.
const OF_EDGES = new Set([Fault.GAP, Fault.OVERLAP, Fault.TOO_SHORT, Fault.NOT_A_POINT, Fault.BEYOND_THE_END]);

export function createBook(data) {
  return new SegmentBook(data);
}

class SegmentBook {
  constructor(data) {
    this.scheme = data.scheme;
    this.stage = data.stage;
    this.steps = new Map(data.procedure.map((step) => [step.step_id, step]));
    // The page turns this off when the work can no longer be saved.
    this.canEdit = data.can_edit;
    this.hasLockedEdges = data.has_locked_edges;
    const there = new Map(fromTable(data.segments).map((item) => [item.key, item]));
    this.saved = new Segmentation(there, { durationS: data.duration_s, rate: data.rate, head: data.head });
    this.state = this.saved;
    // Gestures that the server has not got yet, by the id of their change.
    this.waiting = new Map();
    this.typing = null;
    this.checks = new Map();
    this.listeners = new Map();
    this.storeChecks(data.checks);
  }

  /** Listen to "change", "checks", and for outbox and undo stack to "gesture", "draft", "untyped", "check", "note", "rested". */
  on(name, run) {
    const those = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, those.add(run));
    return () => those.delete(run);
  }

  tell(name, detail) {
    for (const run of this.listeners.get(name) ?? []) run(detail);
  }

  segments() {
    return this.state.there;
  }

  /** One segment, deleted or not, or null. */
  get(key) {
    return this.state.segments.get(key) ?? null;
  }

  newKey() {
    return crypto.randomUUID().slice(-12);
  }

  /** What stops submitting; where edges are locked nothing that their times are to blame for. */
  faults() {
    if (this.faultsOf !== this.state) {
      const found = this.stage === "audit" ? [] : faults(this.state, this.scheme, [...this.steps.keys()]);
      this.found = this.hasLockedEdges ? found.filter(({ kind }) => !OF_EDGES.has(kind)) : found;
      this.faultsOf = this.state;
    }
    return this.found;
  }

  /** Show a gesture and send it; `how` is "own", "undo" or "redo".
   *
   * Throws `GestureError` where it cannot be, `ConflictError` where its segments say something else now.
   */
  do(gesture, how = "own") {
    this.settle();
    this.refuseLocked(gesture);
    const done = renewed(this.state, gesture);
    this.state = this.state.apply(done);
    const entry = { id: crypto.randomUUID(), gesture: done, how };
    this.waiting.set(entry.id, done);
    this.tell("gesture", entry);
    this.tell("change", keysOf(done));
  }

  /** Show a text that is being typed: one gesture from its first letter until `settle`. */
  type(gesture) {
    this.refuseLocked(gesture);
    const keys = keysOf(gesture).join();
    if (this.typing && keysOf(this.typing.gesture).join() !== keys) this.settle();
    const begun = this.typing?.gesture.changes ?? renewed(this.state, gesture).changes;
    const changes = gesture.changes.map(({ after }, at) => {
      const { before } = begun[at];
      return { before, after: Object.freeze({ ...after, revision: (before?.revision ?? 0) + 1 }) };
    });
    requireValid({ ...gesture, changes });
    this.typing = { id: this.typing?.id ?? crypto.randomUUID(), gesture: { ...gesture, changes }, how: "own" };
    this.rebuild(keysOf(gesture));
    this.tell("draft", this.typing);
  }

  /** A pause, or the field was left: what was typed becomes a gesture. */
  settle() {
    if (!this.typing) return;
    if (this.typing.gesture.changes.every(({ before, after }) => isSame(before, after))) {
      this.untype();
      return;
    }
    const typed = this.typing;
    this.typing = null;
    this.waiting.set(typed.id, typed.gesture);
    this.tell("gesture", { ...typed, isTyped: true });
  }

  /** What was typed since the last pause is given up. */
  untype() {
    if (!this.typing) return;
    const typed = this.typing;
    this.typing = null;
    this.rebuild(keysOf(typed.gesture));
    this.tell("untyped", typed);
  }

  refuseLocked({ changes }) {
    if (!this.canEdit) throw new GestureError("the segmentation is not open", "These segments cannot be changed now.");
    if (this.stage === "audit") throw new GestureError("an audit changes no segment", "In an audit segments are judged, not changed.");
    // What has no times of its own may come and go.
    const times = (item) => (!item || item.is_deleted ? "" : `${item.start_s} ${item.end_s}`).replace("null null", "");
    if (this.hasLockedEdges && changes.some(({ before, after }) => times(before) !== times(after))) {
      throw new GestureError("edges are locked", "Times are fixed in this round: only labels and texts change.");
    }
  }

  /** Take up what an earlier visit left unsent; `gesture` as it is sent. */
  takeUp(id, gesture) {
    const left = fromWire(this.state, gesture);
    this.waiting.set(id, left);
    this.rebuild(keysOf(left));
  }

  /** Take over what the server has: `items` are segments, `saved` the ids of gestures that need not wait any longer. */
  takeOver({ items = [], checks = [], saved = [], head = this.saved.head }) {
    const there = new Map(this.saved.segments);
    const keys = new Set();
    const known = saved.flatMap((id) => this.waiting.get(id)?.changes ?? []).map(({ after }) => after);
    for (const item of [...known, ...items]) {
      if ((there.get(item.key)?.revision ?? 0) >= item.revision) continue;
      there.set(item.key, item);
      keys.add(item.key);
    }
    for (const id of saved) this.waiting.delete(id);
    this.saved = this.saved.with(there, head);
    this.storeChecks(checks);
    this.rebuild([...keys]);
  }

  /** Put other gestures in the place of waiting ones, by id; null gives one up. */
  replaceWaiting(others) {
    const keys = new Set();
    for (const [id, gesture] of others) {
      for (const key of keysOf(gesture ?? this.waiting.get(id) ?? { changes: [] })) keys.add(key);
      if (gesture) this.waiting.set(id, gesture);
      else this.waiting.delete(id);
    }
    this.rebuild([...keys]);
  }

  /** What is shown is what is saved, and over it what is not. */
  rebuild(keys) {
    const before = this.state;
    const segments = new Map(this.saved.segments);
    for (const { changes } of [...this.waiting.values(), ...(this.typing ? [this.typing.gesture] : [])]) {
      for (const { after } of changes) if (after.revision > (segments.get(after.key)?.revision ?? 0)) segments.set(after.key, after);
    }
    this.state = this.saved.with(segments, this.saved.head + this.waiting.size);
    const changed = keys.filter((key) => before.segments.get(key) !== segments.get(key));
    if (changed.length) this.tell("change", changed);
  }

  /** Answer a question about a segment as it is now: `answer` is true for yes. */
  check({ key, question, answer, note = "" }) {
    const check = { key, segment_revision: this.state.segments.get(key).revision, question, answer, note };
    this.storeChecks([check]);
    this.tell("check", { id: crypto.randomUUID(), check });
  }

  /** Show the note on an answer of no while it is being typed: one change from its first letter until it rests. */
  typeNote({ key, question, note }) {
    const check = { key, segment_revision: this.state.segments.get(key).revision, question, answer: false, note };
    this.storeChecks([check]);
    this.tell("note", check);
  }

  /** A pause, or the field was left. */
  restNotes() {
    this.tell("rested");
  }

  storeChecks(checks) {
    for (const check of checks) this.checks.set(`${check.key}:${check.question}`, check);
    if (checks.length) this.tell("checks");
  }

  /** The answer that counts: {answer, note, ...} about the segment as it is now, or null. */
  answer(key, question) {
    const check = this.checks.get(`${key}:${question}`);
    return check && check.segment_revision === this.get(key)?.revision ? check : null;
  }

  /** A segment in words, for reading and copying. */
  describe({ track, start_s: startS, end_s: endS, step_id: stepId, label, text }) {
    const what = [this.steps.get(stepId)?.text ?? stepId, label, text].filter(Boolean).join("; ");
    const when = startS === null ? "no times" : `${startS} to ${endS} s`;
    return `${track}, ${when}: ${what || "no label"}`;
  }
}
