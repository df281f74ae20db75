/** The rubric card: one set of questions, shown for the current event or for the whole trace. */

export class RubricCard extends EventTarget {
  /** Events: "answer" {metric, value, confidence} when the rater answers. */
  constructor({ root, book, eventTexts }) {
    super();
    this.root = root;
    this.book = book;
    this.eventTexts = eventTexts;
    this.isEditable = true;
    this.event = null;
    this.opened = new Set();
    this.chips = [...root.querySelectorAll("[data-event]")];
    this.questions = [...root.querySelectorAll("[data-metric]")];
    this.list = root.querySelector("[data-questions]");
    this.heading = root.querySelector("[data-heading]");
    this.summary = root.querySelector("[data-summary]");
    this.list.addEventListener("change", (event) => this.onChange(event.target));
    this.list.addEventListener("click", (event) => {
      const button = event.target.closest("[data-change]");
      if (button) this.openImplied(button.closest("[data-metric]"));
    });
  }

  /** Show the questions of an event, or of the whole trace (null). */
  show(event) {
    this.event = event;
    this.opened.clear();
    const scope = event === null ? "trace" : "event";
    for (const question of this.questions) question.hidden = question.dataset.scope !== scope;
    for (const note of this.root.querySelectorAll("[data-unavailable]")) {
      note.hidden = note.dataset.unavailable !== scope;
    }
    const { name, text } = this.eventTexts.get(event);
    this.heading.textContent = name;
    this.summary.textContent = text;
    this.list.scrollTop = 0;
    this.draw();
  }

  draw() {
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
    for (const input of question.querySelectorAll("input")) {
      const current = input.dataset.confidence === undefined ? answer.value : String(answer.confidence ?? "");
      input.checked = input.value === current;
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
    const isConfidence = input.dataset.confidence !== undefined;
    const value = isConfidence ? answer.value : input.value;
    const confidence = isConfidence ? Number(input.value) : answer.confidence;
    this.dispatchEvent(new CustomEvent("answer", { detail: { metric, value, confidence } }));
  }

  /** The groups that a rater moves between, in card order: questions and how sure they are. */
  stops() {
    return [...this.list.querySelectorAll("[data-stop]")].filter(
      (stop) => !stop.closest("[hidden]") && stop.querySelector("input:enabled"),
    );
  }

  currentStop() {
    const stop = document.activeElement?.closest("[data-stop]");
    return this.list.contains(stop) ? stop : null;
  }

  focusStop(element) {
    const stop = element.matches("[data-stop]") ? element : element.querySelector("[data-stop]");
    const input = stop?.querySelector("input:checked:enabled") ?? stop?.querySelector("input:enabled");
    input?.focus();
    stop?.closest("[data-metric]").scrollIntoView({ block: "nearest" });
  }

  focusMetric(metric) {
    const question = this.questions.find((item) => item.dataset.metric === metric);
    // An answer without "how sure" is missing that, and nothing else.
    this.focusStop(this.firstOpenStop([...question.querySelectorAll("[data-stop]")]) ?? question);
  }

  move(step) {
    const stops = this.stops();
    const at = stops.indexOf(this.currentStop());
    const next = at < 0 ? this.firstOpenStop(stops) : stops[at + step];
    if (next) this.focusStop(next);
    return Boolean(next);
  }

  firstOpenStop(stops = this.stops()) {
    return stops.find((stop) => !stop.querySelector("input:checked")) ?? stops[0];
  }

  /** Answer the focused question by the number of an option, counting from 1. */
  press(digit) {
    const stop = this.currentStop();
    const input = stop?.querySelectorAll("input")[digit - 1];
    if (!input || input.disabled) return false;
    input.focus();
    // Choosing again what follows from another answer makes it the rater's own.
    const isImplied = this.book.get(this.event, stop.closest("[data-metric]").dataset.metric).is_implied;
    if (!input.checked || isImplied) {
      input.checked = true;
      this.onChange(input);
    }
    return true;
  }

  setEditable(isEditable) {
    this.isEditable = isEditable;
    this.draw();
  }
}

export function eventOf(element) {
  return element.dataset.event === "" ? null : Number(element.dataset.event);
}
