/** The edges of the selected segment as fields: a time and a frame each, typed and checked. */

import { owned } from "./edge_hand.js";
import { clockText } from "./time_scale.js";
import { TIME_SLACK_S, rounded } from "./snapping.js";

const EDGES = Object.freeze(["start", "end"]);
const CLOCK = /^(?:(?:(\d+):)?(\d{1,3}):)?(\d+(?:[.,]\d*)?|[.,]\d+)$/;
const MOST_SECONDS = 60;

export class EdgeFields {
  constructor({ root, editor, lanes, durationS }) {
    Object.assign(this, { root, editor, lanes, durationS });
    this.fields = new Map([...root.querySelectorAll("input")].map((field) => [`${field.dataset.edge} ${field.dataset.kind}`, field]));
    this.problem = root.querySelector("[data-problem]");
    this.key = null;
    for (const field of this.fields.values()) {
      field.addEventListener("keydown", (event) => this.onKey(event, field));
      field.addEventListener("change", () => this.take(field));
      field.addEventListener("focus", () => field.select());
      if (field.dataset.kind === "frame") field.closest("label").hidden = !editor.book.state.rate;
    }
  }

  get rate() {
    return this.editor.book.state.rate;
  }

  /** To the time of the held edge, or of the start. */
  focus() {
    if (!this.editor.atHand() || !this.editor.mayMove()) return;
    this.fields.get(`${this.editor.held ?? "start"} time`).focus();
  }

  /** What the selected segment says, also while one of its edges is dragged. */
  show() {
    const { editor } = this;
    const item = editor.preview?.changed.get(editor.selectedKey) ?? editor.selected;
    const isOther = item?.key !== this.key;
    this.key = item?.key ?? null;
    const isTimed = Boolean(item) && item.start_s !== null;
    const isSingle = editor.track.is_points;
    for (const edge of EDGES) {
      for (const kind of ["time", "frame"]) {
        const field = this.fields.get(`${edge} ${kind}`);
        field.disabled = !isTimed || !editor.canMoveEdges || editor.several.isOn || (isSingle && edge === "end");
        // What is being typed, or was refused, stays as long as its segment does.
        const isTyped = field === document.activeElement || field.hasAttribute("aria-invalid");
        if (isTyped && !isOther && !editor.preview) continue;
        const words = isTimed ? this.wordsOf(item[`${edge}_s`], kind) : "";
        if (field.value !== words) field.value = words;
        if (isOther || editor.preview) this.clear(field);
      }
    }
  }

  wordsOf(timeS, kind) {
    if (kind === "frame") return this.rate ? String(Math.floor(timeS * this.rate + 1e-3)) : "";
    return clockText(timeS, 3);
  }

  clear(field) {
    if (!field.hasAttribute("aria-invalid")) return;
    field.removeAttribute("aria-invalid");
    this.problem.textContent = "";
  }

  onKey(event, field) {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      if (this.take(field, { isExact: event.shiftKey })) this.lanes.focus();
    } else if (event.key === "Escape") {
      this.clear(field);
      field.value = this.wordsOf(this.editor.selected[`${field.dataset.edge}_s`], field.dataset.kind);
      this.lanes.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Move the edge to what was typed; tells whether it is where it should be. */
  take(field, { isExact = false } = {}) {
    const { editor } = this;
    const item = editor.selected;
    if (!item || item.start_s === null) return false;
    const { edge, kind } = field.dataset;
    if (field.value === this.wordsOf(item[`${edge}_s`], kind)) {
      this.clear(field);
      return true;
    }
    const { timeS, problem } = kind === "frame" ? this.readFrame(field.value) : this.readTime(field.value, isExact);
    const refused = problem ?? this.outOfRoom(item, edge, timeS);
    if (refused) {
      field.setAttribute("aria-invalid", "true");
      this.problem.textContent = refused;
      return false;
    }
    this.clear(field);
    const done = editor.perform(() => owned(editor.hands.moveEdge(item.key, edge, timeS), item.key));
    field.value = this.wordsOf(editor.selected[`${edge}_s`], kind);
    if (done?.changes) editor.playback.go(timeS);
    return Boolean(done?.changes);
  }

  readTime(text, isExact) {
    const [, hours, minutes, seconds] = CLOCK.exec(text.trim()) ?? [];
    const value = Number(seconds?.replace(",", "."));
    const timeS = rounded((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + value);
    const isClock = seconds !== undefined && (minutes === undefined || value < MOST_SECONDS) && (hours === undefined || Number(minutes) < MOST_SECONDS);
    if (!isClock || timeS > this.durationS) return { problem: `“${text}” is no time here; expected minutes and seconds, such as 1:13.2, from 0:00.000 to ${clockText(this.durationS, 3)}.` };
    return { timeS: isExact ? timeS : this.editor.freeHands.time(timeS) };
  }

  readFrame(text) {
    const last = Math.round(this.durationS * this.rate);
    if (!/^\d+$/.test(text.trim()) || Number(text) > last) return { problem: `“${text}” is no frame of this recording; expected a whole number from 0 to ${last}.` };
    return { timeS: rounded(Number(text) / this.rate) };
  }

  /** Why the edge cannot lie there, or null. */
  outOfRoom(item, edge, timeS) {
    if (this.editor.track.is_points) return null;
    const { lowS, highS } = this.editor.hands.room(item, edge);
    const mostS = Math.min(highS, edge === "end" ? Math.max(this.durationS, item.end_s) : highS);
    if (timeS >= lowS - TIME_SLACK_S && timeS <= mostS + TIME_SLACK_S) return null;
    return `${clockText(timeS, 3)} leaves no room for the segments beside; expected ${clockText(lowS, 3)} to ${clockText(mostS, 3)}.`;
  }
}
