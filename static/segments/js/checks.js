/** The questions about each segment: a look first, then no or yes, then the next one.
 *
 * An answer counts while the segment is as it was: who moves an edge answers again.
 */

import { recall, remember } from "../../annotation/js/tab_memory.js";

const COVERED = 0.9;

export class Checks extends EventTarget {
  /** Events: "answered", "done" {key} after the last question of a segment.
   *
   * `isForced`: each segment has to be played through before its questions open. `asked`: what an
   * audit said no to, [{key, question, note}]. `noteName` begins the names under which this tab keeps
   * a note that no answer has yet.
   */
  constructor({ root, questions, book, editor, playback, isForced, canAnswer, watched, asked, noteName }) {
    super();
    Object.assign(this, { root, questions, book, editor, playback, isForced, canAnswer, watched, asked, noteName });
    this.seen = new Set();
    this.playing = null;
    this.segment = null;
    this.build();
    playback.addEventListener("played", () => this.onPlayed());
  }

  get isAsking() {
    return this.questions.length > 0;
  }

  build() {
    const title = document.createElement("h2");
    const description = document.createElement("p");
    description.dir = "auto";
    const look = document.createElement("p");
    look.className = "small";
    look.setAttribute("role", "status");
    this.fields = this.questions.map((question) => this.field(question));
    const note = document.createElement("label");
    note.className = "field";
    this.note = document.createElement("textarea");
    Object.assign(this.note, { rows: 2, maxLength: 4000, dir: "auto" });
    this.note.addEventListener("input", () => this.typeNote());
    this.note.addEventListener("change", () => this.book.restNotes());
    this.note.addEventListener("keydown", (event) => this.onNoteKey(event));
    note.append("What is wrong, for the person who corrects it ", this.note);
    const again = document.createElement("button");
    Object.assign(again, { type: "button", className: "button", textContent: "Play it again " });
    const key = document.createElement("kbd");
    key.textContent = "R";
    again.append(key);
    again.addEventListener("click", () => this.play());
    Object.assign(this, { title, description, look, again });
    this.root.replaceChildren(title, description, look, ...this.fields, note, again);
  }

  field({ name, text }) {
    const field = document.createElement("fieldset");
    field.className = "check-question";
    field.dataset.question = name;
    const legend = document.createElement("legend");
    legend.textContent = text;
    const objection = document.createElement("p");
    objection.className = "small objection";
    objection.dir = "auto";
    const choice = document.createElement("div");
    choice.className = "segmented";
    for (const [value, words, digit] of [["no", "No", 1], ["yes", "Yes", 2]]) {
      const label = document.createElement("label");
      const input = document.createElement("input");
      Object.assign(input, { type: "radio", name: `check-${name}`, value });
      const shown = document.createElement("span");
      const hint = document.createElement("i");
      hint.setAttribute("aria-hidden", "true");
      hint.textContent = String(digit);
      shown.append(hint, ` ${words}`);
      label.append(input, shown);
      choice.append(label);
      input.addEventListener("change", () => this.give(name, value === "yes"));
    }
    field.append(legend, choice, objection);
    return field;
  }

  /** Ask about a segment; `name` is what it is called. */
  show(segment, name) {
    const isOther = segment?.key !== this.segment?.key;
    this.segment = segment;
    this.root.hidden = !segment || segment.start_s === null;
    if (this.root.hidden) return;
    this.title.textContent = name;
    this.description.textContent = segment.text;
    this.description.hidden = !segment.text || name.endsWith(`: ${segment.text}`);
    this.draw();
    if (isOther) this.note.value = this.noteOf(segment);
  }

  noteOf(segment) {
    const given = this.questions.map(({ name }) => this.standing(segment, name)).find((check) => check?.note)?.note;
    return given ?? recall(this.nameOfNote(segment)) ?? "";
  }

  nameOfNote({ key }) {
    return `${this.noteName}:${key}`;
  }

  draw() {
    const isOpen = this.isOpenTo(this.segment);
    this.look.textContent = isOpen || !this.canAnswer ? "" : "Watch it to its end, then answer.";
    const current = this.current();
    for (const field of this.fields) {
      const check = this.standing(this.segment, field.dataset.question);
      field.classList.toggle("current", isOpen && this.canAnswer && field === current);
      const objection = field.querySelector(".objection");
      objection.textContent = this.objectionTo(this.segment, field.dataset.question);
      objection.hidden = !objection.textContent;
      for (const input of field.querySelectorAll("input")) {
        input.disabled = !isOpen || !this.canAnswer;
        input.checked = Boolean(check) && input.value === (check.answer ? "yes" : "no");
      }
    }
    // A note may come before its answer: C would else leave what is typed to the keys of the page.
    this.note.disabled = !this.canAnswer;
  }

  /** What an audit said against a segment, in words; a list has no room for all of them. */
  objectionTo({ key }, question) {
    const notes = this.asked.filter((item) => item.key === key && item.question === question).map(({ note }) => (note ? `no, “${note}”` : "no"));
    return notes.length ? `Audit: ${notes.join("; ")}` : "";
  }

  /** The answer that counts: of the segment as it is. */
  standing({ key }, question) {
    return this.book.answer(key, question);
  }

  isAnswered(segment) {
    return this.questions.every(({ name }) => this.standing(segment, name));
  }

  isRight(segment) {
    return this.questions.every(({ name }) => this.standing(segment, name)?.answer);
  }

  isOpenTo(segment) {
    if (!this.isForced || !this.playback.players || this.seen.has(segment.key)) return true;
    if (this.isAnswered(segment)) return true;
    const length = segment.end_s - segment.start_s;
    const covered = this.watched().reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, segment.end_s) - Math.max(from, segment.start_s)), 0);
    return covered >= COVERED * length;
  }

  /** The question with the focus, else the first without an answer. */
  current() {
    const focused = document.activeElement?.closest?.("[data-question]");
    if (focused && this.root.contains(focused)) return focused;
    return this.fields.find((field) => !this.standing(this.segment, field.dataset.question)) ?? null;
  }

  play() {
    if (!this.segment || this.segment.start_s === null) return;
    this.playing = this.segment.key;
    this.playback.playOnce(this.segment.start_s, this.segment.end_s);
  }

  /** The hint goes with what it asked for. */
  forgetHint() {
    if (this.isHinting) this.editor.say("", "");
    this.isHinting = false;
  }

  onPlayed() {
    if (this.playing) this.seen.add(this.playing);
    this.forgetHint();
    this.playing = null;
    if (this.segment && !this.root.hidden) this.draw();
    this.dispatchEvent(new CustomEvent("answered"));
  }

  /** Answer the current question; returns false where none is asked. */
  press(answer) {
    if (this.root.hidden || !this.canAnswer) return false;
    if (!this.isOpenTo(this.segment)) {
      this.isHinting = true;
      this.editor.say("Watch the segment to its end first: R plays it again.");
      return true;
    }
    const field = this.current();
    if (!field) return false;
    this.give(field.dataset.question, answer);
    return true;
  }

  give(question, answer) {
    const { key } = this.segment;
    this.forgetHint();
    // Answering about a proposal accepts it.
    if (this.segment.is_proposal && this.editor.canEdit) {
      this.editor.accept([key]);
      this.segment = this.editor.selected;
    }
    const wasAnswered = this.isAnswered(this.segment);
    this.book.check({ key, question, answer, note: answer ? "" : this.written });
    if (!answer) remember(this.nameOfNote(this.segment), null);
    const next = this.fields.find((field) => !this.standing(this.segment, field.dataset.question));
    this.draw();
    if (document.activeElement?.closest?.("[data-question]")) next?.querySelector("input").focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("answered"));
    if (!next && !wasAnswered) this.dispatchEvent(new CustomEvent("done", { detail: { key } }));
  }

  get written() {
    return (this.note.value.toWellFormed?.() ?? this.note.value).trim();
  }

  /** The note goes to every question that was answered with no; before there is one, this tab keeps it. */
  typeNote() {
    const note = this.written;
    const refused = this.questions.map(({ name }) => this.standing(this.segment, name)).filter((check) => check && !check.answer);
    remember(this.nameOfNote(this.segment), refused.length ? null : note || null);
    for (const { key, question, note: before } of refused) {
      if (before !== note) this.book.typeNote({ key, question, note });
    }
    this.dispatchEvent(new CustomEvent("answered"));
  }

  /** Enter ends the note, with Shift it begins a line; that of a word which is being composed is the word's. */
  onNoteKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.book.restNotes();
    this.dispatchEvent(new CustomEvent("noted"));
  }

  focusNote() {
    if (!this.root.hidden && !this.note.disabled) this.note.focus();
  }

  badgesOf(segment) {
    if (segment.start_s === null) return [];
    const given = this.questions.map(({ name }) => [name, this.standing(segment, name)]);
    const no = given.filter(([, check]) => check && !check.answer);
    if (no.length) return no.map(([name, { note }]) => ({ kind: "warn long", words: note ? `${name}: no, “${note}”` : `${name}: no` }));
    if (given.every(([, check]) => check)) return [{ kind: "ok", words: "checked" }];
    return [{ kind: "open", words: "unchecked" }];
  }
}
