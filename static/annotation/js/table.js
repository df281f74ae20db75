/** The aligned steps: which row is current, and how to get from one to another. */

import { bringIntoView } from "./scrolling.js";

// A row stays clear of the head of the table and shows a little of what comes after it.
const HEAD_PX = 40;
const BELOW_PX = 60;

export class StepTable extends EventTarget {
  /** Events: "choose" {row} when the rater picks a row. */
  constructor(root) {
    super();
    this.root = root;
    this.rows = [...root.querySelectorAll("tr[data-row]")];
    this.current = null;
    root.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-row]");
      if (row && !String(document.getSelection())) this.choose(Number(row.dataset.row));
    });
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.closest("[data-go]")) return;
    event.preventDefault();
    event.stopPropagation();
    const row = this.rows[(this.current ?? 0) + step];
    if (!row) return;
    this.choose(Number(row.dataset.row));
    row.querySelector("[data-go]").focus({ preventScroll: true });
  }

  choose(row) {
    this.mark(row);
    this.dispatchEvent(new CustomEvent("choose", { detail: { row } }));
  }

  /** Make a row the current one and bring it into view. */
  mark(row) {
    if (row === this.current) return;
    const before = this.rows[this.current];
    before?.removeAttribute("aria-current");
    before?.querySelector("[data-go]").setAttribute("tabindex", "-1");
    this.current = row;
    const element = this.rows[row];
    if (!element) return;
    element.setAttribute("aria-current", "true");
    element.querySelector("[data-go]").setAttribute("tabindex", "0");
    this.reveal(element, 3);
  }

  /** Rows out of sight have no measured height yet, so a long way is gone in more than one step. */
  reveal(element, tries) {
    const { top, bottom } = element.getBoundingClientRect();
    const frame = this.root.getBoundingClientRect();
    const isFar = bottom < frame.top - frame.height || top > frame.bottom + frame.height;
    bringIntoView(this.root, element, { above: HEAD_PX, below: BELOW_PX, isCentred: isFar });
    if (tries > 1) {
      requestAnimationFrame(() => this.rows[this.current] === element && this.reveal(element, tries - 1));
    }
  }

  firstRowOf(event) {
    return this.rows.findIndex((row) => row.dataset.rowEvent === String(event));
  }
}
