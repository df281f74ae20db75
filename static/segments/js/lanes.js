/** All lanes over one time scale: ruler, playhead, the two edges that can be held, and the pointer. */

import { clockText } from "./time_scale.js";

const EDGE_PX = 6;
const FINGER_PX = 14;
const HANDLE_PX = 24;
const DRAG_PX = 3;
const WHEEL_ZOOM = 1.0015;
const EDGES = Object.freeze(["start", "end"]);

export class Lanes extends EventTarget {
  /** Events: "choose" {lane, key, timeS}, "scrub" {timeS, isLast}, "drag" {key, edge, timeS, isFree, phase},
   * "draw" {lane, startS, endS}, "hold" {edge}, "zoom" {byKey}.
   */
  constructor({ root, scale, lanes }) {
    super();
    this.root = root;
    this.scale = scale;
    this.lanes = lanes;
    this.area = root.querySelector("[data-area]");
    this.ruler = root.querySelector("[data-ruler]");
    this.head = root.querySelector("[data-head]");
    this.snapLine = root.querySelector("[data-snap]");
    this.tip = root.querySelector("[data-tip]");
    this.handles = new Map(EDGES.map((edge) => [edge, root.querySelector(`[data-edge="${edge}"]`)]));
    this.view = { selected: null, held: null, track: null, headS: 0, changed: null };
    this.ticks = [];
    this.isDrawn = true;
    this.pointer = null;
    scale.addEventListener("change", () => this.redraw());
    new ResizeObserver(() => scale.setWidth(this.area.clientWidth)).observe(this.area);
    scale.setWidth(this.area.clientWidth);
    root.addEventListener("pointerdown", (event) => this.onDown(event));
    root.addEventListener("pointermove", (event) => this.onHover(event));
    root.addEventListener("pointerleave", () => { this.pointer = null; });
    root.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    // A screen reader presses without a pointer.
    root.addEventListener("click", ({ detail, target }) => {
      const lane = detail === 0 && this.laneOf(target);
      const key = lane && lane.keyOf(target);
      if (key) this.tell("choose", { lane: lane.name, kind: lane.kind, key, timeS: lane.segments.find((item) => item.key === key).start_s });
    });
    for (const [edge, handle] of this.handles) handle.addEventListener("focus", () => this.tell("hold", { edge }));
  }

  /** `view`: {selected, held, track, changed, isLocked, edgeWords}; drawn with the next frame. */
  show(view) {
    Object.assign(this.view, view);
    this.redraw();
  }

  redraw() {
    if (!this.isDrawn) return;
    this.isDrawn = false;
    requestAnimationFrame(() => {
      this.isDrawn = true;
      this.draw();
    });
  }

  draw() {
    for (const lane of this.lanes) lane.draw(this.scale, this.view);
    this.drawRuler();
    this.drawHead();
    this.drawHandles();
    // What lies under a pointer that rests may be another thing now.
    if (this.pointer && !this.isDown) this.showAct(this.pointer);
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  drawRuler() {
    const ticks = this.scale.ticks();
    while (this.ticks.length < ticks.length) {
      const tick = document.createElement("span");
      this.ruler.append(tick);
      this.ticks.push(tick);
    }
    this.ticks.forEach((tick, index) => {
      tick.hidden = index >= ticks.length;
      if (tick.hidden) return;
      tick.style.transform = `translateX(${this.scale.xOf(ticks[index].timeS).toFixed(1)}px)`;
      if (tick.textContent !== ticks[index].text) tick.textContent = ticks[index].text;
    });
  }

  /** While it plays this alone is drawn in every frame. */
  drawHead(timeS = this.view.headS) {
    this.view.headS = timeS;
    const x = this.scale.xOf(timeS);
    this.head.style.transform = `translateX(${x.toFixed(1)}px)`;
    const isOut = x < -1 || x > this.scale.width + 1;
    if (this.head.hidden !== isOut) this.head.hidden = isOut;
  }

  drawHandles() {
    const { selected, held, changed, edgeWords } = this.view;
    const lane = this.lanes.find(({ name, kind }) => kind === "own" && name === this.view.track);
    const stored = selected && lane?.segments.find(({ key }) => key === selected);
    const segment = stored && (changed?.get(selected) ?? stored);
    for (const [edge, handle] of this.handles) {
      const timeS = segment?.[`${edge}_s`];
      const x = segment ? this.scale.xOf(timeS) : -1;
      const isOut = !segment || this.view.isLocked || x < -6 || x > this.scale.width + 6 || (lane.isPoints && edge === "end");
      // One that has the focus stays, or the keyboard would lose its place.
      handle.hidden = !segment || (isOut && document.activeElement !== handle);
      if (handle.hidden) continue;
      if (handle.parentElement !== lane.root) lane.root.append(handle);
      handle.style.transform = `translateX(${(x - HANDLE_PX / 2).toFixed(1)}px)`;
      handle.classList.toggle("held", held === edge);
      handle.setAttribute("aria-valuenow", timeS.toFixed(3));
      handle.setAttribute("aria-valuemax", this.scale.durationS.toFixed(3));
      const words = edgeWords?.(segment, edge);
      if (words && handle.getAttribute("aria-valuetext") !== words) handle.setAttribute("aria-valuetext", words);
    }
  }

  /** What is said beside an edge that moves, and the line at which it snaps. */
  showTip(text, timeS, { isSnapped = false } = {}) {
    this.tip.hidden = !text;
    this.snapLine.hidden = !isSnapped;
    if (!text) return;
    const x = this.scale.xOf(timeS);
    this.tip.textContent = text;
    const isRight = x > this.scale.width / 2;
    this.tip.style.transform = isRight ? `translateX(calc(${x - 10}px - 100%))` : `translateX(${x + 10}px)`;
    this.snapLine.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  laneOf(target) {
    return this.lanes.find(({ root }) => root.contains(target)) ?? null;
  }

  xOf(event) {
    return event.clientX - this.area.getBoundingClientRect().left;
  }

  timeOf(event) {
    return Math.max(0, Math.min(this.scale.timeAt(this.xOf(event)), this.scale.durationS));
  }

  edgeUnder(event, lane) {
    if (!lane || lane.kind !== "own" || this.view.isLocked) return null;
    const timeS = this.scale.timeAt(this.xOf(event));
    const slackS = (event.pointerType === "touch" ? FINGER_PX : EDGE_PX) / this.scale.pixelsPerS;
    const found = lane.edgeAt(timeS, slackS, this.view.selected);
    // Where segments are drawn as one there is no edge to take.
    const segment = found && lane.segments.find(({ key }) => key === found.key);
    const isWide = segment && (lane.isPoints || (segment.end_s - segment.start_s) * this.scale.pixelsPerS >= 2 * EDGE_PX);
    return isWide || found?.key === this.view.selected ? found : null;
  }

  onHover(event) {
    if (this.isDown) return;
    this.pointer = event;
    this.showAct(event);
  }

  /** What a press does here: {act: "drag", "draw", "choose" or "scrub", lane, edge, found}; the cursor shows it. */
  actAt(event) {
    const lane = this.laneOf(event.target);
    if (!lane) return { act: "scrub", lane: null };
    const edge = this.edgeUnder(event, lane);
    if (edge) return { act: "drag", lane, edge };
    const timeS = this.timeOf(event);
    // Only what is too narrow to be met is taken from beside it.
    const near = lane.at(timeS, EDGE_PX / this.scale.pixelsPerS);
    const isMet = near && ((near.start_s <= timeS && timeS < near.end_s) || (near.end_s - near.start_s) * this.scale.pixelsPerS < 2 * EDGE_PX);
    if (!isMet && lane.kind === "own" && !this.view.isLocked) return { act: "draw", lane };
    return { act: "choose", lane, found: isMet ? near : null };
  }

  showAct(event) {
    const { act } = this.actAt(event);
    if (this.root.dataset.act !== act) this.root.dataset.act = act;
  }

  onDown(event) {
    if (event.button !== 0 || !event.target.closest("[data-area]")) return;
    const { act, lane, edge, found } = this.actAt(event);
    if (act === "drag") this.follow(event, (phase, last) => this.tell("drag", { ...edge, phase, pressedS: edge.timeS, timeS: edge.timeS + this.movedS(event, last), isFree: last.altKey, isExact: last.shiftKey }));
    else if (lane) this.pressLane(event, lane, act, found);
    else this.follow(event, (phase, last) => this.tell("scrub", { timeS: this.timeOf(last), isLast: phase === "end" }), { isEager: true });
    // The lanes take no focus from a press; what is chosen gets it.
    event.preventDefault();
  }

  movedS(from, to) {
    return (to.clientX - from.clientX) / this.scale.pixelsPerS;
  }

  pressLane(event, lane, act, found) {
    const timeS = this.timeOf(event);
    if (act === "choose") {
      this.tell("choose", { lane: lane.name, kind: lane.kind, key: found?.key ?? null, timeS, isMore: event.shiftKey || event.ctrlKey || event.metaKey });
      return;
    }
    let hasMoved = false;
    this.follow(event, (phase, last) => {
      hasMoved ||= phase === "move";
      const [startS, endS] = [timeS, this.timeOf(last)].sort((a, b) => a - b);
      if (hasMoved) this.tell("draw", { lane: lane.name, startS, endS, phase, isFree: last.altKey, isExact: last.shiftKey });
      else if (phase === "end") this.tell("choose", { lane: lane.name, kind: lane.kind, key: null, timeS });
    });
  }

  /** Tell of a pointer from its press to its release; Escape and a lost pointer cancel. */
  follow(event, run, { isEager = false } = {}) {
    this.isDown = true;
    let hasMoved = isEager;
    if (isEager) run("move", event);
    const move = (next) => {
      hasMoved ||= Math.abs(next.clientX - event.clientX) >= DRAG_PX;
      if (hasMoved) run("move", next);
    };
    const end = (next) => {
      this.isDown = false;
      for (const [name, listener] of listeners) window.removeEventListener(name, listener, true);
      if (next.type === "pointerup") run("end", next);
      else run("cancel", event);
    };
    const key = (next) => {
      if (next.key !== "Escape") return;
      next.stopPropagation();
      end(next);
    };
    const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end], ["keydown", key]];
    for (const [name, listener] of listeners) window.addEventListener(name, listener, true);
  }

  onWheel(event) {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const canPageScroll = document.documentElement.scrollHeight > window.innerHeight + 1;
    if (!event.ctrlKey && !isSideways && canPageScroll) return;
    event.preventDefault();
    if (event.ctrlKey) this.scale.zoom(WHEEL_ZOOM ** -event.deltaY, this.timeOf(event));
    else this.scale.show(this.scale.startS + (event.deltaX || event.deltaY) / this.scale.pixelsPerS);
  }

  /** Put the keyboard on what is selected, or on its held edge. */
  focus() {
    const { held, selected } = this.view;
    if (held) this.handles.get(held).focus({ preventScroll: true });
    else for (const lane of this.lanes) lane.elementOf(selected)?.focus({ preventScroll: true });
  }
}

/** How a segment is told by its times: 0:05.0 to 0:19.3. */
export function spanText({ start_s: startS, end_s: endS }) {
  if (startS === null) return "not timed";
  if (startS === endS) return clockText(startS);
  return `${clockText(startS)}–${clockText(endS)}`;
}
