/** The box under the selected segment: its label by typing or by its number, and its words.
 *
 * It stands open without the focus while a segment has no label, so that digits are enough. A digit is
 * that of the step in the procedure, whatever was marked before. Where longer numbers begin with what
 * was typed, it stays in sight until one more digit, Enter or any other act decides.
 */

import { matchingLabels, UNDEFINED_STEP } from "./label_choices.js";

const SHOWN = 9;
const SHOWN_UNASKED = 4;
const LIKELIEST_KEY = "W";
const UNDEFINED = Object.freeze({ value: UNDEFINED_STEP, text: "Undefined: not in the procedure", hint: "", digit: "0" });

export class LabelPicker extends EventTarget {
  /** Events: "pick" {kind: "step"|"label", value}, "close", "none" {words}. */
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
    // Digits of a number that is not whole yet.
    this.gathered = "";
    document.addEventListener("keydown", (event) => this.onGathering(event), true);
    for (const name of ["pointerdown", "pagehide"]) window.addEventListener(name, (event) => this.settle(event), true);
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
    Object.assign(this, { kind, track, segment, ranked, isArmed: true, gathered: "", isShown });
    this.title.textContent = kind === "step" ? "Step" : "Mistake";
    this.input.placeholder = kind === "step" ? "type its number or its words" : "type its name, or a digit";
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
    this.gathered = "";
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
    const isNumber = /^\d+$/.test(typed);
    const fitting = isNumber ? this.numbered(typed) : [];
    const found = fitting.length ? fitting : this.choices.matching(this.ranked, typed);
    const steps = found.slice(0, SHOWN).map((choice, place) => this.stepOption(choice, typed || place > 0 ? "" : LIKELIEST_KEY));
    const isMeant = "undefined".startsWith(typed.toLowerCase());
    const isOffered = this.track.has_undefined && (isMeant || !steps.length);
    return isOffered ? [...steps, { ...UNDEFINED, digit: typed ? "" : "0", isLeft: !isMeant }] : steps;
  }

  stepOption({ step, hint }, key) {
    return { value: step.step_id, text: step.text, hint, digit: String(step.number), key };
  }

  /** The offered steps whose number begins with these digits, in the order of the procedure. */
  numbered(digits) {
    return this.ranked.filter(({ step }) => String(step.number).startsWith(digits)).sort((a, b) => a.step.number - b.step.number);
  }

  labelOptions(typed) {
    const labels = matchingLabels(this.track.labels, typed).slice(0, SHOWN).map(({ name }, place) => (
      { value: name, text: name, hint: name === this.segment?.label ? "now" : "", digit: typed ? "" : String(place + 1) }
    ));
    const none = { value: "", text: this.track.source === "labels" ? "No label" : "No mistake", hint: "", digit: typed ? "" : "0" };
    return typed ? labels : [...labels, none];
  }

  draw() {
    if (this.gathered) this.options = this.numbered(this.gathered).slice(0, SHOWN).map((choice) => this.gatheredOption(choice));
    const most = this.isTyping || this.gathered ? SHOWN + 1 : SHOWN_UNASKED;
    const shown = this.isTyping || this.gathered ? this.options : [...this.options.slice(0, most), ...this.options.filter(({ digit }, place) => digit === "0" && place >= most)];
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
    // A step is called by its number, a mistake is not.
    if (this.kind !== "step") key.setAttribute("aria-hidden", "true");
    const words = document.createElement("span");
    words.className = "words";
    words.dir = "auto";
    words.textContent = option.text;
    const hint = document.createElement("span");
    hint.className = "small";
    hint.textContent = option.hint;
    element.append(key, " ", words, hint);
    if (option.key) {
      const other = document.createElement("kbd");
      other.textContent = option.key;
      other.setAttribute("aria-hidden", "true");
      element.append(other);
    }
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
    } else if (isBare && /^\d$/.test(key) && this.takeTyped(key)) {
      // Taken: no longer number begins with it.
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** In the field a number is taken with its last digit; tells whether it was. */
  takeTyped(digit) {
    const typed = `${this.input.value}${digit}`;
    if (this.kind !== "step" || typed === "0") return !this.input.value && this.press(digit);
    const fitting = /^\d+$/.test(typed) ? this.numbered(typed) : [];
    if (fitting.length !== 1 || String(fitting[0].step.number) !== typed) return false;
    this.pick({ value: fitting[0].step.step_id });
    return true;
  }

  /** Take the choice of a digit; tells whether it meant something. */
  press(digit) {
    if (!this.isArmed) return false;
    if (this.kind === "step" && (this.gathered || digit !== "0")) {
      this.gather(this.gathered + digit);
      return true;
    }
    const option = this.options.find((item) => item.digit === digit);
    if (option) this.pick(option);
    return Boolean(option);
  }

  /** Take the likeliest step; tells whether there was one. */
  pressLikeliest() {
    const first = this.isArmed && this.kind === "step" && this.ranked[0];
    if (first) this.pick({ value: first.step.step_id });
    return Boolean(first);
  }

  gather(digits) {
    const fitting = this.numbered(digits);
    if (!fitting.length) {
      this.dispatchEvent(new CustomEvent("none", { detail: { words: this.choices.wordsOfNone(digits) } }));
    } else if (fitting.length === 1 && String(fitting[0].step.number) === digits) {
      this.pick({ value: fitting[0].step.step_id });
    } else {
      this.gathered = digits;
      this.root.hidden = false;
      this.title.textContent = `Step ${digits}…`;
      this.draw();
      this.news.textContent = `${digits}: Enter takes it, another digit goes on`;
      this.dispatchEvent(new CustomEvent("gathering"));
    }
  }

  /** What is still to be pressed for a number that begins with the gathered digits. */
  gatheredOption(choice) {
    const rest = String(choice.step.number).slice(this.gathered.length);
    return { ...this.stepOption(choice, rest ? `${rest.slice(0, 1)}${rest.length > 1 ? "…" : ""}` : "Enter") };
  }

  /** While digits are in sight Enter takes them, Backspace and Escape take them back, all else decides for them. */
  onGathering(event) {
    if (!this.gathered || ["Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    const isBare = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isBare && /^\d$/.test(event.key)) return;
    if (isBare && event.key === "Enter") this.settle();
    else if (isBare && event.key === "Backspace" && this.gathered.length > 1) this.gather(this.gathered.slice(0, -1));
    else if (isBare && ["Backspace", "Escape"].includes(event.key)) this.giveUp();
    else {
      this.settle();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  giveUp() {
    this.gathered = "";
    this.dispatchEvent(new CustomEvent("left"));
  }

  /** Something else is done: a number that is a step's is taken, any other given up. */
  settle({ target } = {}) {
    if (!this.gathered || this.list.contains(target)) return;
    const exact = this.numbered(this.gathered).find(({ step }) => String(step.number) === this.gathered);
    if (exact) this.pick({ value: exact.step.step_id });
    else this.giveUp();
  }

  pick({ value }) {
    this.dispatchEvent(new CustomEvent("pick", { detail: { kind: this.kind, value } }));
  }

  leave() {
    this.dispatchEvent(new CustomEvent("close"));
  }
}
