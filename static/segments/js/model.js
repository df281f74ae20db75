/** Segments and segmentations, and how a gesture changes them: whole or not at all.
 *
 * The twin of segments/engine/model.py: Python is the judge, this answers at once, and
 * tests/segments/cases.json holds what both of them make of the same gestures.
 *
 * A segment is a frozen object {key, track, start_s, end_s, step_id, label, text, parent_key, note,
 * is_flagged, is_proposal, is_deleted, revision}, [start_s, end_s) in seconds from the first frame;
 * without times it lasts as long as its parent, and without a parent its step is said to be missing.
 * A gesture is {name, changes: [{before, after}], raw_time_s}; `before` is null for a new segment.
 */

const EMPTY = Object.freeze({
  track: "", start_s: null, end_s: null, step_id: "", label: "", text: "", parent_key: "", note: "",
  is_flagged: false, is_proposal: false, is_deleted: false,
});
export const CONTENT = Object.freeze(Object.keys(EMPTY));
const TEXTS = ["track", "step_id", "label", "text", "parent_key", "note"];
const FLAGS = ["is_flagged", "is_proposal", "is_deleted"];
const MAX_TEXT = 10_000;
const UNDO = "undo of ";

/** A gesture that cannot be done: `message` is the engine's, `words` are those for a person. */
export class GestureError extends Error {
  constructor(message, words = message) {
    super(message);
    this.words = words;
  }
}

/** The segments have changed since the gesture was made; `theirs` are its segments as they are now. */
export class ConflictError extends GestureError {
  constructor(gesture, theirs) {
    super(`${gesture.name}: changed meanwhile: ${theirs.map(({ key }) => key).join(", ")}`,
      "This segment has just been changed in another tab: look at it again.");
    this.gesture = gesture;
    this.mine = gesture.changes.map(({ after }) => after);
    this.theirs = theirs;
  }
}

export function segment(key, content) {
  return Object.freeze({ key, ...EMPTY, revision: 1, ...content });
}

/** The change of a segment that gives it other content. */
export function changed(before, content) {
  return { before, after: Object.freeze({ ...before, ...content, revision: before.revision + 1 }) };
}

export function isMissing({ start_s: startS, parent_key: parentKey }) {
  return startS === null && !parentKey;
}

/** Whether two segments say the same, whatever their revisions; null is like nothing but null. */
export function isSame(first, second) {
  if (!first || !second) return first === second;
  return CONTENT.every((name) => first[name] === second[name]);
}

export function keysOf({ changes }) {
  return changes.map(({ after }) => after.key);
}

/** Segments from the table of an answer: {columns, rows}. */
export function fromTable({ columns, rows }) {
  // Ten thousand times: much faster than a list of names and values for each.
  const names = ["key", ...CONTENT, "revision"];
  const places = names.map((name) => columns.indexOf(name));
  const missing = { ...EMPTY, key: null, revision: 1 };
  return rows.map((row) => {
    const made = {};
    for (let at = 0; at < names.length; at += 1) made[names[at]] = places[at] < 0 ? missing[names[at]] : row[places[at]];
    return Object.freeze(made);
  });
}

/** All segments of a recording by their keys, deleted ones included; never altered.
 *
 * `durationS` and `rate` are null where the recording's are unknown; `head` counts the gestures.
 */
export class Segmentation {
  constructor(segments = new Map(), { durationS = null, rate = null, head = 0 } = {}) {
    Object.assign(this, { segments, durationS, rate, head });
  }

  with(segments, head = this.head) {
    return new Segmentation(segments, { durationS: this.durationS, rate: this.rate, head });
  }

  /** The segments that are there, by time; those without times come last. */
  get there() {
    this.sorted ??= [...this.segments.values()].filter((item) => !item.is_deleted).sort(inTime);
    return this.sorted;
  }

  /** One segment; throws where there is none, or it is deleted. */
  segment(key) {
    const found = this.segments.get(key);
    if (found && !found.is_deleted) return found;
    throw new GestureError(`segment '${key}' is not there`, "This segment is not there any more.");
  }

  /** The segments of a track that have times, by time. */
  timed(track) {
    this.lanes ??= new Map();
    if (!this.lanes.has(track)) {
      this.lanes.set(track, this.there.filter((item) => item.track === track && item.start_s !== null));
    }
    return this.lanes.get(track);
  }

  children(key) {
    return this.there.filter((item) => item.parent_key === key);
  }

  /** The segmentation after a gesture; throws `ConflictError` or `GestureError`, and nothing of it is done. */
  apply(gesture) {
    requireValid(gesture);
    const keys = keysOf(gesture);
    if (!keys.length || new Set(keys).size < keys.length) {
      const list = [...new Set(keys)].sort().map(shown).join(", ");
      throw new GestureError(`${gesture.name} changes [${list}]; expected each segment once`);
    }
    const isStale = ({ before, after: { key } }) => {
      const now = this.segments.get(key) ?? null;
      return !isSame(now, before) || now?.revision !== before?.revision;
    };
    const stale = gesture.changes.filter(isStale).map(({ after }) => this.segments.get(after.key));
    if (stale.length) throw new ConflictError(gesture, stale.filter(Boolean));
    const segments = new Map(this.segments);
    for (const { after } of gesture.changes) segments.set(after.key, after);
    return this.with(segments, this.head + 1);
  }
}

/** Throw where a gesture sets an impossible value. */
export function requireValid({ name, changes }) {
  for (const { before, after } of changes) {
    const fault = faultOfPlace(before, after) ?? faultOfContent(after) ?? faultOfTimes(after);
    if (!fault) continue;
    const [field, expected] = fault;
    throw new GestureError(`${name}, ${after.key}: ${field} is ${shown(after[field])}; expected ${expected}`);
  }
}

function inTime(first, second) {
  return (first.start_s === null) - (second.start_s === null)
    || (first.start_s ?? 0) - (second.start_s ?? 0)
    || (first.end_s ?? 0) - (second.end_s ?? 0)
    || (first.key < second.key ? -1 : 1);
}

/** The gesture that takes this one back; its own inverse does this one again.
 *
 * A segment that this one added is marked as deleted, because keys are never used again.
 */
export function inverse({ name, changes }) {
  const undone = changes.map(({ before, after }) => {
    const back = before ?? { ...after, is_deleted: true };
    return { before: after, after: Object.freeze({ ...back, revision: after.revision + 1 }) };
  });
  const words = name.startsWith(UNDO) ? name.slice(UNDO.length) : `${UNDO}${name}`;
  return { name: words, changes: undone.reverse(), raw_time_s: null };
}

/** The gesture on the segments as they are now, where they still say what it was made of.
 *
 * Undo and typing move revisions on and leave the same words and times: that is no conflict.
 */
export function renewed(state, gesture) {
  const changes = gesture.changes.map(({ before, after }) => {
    const now = state.segments.get(after.key) ?? null;
    if (!now || !isSame(now, before)) return { before, after };
    return { before: now, after: Object.freeze({ ...after, revision: now.revision + 1 }) };
  });
  return { ...gesture, changes };
}

/** A gesture as it is sent: of each segment only what changes. */
export function toWire({ name, changes, raw_time_s: rawTimeS }) {
  const sent = changes.map(({ before, after }) => {
    const base = before ?? EMPTY;
    const values = Object.fromEntries(CONTENT.filter((field) => base[field] !== after[field]).map((field) => [field, after[field]]));
    const place = { key: after.key, base_revision: before?.revision ?? 0 };
    if (!before) return { ...place, insert: values };
    const isDeletion = Object.keys(values).length === 1 && values.is_deleted === true;
    return isDeletion ? { ...place, delete: true } : { ...place, set: values };
  });
  return rawTimeS === null || rawTimeS === undefined ? { name, changes: sent } : { name, raw_time_s: rawTimeS, changes: sent };
}

/** A gesture of what was sent, on the segments as they are.
 *
 * Its segments get the revisions that the server gives them, which may be there already.
 */
export function fromWire(state, { name, changes, raw_time_s: rawTimeS = null }) {
  const made = changes.map(({ key, base_revision: base, insert, set, delete: isDeletion }) => {
    const before = state.segments.get(key) ?? null;
    const values = insert ?? (isDeletion ? { is_deleted: true } : set);
    return { before, after: segment(key, { ...before, ...values, revision: base + 1 }) };
  });
  return { name, changes: made, raw_time_s: rawTimeS };
}

function faultOfContent(after) {
  for (const name of TEXTS) {
    const value = after[name];
    if (typeof value !== "string" || value.includes("\0") || [...value].length > MAX_TEXT) return [name, `text of at most ${MAX_TEXT} letters`];
  }
  const flag = FLAGS.find((name) => typeof after[name] !== "boolean");
  return flag ? [flag, "true or false"] : null;
}

function faultOfTimes({ start_s: startS, end_s: endS }) {
  if (startS === null && endS === null) return null;
  for (const [name, value] of [["start_s", startS], ["end_s", endS]]) {
    if (!Number.isFinite(value) || value < 0) return [name, "a time of 0 seconds or later, or none for both"];
  }
  return endS < startS ? ["end_s", `a time not before the start, ${shown(startS)}`] : null;
}

function faultOfPlace(before, after) {
  if (before && before.track !== after.track) return ["track", `${shown(before.track)} as before`];
  return after.revision === (before?.revision ?? 0) + 1 ? null : ["revision", "the next one"];
}

/** A value as the engine's messages write it: seconds always with a decimal. */
export function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? `${value}.0` : String(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : `'${value.replaceAll("\0", "\\x00")}'`;
}
