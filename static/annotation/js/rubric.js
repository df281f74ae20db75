/** The rubric card: one set of questions, shown for the current event or for the whole trace. */

import { bringIntoView } from "./scrolling.js";

export class RubricCard extends EventTarget {
  /** Events: "answer" {metric, value, confidence} when the rater answers, "pressed" after a digit. */
  constructor({ root, book, guideline, eventTexts }) {
    super();
    this.root = root;
    this.book = book;
    this.guideline = guideline;
    this.eventTexts = eventTexts;
    this.isEditable = true;
    this.event = null;
    this.opened = new Set();
    this.doubted = new Set();
    this.chips = [...root.querySelectorAll("[data-event]")];
    this.questions = [...root.querySelectorAll("[data-metric]")];
    this.list = root.querySelector("[data-questions]");
    this.heading = root.querySelector("[data-heading]");
    this.summary = root.querySelector("[data-summary]");
    // The comment stands among the questions and is none.
    this.list.addEventListener("change", ({ target }) => { if (target.closest("[data-metric]")) this.onChange(target); });
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-change]");
      if (button) this.openImplied(button.closest("[data-metric]"));
      const doubt = event.target.closest("[data-doubt]");
      if (doubt) this.toggleReasons(doubt.closest("[data-metric]"));
    });
  }

  /** Show the questions of an event, or of the whole trace (null). */
  show(event) {
    // The questions of another event are other ones, even where they look the same.
    if (event !== this.event && this.currentStop()) document.activeElement.blur();
    this.event = event;
    this.opened.clear();
    this.doubted.clear();
    const scope = event === null ? "trace" : "event";
    this.showApplicable(scope);
    const { name, text, subject } = this.eventTexts.get(event);
    for (const question of this.questions) if (question.dataset.scope === scope) this.ask(question, subject);
    this.heading.textContent = name;
    this.summary.textContent = text;
    this.list.scrollTop = 0;
    this.draw();
  }

  /** Put a question into the words that the guideline has for a mistake, a correction or the trace. */
  ask(question, subject) {
    const text = this.guideline[question.dataset.metric][subject];
    question.querySelector("[data-question]").textContent = text.question;
    question.querySelector("[data-how-to-judge]").textContent = text.how_to_judge;
    for (const end of ["low", "high"]) {
      const input = question.querySelector(`[data-${end}]`);
      if (!input) continue;
      input.setAttribute("aria-label", `${input.value}, ${text[end]}`);
      question.querySelector(`[data-${end}-end]`).textContent = text[end];
    }
  }

  /** Show the questions of a scope; those of the video only while the rater goes by it. */
  showApplicable(scope) {
    const asked = new Set(this.book.metricsOf(this.event).map(({ name }) => name));
    for (const question of this.questions) {
      question.hidden = question.dataset.scope !== scope || !asked.has(question.dataset.metric);
    }
    for (const note of this.root.querySelectorAll("[data-unavailable]")) {
      note.hidden = note.dataset.unavailable !== scope || asked.has(note.dataset.of);
    }
    this.root.querySelector("#with-video").hidden = this.book.asksOfVideo || !this.book.hasVideo;
  }

  draw() {
    this.showApplicable(this.event === null ? "trace" : "event");
    for (const chip of this.chips) this.drawChip(chip);
    for (const question of this.questions) if (!question.hidden) this.drawQuestion(question);
  }

  drawChip(chip) {
    const event = eventOf(chip);
    const { answered, total } = this.book.countOf(event);
    chip.setAttribute("aria-current", String(event === this.event));
    chip.classList.toggle("complete", total > 0 && answered === total);
    chip.querySelector("[data-count]").textContent = total ? `${answered}/${total}` : "–";
  }

  drawQuestion(question) {
    const { metric } = question.dataset;
    const answer = this.book.get(this.event, metric);
    const reasons = question.querySelector("[data-reasons]");
    reasons.hidden = !answer.cannot_judge && !this.doubted.has(metric);
    question.querySelector("[data-doubt]").disabled = !this.isEditable;
    for (const input of question.querySelectorAll("input")) {
      input.checked = input.value === currentOf(input, answer);
      const needsValue = input.dataset.confidence !== undefined && !answer.value;
      input.disabled = !this.isEditable || needsValue;
    }
    const isImplied = answer.is_implied && !this.opened.has(metric);
    question.classList.toggle("implied", isImplied);
    question.classList.toggle("answered", this.book.isAnswered(this.event, metric));
    const note = question.querySelector("[data-implied]");
    note.hidden = !answer.is_implied;
    const cause = answer.is_implied ? this.book.causeOf(this.event, metric) : null;
    note.querySelector("[data-cause]").textContent = cause ? `follows from “${cause}”` : "filled in";
    note.querySelector("[data-change]").disabled = !isImplied || !this.isEditable;
  }

  openImplied(question) {
    this.opened.add(question.dataset.metric);
    this.drawQuestion(question);
    this.focusStop(question);
  }

  onChange(input) {
    const question = input.closest("[data-metric]");
    const { metric } = question.dataset;
    const answer = this.book.get(this.event, metric);
    let detail = { metric, value: input.value, confidence: answer.confidence };
    if (input.dataset.confidence !== undefined) detail = { metric, value: answer.value, confidence: Number(input.value) };
    if (input.dataset.reason !== undefined) detail = { metric, value: null, confidence: null, cannot_judge: input.value };
    this.doubted.delete(metric);
    this.dispatchEvent(new CustomEvent("answer", { detail }));
  }

  /** Offer the reasons for which a question cannot be answered, or take the offer back. */
  toggleReasons(question = this.questionAtHand()) {
    if (!question || !this.isEditable) return;
    const { metric } = question.dataset;
    const isOffered = this.doubted.has(metric);
    if (isOffered) this.doubted.delete(metric);
    else this.doubted.add(metric);
    this.drawQuestion(question);
    this.focusStop(question.querySelector(isOffered ? "[data-stop]" : "[data-reasons]"));
  }

  /** Return the question with the focus, else the first open one, else the first. */
  questionAtHand() {
    const stop = this.currentStop() ?? this.firstOpenStop() ?? this.stops()[0];
    return stop?.closest("[data-metric]");
  }

  /** The groups that a rater moves between, in card order: questions and how sure they are.
   *
   * What follows from another answer is given already and needs no visit.
   */
  stops() {
    return [...this.list.querySelectorAll("[data-stop]")].filter(
      (stop) => !stop.closest("[hidden], .implied") && stop.querySelector("input:enabled"),
    );
  }

  isOpen(stop) {
    const { metric } = stop.closest("[data-metric]").dataset;
    if (stop.matches("[data-reasons]")) return false;
    return !this.book.isAnswered(this.event, metric) && !stop.querySelector("input:checked");
  }

  currentStop() {
    const stop = document.activeElement?.closest("[data-stop]");
    return this.list.contains(stop) ? stop : null;
  }

  focusStop(element) {
    const stop = element.matches("[data-stop]") ? element : element.querySelector("[data-stop]");
    const input = stop?.querySelector("input:checked:enabled") ?? stop?.querySelector("input:enabled");
    input?.focus({ preventScroll: true });
    if (stop) bringIntoView(this.list, stop.closest("[data-metric]"));
  }

  focusMetric(metric) {
    const question = this.questions.find((item) => item.dataset.metric === metric);
    // An answer without "how sure" is missing that, and nothing else.
    const stops = [...question.querySelectorAll("[data-stop]")];
    this.focusStop(stops.find((stop) => this.isOpen(stop)) ?? question);
  }

  /** Go to the question before or after; the one that stands open where none has the focus. */
  move(step) {
    const stops = this.stops();
    const at = stops.indexOf(this.currentStop());
    const next = at < 0 ? this.firstOpenStop() ?? stops[0] : stops[at + step];
    if (next) this.focusStop(next);
    return Boolean(next);
  }

  /** Return the first question that stands open, if any: behind the one with the focus, then from the top. */
  firstOpenStop() {
    const stops = this.stops();
    const at = stops.indexOf(this.currentStop());
    return [...stops.slice(at + 1), ...stops.slice(0, at + 1)].find((stop) => this.isOpen(stop));
  }

  /** Focus the first open question, else the first one. */
  enter() {
    const stop = this.firstOpenStop() ?? this.stops()[0];
    if (stop) this.focusStop(stop);
  }

  /** Answer the focused question, else the first open one, by the number of an option from 1. */
  press(digit) {
    const stop = this.currentStop() ?? this.firstOpenStop();
    const input = stop?.querySelectorAll("input")[digit - 1];
    if (!input || input.disabled) return false;
    input.focus({ preventScroll: true });
    // Choosing again what follows from another answer makes it the rater's own.
    const isImplied = this.book.get(this.event, stop.closest("[data-metric]").dataset.metric).is_implied;
    if (!input.checked || isImplied) {
      input.checked = true;
      this.onChange(input);
    }
    this.dispatchEvent(new CustomEvent("pressed"));
    return true;
  }

  /** Look at the answer beside the focused one; only a digit or a click chooses it. */
  look(step) {
    const inputs = [...(this.currentStop()?.querySelectorAll("input:enabled") ?? [])];
    if (!inputs.length) return false;
    inputs[inputs.indexOf(document.activeElement) + step]?.focus();
    return true;
  }

  /** Open or close how to judge the question with the focus, else the first open one. */
  toggleGuide() {
    const guide = this.questionAtHand()?.querySelector("details");
    if (!guide) return;
    guide.open = !guide.open;
    bringIntoView(this.list, guide.closest("[data-metric]"));
  }

  setEditable(isEditable) {
    this.isEditable = isEditable;
    this.draw();
  }
}

/** Return what stands as the answer in the group of an input. */
function currentOf(input, { value, confidence, cannot_judge: reason }) {
  if (input.dataset.confidence !== undefined) return String(confidence ?? "");
  return (input.dataset.reason === undefined ? value : reason) ?? "";
}

export function eventOf(element) {
  return element.dataset.event === "" ? null : Number(element.dataset.event);
}
