/** The procedure, always in sight: what is done, said to be missing, out of order, and still to come.
 *
 * It is read from the segments that are on the page and from nothing else, so it tells nobody more
 * than their own work. A proposal that nobody has taken over is not done yet.
 */

import { isMissing } from "./model.js";

const SIGNS = Object.freeze({ done: "✓", moved: "⇅", missing: "∅", proposed: "◌", open: "" });
const WORDS = Object.freeze({ done: "done", moved: "out of order", missing: "missing", proposed: "proposed", open: "not yet" });

/** What has become of each step: a map of {state, times, keys} by its id. */
export function progressOf({ steps, segments, countsProposals }) {
  const found = new Map(steps.map(({ step_id: id }) => [id, { state: "open", times: 0, keys: [] }]));
  const order = [];
  for (const item of segments) {
    const row = found.get(item.step_id);
    if (!row) continue;
    row.keys.push(item.key);
    if (isMissing(item)) {
      if (row.state === "open") row.state = "missing";
    } else if (item.is_proposal && !countsProposals) {
      if (!row.times) row.state = "proposed";
    } else {
      if (!row.times) order.push(item.step_id);
      row.times += 1;
      row.state = "done";
    }
  }
  const numbers = new Map(steps.map(({ step_id: id, number }) => [id, number]));
  for (const id of outOfOrder(order, (step) => numbers.get(step))) found.get(id).state = "moved";
  return found;
}

/** The fewest of `ids` without which the others rise by `numberOf`. */
function outOfOrder(ids, numberOf) {
  // The last of each longest run of its length, and whom each one follows.
  const ends = [];
  const before = new Map();
  for (const id of ids) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numberOf(ends[middle]) < numberOf(id)) low = middle + 1;
      else high = middle;
    }
    before.set(id, ends[low - 1]);
    ends[low] = id;
  }
  const inOrder = new Set();
  for (let id = ends.at(-1); id !== undefined; id = before.get(id)) inOrder.add(id);
  return ids.filter((id) => !inOrder.has(id));
}

export class ProcedurePane extends EventTarget {
  /** Events: "choose" {step, keys}. `steps`: those of StepChoices. */
  constructor({ root, steps, countsProposals, hueOf }) {
    super();
    Object.assign(this, { root, steps, countsProposals, hueOf });
    this.list = root.querySelector("[data-steps]");
    this.counts = root.querySelector("[data-counts]");
    root.hidden = !steps.length;
    this.rows = steps.map((step) => this.row(step));
    this.list.append(...this.rows.map(({ element }) => element));
    this.current = null;
    this.list.addEventListener("click", ({ target }) => {
      const row = this.rows.find(({ button }) => button === target.closest("button"));
      if (row) this.dispatchEvent(new CustomEvent("choose", { detail: { step: row.step, keys: row.keys } }));
    });
  }

  row(step) {
    const element = document.createElement("li");
    const button = document.createElement("button");
    // Digits are the keys for steps: hundreds of stops of Tab would be in the way.
    Object.assign(button, { type: "button", title: step.text, tabIndex: -1 });
    const [sign, number, words, told] = ["sign", "no", "tx", "told"].map((name) => {
      const part = document.createElement("span");
      part.className = name;
      return part;
    });
    sign.setAttribute("aria-hidden", "true");
    number.textContent = String(step.number);
    number.classList.add("hue", `hue-${this.hueOf(step.step_id)}`);
    words.textContent = step.text;
    words.dir = "auto";
    button.append(sign, number, words, told);
    element.append(button);
    return { step, element, button, sign, told, keys: [], shown: null };
  }

  /** `segments` of the track, by time; `currentId` is the step of what is at hand, else of what comes next. */
  show(segments, currentId) {
    if (this.root.hidden) return;
    const progress = progressOf({ steps: this.steps, segments, countsProposals: this.countsProposals });
    const counts = { done: 0, moved: 0, missing: 0, proposed: 0, open: 0 };
    for (const row of this.rows) {
      const { state, times, keys } = progress.get(row.step.step_id);
      row.keys = keys;
      counts[state] += 1;
      const words = `${WORDS[state]}${times > 1 ? `, ${times} times` : ""}`;
      if (row.shown === words) continue;
      row.shown = words;
      row.element.className = state;
      row.sign.textContent = SIGNS[state];
      // What is done or to come says its sign and its place; the rest is said in words.
      row.told.textContent = ["done", "open"].includes(state) && times < 2 ? "" : words;
      row.button.setAttribute("aria-label", `Step ${row.step.number}, ${words}: ${row.step.text}`);
    }
    const doneCount = counts.done + counts.moved;
    const told = [`${doneCount} of ${this.rows.length} done`, counts.missing && `${counts.missing} missing`, counts.moved && `${counts.moved} out of order`];
    this.counts.textContent = told.filter(Boolean).join(", ");
    this.mark(currentId);
  }

  mark(stepId) {
    const row = this.rows.find(({ step }) => step.step_id === stepId) ?? null;
    if (row === this.current) return;
    this.current?.button.removeAttribute("aria-current");
    this.current = row;
    if (!row) return;
    row.button.setAttribute("aria-current", "step");
    const { offsetTop, offsetHeight } = row.element;
    const { scrollTop, clientHeight } = this.list;
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) this.list.scrollTop = offsetTop - clientHeight / 3;
  }
}
