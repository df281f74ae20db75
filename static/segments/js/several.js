/** Several segments chosen at once: relabelled, moved, accepted or deleted as one gesture. */

import { hands } from "./gestures.js";
import { GestureError, changed } from "./model.js";
import { clockText } from "./time_scale.js";
import { rounded } from "./snapping.js";

export class Several {
  /** The keys of what is chosen beside the selected segment. */
  constructor(editor) {
    this.editor = editor;
    this.others = new Set();
    // Goes on whenever something else is chosen.
    this.version = 0;
  }

  /** Everything that is chosen, by time; none where no more than one is. */
  get items() {
    if (!this.others.size) return [];
    const { editor } = this;
    return editor.segmentsOf(editor.trackName).filter(({ key }) => this.has(key));
  }

  get isOn() {
    return this.items.length > 1;
  }

  has(key) {
    return this.others.has(key) || (this.others.size > 0 && key === this.editor.selectedKey);
  }

  clear() {
    if (!this.others.size) return;
    this.others = new Set();
    this.version += 1;
  }

  /** Choose one more, or leave it out again; the first one chosen stays at hand. */
  toggle(key) {
    const { editor } = this;
    const item = editor.state.segments.get(key);
    if (!editor.selected || item?.track !== editor.trackName) {
      editor.select(key, { isGoing: false });
      return;
    }
    if (key === editor.selectedKey) {
      const [next = null] = this.others;
      this.others.delete(next);
      editor.selectedKey = next;
    } else if (!this.others.delete(key)) {
      this.others.add(key);
    }
    this.tell();
  }

  /** Choose all from the selected one to this one. */
  extendTo(key) {
    const { editor } = this;
    const items = editor.listed;
    const [from, to] = [editor.selectedKey, key].map((wanted) => items.findIndex((item) => item.key === wanted));
    if (from < 0 || to < 0) {
      editor.select(key, { isGoing: false });
      return;
    }
    this.others = new Set(items.slice(Math.min(from, to), Math.max(from, to) + 1).map((item) => item.key));
    this.others.delete(editor.selectedKey);
    this.tell();
  }

  /** One more after or before those that are chosen in a row. */
  extend(step) {
    const { editor } = this;
    const items = editor.listed;
    const places = items.flatMap(({ key }, at) => (key === editor.selectedKey || this.others.has(key) ? [at] : []));
    if (!places.length) {
      editor.selectNext(step);
      return;
    }
    const at = items.findIndex(({ key }) => key === editor.selectedKey);
    const isGrowing = step > 0 ? places[0] === at : places.at(-1) === at;
    const reached = isGrowing ? (step > 0 ? places.at(-1) : places[0]) + step : (step > 0 ? places[0] : places.at(-1)) + step;
    if (items[reached]) this.extendTo(items[reached].key);
  }

  all() {
    const { editor } = this;
    const keys = editor.listed.map(({ key }) => key);
    if (!keys.length) return;
    if (!keys.includes(editor.selectedKey)) [editor.selectedKey] = keys;
    this.others = new Set(keys.filter((key) => key !== editor.selectedKey));
    this.tell();
  }

  tell() {
    const { editor } = this;
    this.version += 1;
    editor.settle();
    editor.held = null;
    editor.dispatchEvent(new CustomEvent("select"));
    editor.changed();
    editor.say(this.isOn ? `${this.items.length} segments are chosen.` : "", "");
  }

  // Acts

  label(content) {
    const items = this.items.filter((item) => Object.keys(content).some((field) => item[field] !== content[field]) || item.is_proposal);
    return this.perform(`label ${counted(items)}`, items.map(({ key }) => (how) => how.label(key, content)));
  }

  accept() {
    const keys = this.items.filter((item) => item.is_proposal).map(({ key }) => key);
    return this.editor.accept(keys);
  }

  remove() {
    const { editor } = this;
    const { items } = this;
    if (items.some(({ start_s: startS }) => startS !== null) && !editor.mayMove()) return;
    this.perform(`delete ${counted(items)}`, items.map(({ key }) => (how, state) => (state.segments.get(key).is_deleted ? null : how.delete(key))));
    this.clear();
  }

  /** Move all by whole frames; refused, not cut short, where one would lie on another or leave the recording. */
  move(byS) {
    const { editor } = this;
    if (!editor.mayMove()) return null;
    const { rate, durationS } = editor.book.state;
    const moveS = rate ? Math.round(byS * rate) / rate : rounded(byS);
    const items = this.items.filter(({ start_s: startS }) => startS !== null);
    return editor.perform(() => {
      const after = items.map((item) => changed(item, { start_s: rounded(item.start_s + moveS), end_s: rounded(item.end_s + moveS) }));
      requireRoom(editor, after, durationS);
      if (!moveS || !after.length) throw new GestureError("nothing is moved", `By ${byS} s nothing moves; expected a frame at least.`);
      return { name: `move ${counted(items)} by ${moveS > 0 ? "+" : ""}${Number(moveS.toPrecision(6))} s`, raw_time_s: null, changes: after };
    });
  }

  perform(name, acts) {
    const { editor } = this;
    return editor.perform((how) => together(editor.book, how.settings, name, acts));
  }
}

function requireRoom(editor, changes, durationS) {
  const moved = new Map(changes.map(({ after }) => [after.key, after]));
  const first = Math.min(...changes.map(({ after }) => after.start_s));
  const last = Math.max(...changes.map(({ after }) => after.end_s));
  if (first < 0) throw new GestureError("before the start", `No room: the first would start ${(-first).toFixed(2)} s before the recording.`);
  if (durationS !== null && last > durationS) {
    throw new GestureError("beyond the end", `No room: the last would end at ${clockText(last, 3)}, and the recording ends at ${clockText(durationS, 3)}.`);
  }
  if (editor.track.geometry === "free") return;
  const others = editor.state.timed(editor.trackName).filter(({ key }) => !moved.has(key));
  for (const { after } of changes) {
    const met = others.find((other) => other.start_s < after.end_s && after.start_s < other.end_s);
    if (met) throw new GestureError("overlap", `No room: the one that would start at ${clockText(after.start_s, 3)} meets the one at ${clockText(met.start_s, 3)}.`);
  }
}

/** One gesture of several done one after the other: what was there before the first, what is there after the last. */
function together(book, settings, name, acts) {
  const first = new Map();
  const step = { scheme: book.scheme, startsS: book.startsS, newKey: () => book.newKey(), state: book.state };
  const how = hands(step, settings);
  for (const act of acts) {
    const gesture = act(how, step.state);
    if (!gesture) continue;
    for (const { before, after } of gesture.changes) if (!first.has(after.key)) first.set(after.key, before);
    step.state = step.state.apply(gesture);
  }
  if (!first.size) throw new GestureError(`${name} changes nothing`, "Nothing changes: it is so already.");
  const changes = [...first].map(([key, before]) => (
    { before, after: Object.freeze({ ...step.state.segments.get(key), revision: (before?.revision ?? 0) + 1 }) }
  ));
  return { name, changes, raw_time_s: null };
}

function counted(items) {
  return items.length === 1 ? "1 segment" : `${items.length} segments`;
}
