/** The box under the selected segment: its label by typing or by a digit, and its words.
 *
 * It stands open without the focus while a segment has no label, so that a digit is enough.
 */

import { matchingLabels, UNDEFINED_STEP } from "./label_choices.js";

const SHOWN = 9;
const SHOWN_UNASKED = 4;
const UNDEFINED = Object.freeze({ value: UNDEFINED_STEP, text: "Undefined: not in the procedure", hint: "", digit: "0" });

export class LabelPicker extends EventTarget {
  /** Events: "pick" {kind: "step"|"label", value}, "close". */
  constructor({ root, choices }) {
    super();
    this.root = root;
    this.choices = choices;
    this.input = root.querySelector("input");
    this.title = root.querySelector("[data-picker-title]");
    this.list = root.querySelector("[role=listbox]");
    this.news = root.querySelector("[data-picker-news]");
    this.options = [];
    this.at = 0;
    this.kind = null;
    this.isArmed = false;
    this.input.addEventListener("input", () => this.search());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.addEventListener("focus", () => this.draw());
    this.input.addEventListener("blur", () => this.dispatchEvent(new CustomEvent("left")));
    // A press must not take the focus from the field before it is a click.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.pick(this.options[Number(option.dataset.place)]);
    });
  }

  get isTyping() {
    return document.activeElement === this.input;
  }

  /** Offer the steps, or the labels, for a segment; `ranked` as of StepChoices.
   *
   * Not shown it only waits for a digit.
   */
  offer({ kind, track, segment, ranked }, { isShown = true } = {}) {
    Object.assign(this, { kind, track, segment, ranked, isArmed: true });
    this.title.textContent = kind === "step" ? "Step" : "Mistake";
    this.input.placeholder = kind === "step" ? "type its words, or a digit" : "type its name, or a digit";
    this.input.value = "";
    this.root.hidden = !isShown;
    this.search();
  }

  open(offer) {
    this.offer(offer);
    this.input.focus({ preventScroll: true });
    this.input.setAttribute("aria-expanded", "true");
  }

  close() {
    this.isArmed = false;
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.input.value = "";
    this.input.setAttribute("aria-expanded", "false");
  }

  search() {
    const typed = this.input.value;
    const found = this.kind === "step" ? this.stepOptions(typed) : this.labelOptions(typed);
    this.options = found.slice(0, SHOWN + 2);
    // A slip of the finger must not make a step undefined: where nothing fits, Enter takes nothing.
    const hasFitting = found.length > 0 && !found[0].isLeft;
    this.at = hasFitting ? 0 : -1;
    this.draw();
    if (this.isTyping) this.news.textContent = hasFitting ? `${found.length} fit; first ${found[0].text}` : "Nothing fits";
  }

  stepOptions(typed) {
    const fitting = this.choices.matching(this.ranked, typed);
    const steps = fitting.slice(0, SHOWN).map(({ step, hint }, place) => (
      { value: step.step_id, number: step.number, text: step.text, hint, digit: typed ? "" : String(place + 1) }
    ));
    const isMeant = "undefined".startsWith(typed.toLowerCase());
    const isOffered = this.track.has_undefined && (isMeant || !steps.length);
    return isOffered ? [...steps, { ...UNDEFINED, digit: typed ? "" : "0", isLeft: !isMeant }] : steps;
  }

  labelOptions(typed) {
    const labels = matchingLabels(this.track.labels, typed).slice(0, SHOWN).map(({ name }, place) => (
      { value: name, text: name, hint: name === this.segment?.label ? "now" : "", digit: typed ? "" : String(place + 1) }
    ));
    const none = { value: "", text: this.track.source === "labels" ? "No label" : "No mistake", hint: "", digit: typed ? "" : "0" };
    return typed ? labels : [...labels, none];
  }

  draw() {
    const most = this.isTyping ? SHOWN + 1 : SHOWN_UNASKED;
    const shown = this.isTyping ? this.options : [...this.options.slice(0, most), ...this.options.filter(({ digit }, place) => digit === "0" && place >= most)];
    this.list.replaceChildren(...shown.map((option) => this.element(option, this.options.indexOf(option))));
    const current = this.isTyping ? this.list.querySelector("[aria-selected=true]") : null;
    if (current) this.input.setAttribute("aria-activedescendant", current.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  element(option, place) {
    const element = document.createElement("div");
    const isCurrent = this.isTyping && place === this.at;
    Object.assign(element, { id: `label-option-${place}` });
    element.setAttribute("role", "option");
    element.setAttribute("aria-selected", String(isCurrent));
    element.dataset.place = String(place);
    const key = document.createElement("kbd");
    key.textContent = option.digit;
    key.hidden = !option.digit;
    key.setAttribute("aria-hidden", "true");
    const words = document.createElement("span");
    words.className = "words";
    words.dir = "auto";
    words.textContent = option.number ? `${option.number} ${option.text}` : option.text;
    const hint = document.createElement("span");
    hint.className = "small";
    hint.textContent = option.hint;
    element.append(key, words, hint);
    return element;
  }

  onKey(event) {
    if (event.isComposing) return;
    const { key } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const isBare = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (step) {
      const last = this.options.length - 1;
      this.at = this.at < 0 ? Math.min(0, last) : (this.at + step + last + 1) % (last + 1);
      this.draw();
    } else if (key === "Enter") {
      if (this.options[this.at]) this.pick(this.options[this.at]);
    } else if (key === "Escape") {
      this.leave();
    } else if (isBare && /^\d$/.test(key) && !this.input.value) {
      this.press(key);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Take the choice of a digit, as long as nothing is typed; tells whether there was one. */
  press(digit) {
    const option = this.isArmed && this.options.find((item) => item.digit === digit);
    if (option) this.pick(option);
    return Boolean(option);
  }

  pick({ value }) {
    this.dispatchEvent(new CustomEvent("pick", { detail: { kind: this.kind, value } }));
  }

  leave() {
    this.dispatchEvent(new CustomEvent("close"));
  }
}
