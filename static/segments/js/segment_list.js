/** The list of a track: every segment and gap with its times and badges; only rows in sight are made. */

import { spanText } from "./lanes.js";

const MARGIN_ROWS = 8;
const STILL_PX = 4;

export class SegmentList extends EventTarget {
  /** Events: "choose" {key, startS, isRange, isMore}; `describe(segment)` gives {number, text, badges, note}. */
  constructor({ root, describe, picker, isChosen }) {
    super();
    this.isChosen = isChosen;
    this.root = root;
    this.describe = describe;
    this.picker = picker;
    this.sheet = root.querySelector("[data-sheet]");
    this.empty = root.querySelector("[data-empty]");
    this.rows = [];
    this.tops = [0];
    this.made = new Map();
    this.selected = null;
    root.addEventListener("scroll", () => this.draw());
    this.shownPx = 0;
    new ResizeObserver(() => this.onSize()).observe(root);
    this.sheet.addEventListener("click", (event) => this.onPress(event, this.rowAt(event)));
    this.pressed = null;
    this.sheet.addEventListener("pointerdown", (event) => { this.pressed = { event, row: this.rowAt(event), element: event.target.closest("[role=option]") }; });
    window.addEventListener("pointerup", (event) => this.onRelease(event));
    // A press with Shift chooses rows, not their letters.
    this.sheet.addEventListener("mousedown", (event) => { if (event.shiftKey) event.preventDefault(); });
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  rowAt({ target }) {
    const element = target.closest("[role=option]");
    return element ? this.rows[Number(element.dataset.index)] : null;
  }

  /** An answer, or a field that is left, makes rows anew or moves them under a button that is held: no click comes then. */
  onRelease(event) {
    const { pressed } = this;
    this.pressed = null;
    if (!pressed?.row || event.button !== 0 || event.pointerType === "touch") return;
    const hasClick = pressed.element.isConnected && pressed.element.contains(event.target);
    const isStill = Math.hypot(event.clientX - pressed.event.clientX, event.clientY - pressed.event.clientY) < STILL_PX;
    const isThere = !pressed.row.key || this.indexOf(pressed.row.key) >= 0;
    if (!hasClick && isStill && isThere) this.onPress(event, pressed.row);
  }

  onPress({ shiftKey, ctrlKey, metaKey }, row) {
    if (row) this.choose(row, { isRange: shiftKey, isMore: ctrlKey || metaKey });
  }

  choose({ key, start_s: startS }, how = {}) {
    this.dispatchEvent(new CustomEvent("choose", { detail: { key: key ?? null, startS, ...how } }));
  }

  /** `rows`: segments, and {gapS, start_s, end_s} where nothing is. */
  set(rows, selected) {
    this.rows = rows;
    this.selected = selected;
    this.empty.hidden = rows.length > 0;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const heights = { row: 3.2 * rem, gap: 1.9 * rem };
    let top = 0;
    this.tops = rows.map((row) => {
      const here = top;
      top += row.gapS ? heights.gap : heights.row;
      return here;
    });
    this.tops.push(top);
    this.heights = heights;
    for (const element of this.made.values()) element.remove();
    this.made.clear();
    this.draw();
  }

  indexOf(key) {
    return this.rows.findIndex((row) => row.key === key);
  }

  draw() {
    const pickerHeight = this.placePicker();
    const { scrollTop, clientHeight } = this.root;
    const first = Math.max(0, this.indexAt(scrollTop - pickerHeight) - MARGIN_ROWS);
    const last = Math.min(this.rows.length - 1, this.indexAt(scrollTop + clientHeight) + MARGIN_ROWS);
    for (const [index, element] of this.made) {
      if (index >= first && index <= last) continue;
      element.remove();
      this.made.delete(index);
    }
    const selectedIndex = this.selected ? this.indexOf(this.selected) : -1;
    for (let index = first; index <= last; index += 1) {
      let element = this.made.get(index);
      if (!element) {
        element = this.element(this.rows[index], index);
        this.made.set(index, element);
        this.insert(element, index);
      }
      const top = this.tops[index] + (selectedIndex >= 0 && index > selectedIndex ? pickerHeight : 0);
      element.style.transform = `translateY(${top}px)`;
    }
    this.sheet.style.height = `${this.tops.at(-1) + pickerHeight}px`;
    const current = this.made.get(selectedIndex);
    if (current) this.sheet.setAttribute("aria-activedescendant", current.id);
    else this.sheet.removeAttribute("aria-activedescendant");
  }

  /** Rows stand in the document in their order, so that they are read in it. */
  insert(element, index) {
    const after = [...this.made.keys()].filter((other) => other > index).sort((a, b) => a - b)[0];
    this.sheet.insertBefore(element, after === undefined ? null : this.made.get(after));
  }

  /** Put the open picker under the selected row; returns the room it takes. */
  placePicker() {
    const { root } = this.picker;
    const index = this.selected ? this.indexOf(this.selected) : -1;
    if (root.hidden) return 0;
    const top = index < 0 ? this.root.scrollTop : this.tops[index + 1];
    root.style.transform = `translateY(${top}px)`;
    return index < 0 ? 0 : root.offsetHeight + 6;
  }

  indexAt(top) {
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  element(row, index) {
    const element = document.createElement("div");
    element.id = `segment-row-${index}`;
    element.setAttribute("role", "option");
    element.setAttribute("aria-setsize", String(this.rows.length));
    element.setAttribute("aria-posinset", String(index + 1));
    element.setAttribute("aria-selected", String(Boolean(row.key) && (row.key === this.selected || this.isChosen(row.key))));
    element.dataset.index = String(index);
    if (row.gapS) {
      element.className = "row gap";
      element.append(part("no", ""), part("tx", `gap of ${row.gapS.toFixed(1)} s`), part("t", spanText(row)));
      return element;
    }
    const { number, text, badges, note, isFlagged, hue } = this.describe(row);
    element.className = `row${row.is_proposal ? " proposal" : ""}${isFlagged ? " flagged" : ""}`;
    element.dataset.key = row.key;
    const words = part("tx", text);
    words.dir = "auto";
    words.title = text;
    const marks = part("m", "");
    for (const { kind, words: said } of badges) marks.append(part(`badge ${kind}`, said));
    if (note) {
      const told = part("said", note);
      told.dir = "auto";
      told.title = note;
      marks.append(told);
    }
    const no = part("no", number ?? "–");
    if (hue !== null) no.classList.add("hue", `hue-${hue}`);
    element.append(no, words, part("t", spanText(row)), marks);
    return element;
  }

  /** A box below takes room: who looked at the selected row still does. */
  onSize() {
    const index = this.selected ? this.indexOf(this.selected) : -1;
    const wasInSight = index >= 0 && this.tops[index] >= this.root.scrollTop && this.tops[index + 1] <= this.root.scrollTop + this.shownPx;
    this.shownPx = this.root.clientHeight;
    if (wasInSight) this.reveal();
    else this.draw();
  }

  /** Show the times of what is dragged, and those that are stored of what no longer is. */
  preview(changed) {
    if (!changed?.size && !this.previewed?.size) return;
    for (const [index, element] of this.made) {
      const row = this.rows[index];
      if (!row.key || !(changed?.has(row.key) || this.previewed?.has(row.key))) continue;
      element.querySelector(".t").textContent = spanText(changed?.get(row.key) ?? row);
    }
    this.previewed = changed;
  }

  /** Bring the selected row into view, with the picker under it. */
  reveal() {
    const index = this.selected ? this.indexOf(this.selected) : -1;
    if (index < 0) return;
    const top = this.tops[index];
    const bottom = this.tops[index + 1] + (this.picker.root.hidden ? 0 : this.picker.root.offsetHeight + 6);
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.root.scrollTop = Math.min(top, bottom - clientHeight);
    this.draw();
  }

  /** In the list itself the arrows go from row to row. */
  onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target !== this.sheet || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = this.rows[(this.selected ? this.indexOf(this.selected) : -1) + step];
    event.preventDefault();
    event.stopPropagation();
    if (next) this.choose(next.gapS ? this.rows[this.rows.indexOf(next) + step] ?? next : next);
  }
}

function part(className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  return element;
}

/** The rows of a track: its segments by time, gaps between them where those matter, then missing steps. */
export function rowsOf({ segments, hasGaps, leastGapS }) {
  const rows = [];
  let reachedS = 0;
  for (const segment of segments) {
    if (segment.start_s === null) {
      rows.push(segment);
      continue;
    }
    if (hasGaps && segment.start_s - reachedS > leastGapS && (rows.length || reachedS > 0)) {
      rows.push({ gapS: segment.start_s - reachedS, start_s: reachedS, end_s: segment.start_s });
    }
    rows.push(segment);
    reachedS = Math.max(reachedS, segment.end_s);
  }
  return rows;
}
