/** Which labels the picker offers for what is selected, and what becomes of a choice. */

import { isMissing } from "./model.js";

export class Offers {
  constructor({ editor, picker, choices, words, lanes, list, marking }) {
    Object.assign(this, { editor, picker, choices, words, lanes, list, marking });
    this.purpose = null;
    picker.addEventListener("pick", ({ detail }) => this.take(detail));
    picker.addEventListener("close", () => this.leave());
    picker.addEventListener("left", () => this.onLeft());
    marking.addEventListener("change", () => this.passive());
    picker.addEventListener("none", ({ detail: { words: told } }) => editor.say(told));
    picker.addEventListener("gathering", () => this.show());
  }

  /** Under an unlabelled segment the picker stands open, so that a digit is enough. */
  passive() {
    if (this.picker.isTyping) return;
    const { selected, track, canEdit } = this.editor;
    this.purpose = null;
    const isUnnamed = selected && canEdit && !isMissing(selected) && (track.source === "steps" ? !selected.step_id : track.source === "labels" && !selected.label);
    // The digits keep their meaning for a labelled segment, though nothing is shown of it.
    if (selected && canEdit && !isMissing(selected) && track.source !== "none") this.picker.offer(this.offer(), { isShown: isUnnamed });
    else if (this.isNamingOpen) this.picker.offer(this.offer(), { isShown: false });
    else this.picker.close();
  }

  /** Whether a label goes to the segment that is still growing: nothing else is at hand. */
  get isNamingOpen() {
    const { selected, track, trackName, canEdit } = this.editor;
    return canEdit && !selected && this.marking.open?.track === trackName && track.source === "steps";
  }

  /** A digit, or the key of the likeliest, for what is at hand; tells whether it meant something. */
  press(key) {
    const { editor, picker } = this;
    if (!editor.canEdit) return false;
    if (!picker.isArmed && key !== "0") editor.atHand();
    return /^\d$/.test(key) ? picker.press(key) : picker.pressLikeliest();
  }

  offer(kind = this.kindOf()) {
    const { track, trackName } = this.editor;
    const { open } = this.marking;
    const selected = this.isNamingOpen ? { key: null, start_s: open.startS, step_id: open.stepId ?? "" } : this.editor.selected;
    const ranked = kind === "step" ? this.choices.ranked({ segments: this.editor.segmentsOf(trackName), segment: selected }) : [];
    return { kind, track, segment: selected, ranked };
  }

  kindOf() {
    return this.editor.track.source === "steps" ? "step" : "label";
  }

  label() {
    if (!this.editor.canEdit || !(this.isNamingOpen || this.editor.atHand())) return;
    this.purpose = null;
    this.picker.open(this.offer());
    this.show();
  }

  show() {
    this.list.draw();
    this.list.reveal();
  }

  /** The mistake of a segment: a label of its own track, or a segment of the track that belongs to it. */
  mistake() {
    const { editor } = this;
    const item = editor.atHand();
    if (!item || !editor.canEdit) return;
    const { tracks } = editor.book.scheme;
    const below = tracks.find(({ belongs_to: parent, labels }) => parent === editor.trackName && labels.length);
    const track = editor.track.labels.length ? editor.track : below;
    if (!track) {
      editor.say("This scheme has no mistakes.");
      return;
    }
    this.purpose = track === editor.track ? null : { kind: "child", track };
    this.picker.open({ ...this.offer("label"), track, segment: track === editor.track ? item : null });
    this.show();
  }

  /** Choose a step that is not in the recording. */
  missing() {
    const { editor } = this;
    const there = new Set(editor.segmentsOf(editor.trackName).map(({ step_id: stepId }) => stepId));
    const ranked = this.choices.ranked({ segments: editor.segmentsOf(editor.trackName), segment: null })
      .filter(({ step }) => !there.has(step.step_id)).map((choice) => ({ ...choice, hint: "is missing" }));
    if (!ranked.length) {
      editor.say("Every step is in the list.");
      return;
    }
    this.purpose = { kind: "missing" };
    this.picker.open({ kind: "step", track: { ...editor.track, has_undefined: false }, segment: null, ranked });
    this.picker.title.textContent = "Missing";
    this.show();
  }

  take({ kind, value }) {
    const { editor, purpose } = this;
    this.purpose = null;
    const wasTyping = this.picker.isTyping;
    this.picker.close();
    if (purpose?.kind === "missing") editor.missing(value);
    else if (purpose?.kind === "child") this.addChild(purpose.track, value);
    else if (kind === "step" && this.isNamingOpen) this.marking.label(value);
    else if (kind === "step") editor.label({ step_id: value });
    else this.takeLabel(value);
    if (wasTyping && !this.words.isOpen) this.back();
    this.passive();
    this.list.draw();
  }

  /** A label with a template goes on to its slots. */
  takeLabel(value) {
    const { editor } = this;
    if (!editor.label({ label: value })?.changes) return;
    const label = editor.track.labels.find(({ name }) => name === value);
    if (label?.templates.length || label?.name === "others") this.words.openText(editor.selected, label);
  }

  addChild(track, value) {
    if (!value) return;
    const made = this.editor.addChild(track.name, { label: value })?.changes?.[0].after;
    if (!made) return;
    this.editor.select(made.key, { isGoing: false });
    this.words.openText(made, track.labels.find(({ name }) => name === value));
  }

  leave() {
    this.picker.close();
    this.purpose = null;
    this.back();
    this.passive();
    this.list.draw();
  }

  onLeft() {
    this.purpose = null;
    this.passive();
    this.list.draw();
  }

  /** The keyboard goes back to the lanes, where all keys work. */
  back() {
    this.lanes.focus();
    if (this.picker.isTyping) this.picker.input.blur();
  }
}
