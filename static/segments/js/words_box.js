/** Texts of the selected segment: its description, from slots where its label has a template, and its note. */

import { GestureError } from "./model.js";
import { fill, read, slotsOf } from "./templates.js";

const MOST_LETTERS = 10_000;

export class WordsBox extends EventTarget {
  /** Events: "typing" {kind, value} at every letter of a note or of a whole description, then "text"
   * {value}, "note" {value, isFlagged} or "givenup"; "unfinished" {words}, "left".
   */
  constructor(root) {
    super();
    this.root = root;
    this.title = root.querySelector("[data-words-title]");
    this.fields = root.querySelector("[data-fields]");
    this.caption = root.querySelector("[data-caption]");
    this.foot = root.querySelector("[data-words-foot]");
    this.kind = null;
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("input", () => this.type());
    root.addEventListener("focusout", ({ relatedTarget }) => {
      if (!root.hidden && !root.contains(relatedTarget)) this.end();
    });
    root.querySelector("[data-take]").addEventListener("click", () => this.finish());
    root.querySelector("[data-unflag]").addEventListener("click", () => this.unflag());
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** The description of a segment: slots of the first template that fits it, or free text. */
  openText(segment, label) {
    const patterns = label?.templates ?? [];
    const fitting = patterns.findIndex((pattern) => read(pattern, segment.text));
    const pattern = segment.text && fitting < 0 ? null : patterns[Math.max(0, fitting)] ?? null;
    this.begin("text", segment.text, label ? `What happens: ${label.name}` : "Description");
    if (pattern) this.useTemplate(pattern, patterns, read(pattern, segment.text) ?? {});
    else this.useText(segment.text, "Description", patterns);
    this.root.querySelector("[data-unflag]").hidden = true;
    this.focus();
  }

  openNote(segment) {
    this.begin("note", segment.note, "Flag with a note for the next person");
    this.useText(segment.note, "Note", []);
    this.root.querySelector("[data-unflag]").hidden = !segment.is_flagged;
    this.focus();
  }

  begin(kind, before, title) {
    Object.assign(this, { kind, before, pattern: null });
    this.title.textContent = title;
    this.caption.textContent = "";
    this.fields.replaceChildren();
    this.root.hidden = false;
  }

  focus() {
    this.fields.querySelector("input, textarea")?.focus({ preventScroll: true });
  }

  useText(value, name, patterns) {
    this.pattern = null;
    const field = document.createElement("textarea");
    Object.assign(field, { value, rows: 2, maxLength: MOST_LETTERS, dir: "auto" });
    this.fields.replaceChildren(labelled(name, field), ...this.others(patterns));
  }

  useTemplate(pattern, patterns, values) {
    this.pattern = pattern;
    const slots = slotsOf(pattern).map((slot) => {
      const field = document.createElement("input");
      Object.assign(field, { type: "text", value: values[slot] ?? "", dir: "auto" });
      field.dataset.slot = slot;
      field.addEventListener("input", () => this.drawCaption());
      return labelled(slot.replaceAll("_", " "), field);
    });
    this.fields.replaceChildren(...slots, ...this.others(patterns));
    this.drawCaption();
  }

  /** Buttons for the other wordings that a label has. */
  others(patterns) {
    return patterns.filter((pattern) => pattern !== this.pattern && (patterns.length > 1 || !this.pattern)).map((pattern) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "button quiet", textContent: pattern.replaceAll(/[{}]/g, "").replaceAll("_", " ") });
      button.setAttribute("aria-label", `Use the wording ${button.textContent}`);
      button.addEventListener("click", () => {
        this.useTemplate(pattern, patterns, this.slotValues());
        this.focus();
      });
      return button;
    });
  }

  slotValues() {
    return Object.fromEntries([...this.fields.querySelectorAll("[data-slot]")].map((field) => [field.dataset.slot, field.value]));
  }

  drawCaption() {
    const values = this.slotValues();
    this.caption.textContent = this.pattern.replace(/\{([a-z_]+)\}/g, (_, slot) => values[slot].trim() || "…");
  }

  /** The text as it stands; throws where a slot is empty. */
  value() {
    if (!this.pattern) return this.fields.querySelector("textarea").value.trim();
    return fill(this.pattern, this.slotValues());
  }

  get isUntouched() {
    if (!this.pattern) return this.fields.querySelector("textarea").value.trim() === this.before;
    return !this.before && !Object.values(this.slotValues()).some((value) => value.trim());
  }

  type() {
    if (this.pattern && Object.values(this.slotValues()).some((value) => !value.trim())) return;
    this.dispatchEvent(new CustomEvent("typing", { detail: { kind: this.kind, value: this.value() } }));
  }

  giveUp() {
    this.dispatchEvent(new CustomEvent("givenup"));
    this.close();
  }

  /** Done: says which slot is empty, and stays. */
  finish() {
    try {
      this.send(this.value());
    } catch (error) {
      if (!(error instanceof GestureError)) throw error;
      this.caption.textContent = error.words;
      [...this.fields.querySelectorAll("[data-slot]")].find((field) => !field.value.trim())?.focus();
      return;
    }
    this.close();
  }

  send(value) {
    if (this.kind === "note") this.dispatchEvent(new CustomEvent("note", { detail: { value, isFlagged: true } }));
    else this.dispatchEvent(new CustomEvent("text", { detail: { value } }));
  }

  unflag() {
    this.dispatchEvent(new CustomEvent("note", { detail: { value: "", isFlagged: false } }));
    this.close();
  }

  /** Left for somewhere else: what is whole is kept, what is half is not said. */
  end() {
    if (!this.isOpen) return;
    try {
      if (!this.isUntouched) this.send(this.value());
    } catch (error) {
      if (!(error instanceof GestureError)) throw error;
      this.dispatchEvent(new CustomEvent("givenup"));
      this.dispatchEvent(new CustomEvent("unfinished", { detail: { words: error.words } }));
    }
    this.close({ isLeft: true });
  }

  close({ isLeft = false } = {}) {
    this.root.hidden = true;
    if (!isLeft) this.dispatchEvent(new CustomEvent("left"));
  }

  onKey(event) {
    // Such an Enter or Escape ends the choice of a Japanese or Chinese word, not the text.
    if (event.isComposing) return;
    if (event.key === "Escape") this.giveUp();
    else if (event.key === "Enter" && !event.shiftKey && event.target.matches("input, textarea")) this.finish();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function labelled(name, field) {
  const label = document.createElement("label");
  const words = document.createElement("span");
  words.textContent = name;
  label.append(words, field);
  return label;
}
