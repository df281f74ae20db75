/** Draws what the editor holds: lanes, list, edge pictures, words; once per frame at most. */

import { faultWords } from "./describing.js";
import { Fault } from "./faults.js";
import { isMissing } from "./model.js";
import { rowsOf } from "./segment_list.js";
import { clockText, differenceText } from "./time_scale.js";

const LEAST_GAP_S = 0.05;

export class View {
  constructor(parts) {
    Object.assign(this, parts);
    this.find = (selector) => document.querySelector(selector);
    this.tabs = this.find("#tabs");
    this.leftButton = this.find("#left");
    this.news = this.find("#segment-news");
    this.listedState = null;
    this.isDrawn = true;
    this.opening = document.createElement("div");
    this.opening.className = "opening";
    this.opening.hidden = true;
    this.isFollowing = true;
  }

  start() {
    const { editor, lanes, list, playback, scale, marking, data } = this;
    this.find("#duration").textContent = clockText(scale.durationS, 0);
    const grid = data.rate ? `${Number(data.rate.toFixed(3))} frames a second` : "";
    const rateWords = ` · ${!grid ? data.rate_note ?? "" : data.media?.is_rate_variable ? `frame rate varies, shown at ${grid}` : `${grid}, every frame known`}`;
    this.find("#rate-words").textContent = data.media?.url || data.rate_note ? rateWords : "";
    this.find("#rate-words").title = rateWords.slice(3);
    editor.addEventListener("change", () => this.redraw());
    editor.addEventListener("select", () => this.onSelect());
    editor.addEventListener("held", () => this.focusHeld());
    editor.addEventListener("words", ({ detail }) => this.say(detail));
    marking.addEventListener("change", () => this.redraw());
    this.checks?.addEventListener("noted", () => {
      lanes.focus();
      // A selected segment out of sight takes no focus.
      if (document.activeElement === this.checks.note) this.checks.note.blur();
    });
    this.checks?.addEventListener("answered", () => this.redraw({ isListOld: true }));
    playback.addEventListener("move", () => this.onMove());
    playback.addEventListener("change", () => this.onMove());
    lanes.addEventListener("choose", ({ detail }) => this.onChoose(detail));
    lanes.addEventListener("scrub", ({ detail: { timeS } }) => playback.go(timeS, { isScrubbing: true }));
    lanes.addEventListener("drag", ({ detail }) => editor.hand.drag(detail));
    lanes.addEventListener("draw", ({ detail }) => this.onDraw(detail));
    lanes.addEventListener("hold", ({ detail: { edge } }) => { if (editor.held !== edge) editor.hold(edge); });
    lanes.addEventListener("drawn", () => {
      this.rows.sound?.draw();
      if (!this.editor.preview) this.rows.film?.draw();
      this.drawOpening();
    });
    list.addEventListener("choose", ({ detail: { key, startS, isRange, isMore } }) => {
      if (key && isRange) editor.several.extendTo(key);
      else if (key && isMore) editor.several.toggle(key);
      else if (key) editor.select(key);
      else playback.go(startS);
    });
    editor.passes = (item) => this.filter.passes(item);
    this.filter.addEventListener("change", () => this.redraw({ isListOld: true }));
    this.procedure.addEventListener("choose", ({ detail }) => this.onStep(detail));
    scale.addEventListener("change", () => { this.isFollowing = playback.timeS >= scale.startS && playback.timeS <= scale.endS; });
    this.overview.addEventListener("go", ({ detail: { timeS, isInside } }) => { if (!isInside) playback.go(timeS); });
    this.makeTabs();
    const first = this.firstOpen();
    if (this.adjudication) this.adjudication.start();
    else if (first) editor.select(first.key);
    else this.onSelect();
    this.draw();
    this.onMove();
  }

  /** Where somebody goes on: the first segment that asks for something. */
  firstOpen() {
    const items = this.editor.segmentsOf(this.editor.trackName).filter(({ start_s: startS }) => startS !== null);
    if (this.checks) return items.find((item) => !this.checks.isAnswered(item)) ?? items[0];
    return items.find((item) => item.is_proposal || (!item.step_id && !item.label)) ?? null;
  }

  redraw({ isListOld = false } = {}) {
    if (isListOld) this.listedState = null;
    if (!this.isDrawn) return;
    this.isDrawn = false;
    requestAnimationFrame(() => {
      this.isDrawn = true;
      this.draw();
    });
  }

  draw() {
    const { editor, lanes } = this;
    const { preview, selected, held } = editor;
    if (this.listedState !== editor.state || this.listedTrack !== editor.trackName || this.listedKey !== editor.selectedKey || this.listedVersion !== editor.several.version) this.drawSegments();
    lanes.show({
      selected: selected?.key ?? null, held, track: editor.trackName, changed: preview?.changed ?? null,
      isLocked: !editor.canMoveEdges, edgeWords: (segment, edge) => this.describing.edgeAloud(segment, edge),
    });
    this.list.preview(preview?.changed ?? null);
    this.drawTip();
    this.drawEdge();
    this.edgeFields.show();
  }

  /** What only differs when segments do: the lanes' segments, the list, the badges, what is left. */
  drawSegments() {
    const { editor, list, describing } = this;
    const isNew = this.listedState !== editor.state;
    const isOther = this.listedKey !== editor.selectedKey;
    if (isNew) {
      this.faults = editor.shownState ? [] : editor.book.faults();
      describing.setFaults(this.faults);
      for (const lane of this.lanes.lanes) {
        if (lane.kind === "own") lane.set(editor.segmentsOf(lane.name).filter((item) => item.start_s !== null).sort((a, b) => a.start_s - b.start_s || a.end_s - b.end_s));
      }
      this.overview.redraw();
    }
    Object.assign(this, { listedState: editor.state, listedTrack: editor.trackName, listedKey: editor.selectedKey, listedVersion: editor.several.version });
    this.showChecks();
    const { track } = editor;
    const segments = editor.segmentsOf(track.name);
    this.filter.draw(segments);
    // Where edges are given nobody could close a gap.
    const isGiven = editor.book.stage === "audit" || editor.options.hasLockedEdges;
    list.set(rowsOf({ segments: segments.filter((item) => this.filter.passes(item)), hasGaps: !isGiven && !this.filter.isOn && track.geometry !== "free" && !track.is_points, leastGapS: LEAST_GAP_S }), editor.selectedKey);
    // What is at hand stays in sight, whatever came or went above it.
    if (isNew || isOther) list.reveal();
    this.drawTabs();
    this.drawLeft();
    this.drawProcedure(segments);
    this.adjudication?.draw();
  }

  makeTabs() {
    const tracks = this.editor.book.scheme.tracks;
    for (const track of tracks) {
      const chip = document.createElement("button");
      Object.assign(chip, { type: "button", className: "chip" });
      chip.dataset.track = track.name;
      const count = document.createElement("span");
      count.className = "count";
      chip.append(`${track.source === "labels" ? "▲ " : ""}${track.title} `, count);
      chip.addEventListener("click", () => this.editor.setTrack(track.name));
      this.tabs.append(chip);
    }
    const gaps = document.createElement("span");
    gaps.className = "small gaps";
    this.tabs.append(gaps);
  }

  drawTabs() {
    const { editor, list, rows } = this;
    for (const chip of this.tabs.querySelectorAll("[data-track]")) {
      chip.setAttribute("aria-current", String(chip.dataset.track === editor.trackName));
      chip.querySelector(".count").textContent = String(editor.segmentsOf(chip.dataset.track).filter((item) => !isMissing(item)).length);
    }
    const gapCount = list.rows.filter(({ gapS }) => gapS).length;
    const missingCount = list.rows.filter((row) => row.key && isMissing(row)).length;
    const told = [gapCount && `${gapCount} ${gapCount === 1 ? "gap" : "gaps"}`, missingCount && `${missingCount} missing`];
    this.tabs.querySelector(".gaps").textContent = told.filter(Boolean).join(", ");
    for (const [name, label] of rows.labels) label.classList.toggle("current", name === editor.trackName);
  }

  /** Every step with what has become of it; marked is that of the selected segment, else what it is likely to be. */
  drawProcedure(segments) {
    const { selected, track } = this.editor;
    if (track.source !== "steps") return;
    const likeliest = () => this.offers.choices.ranked({ segments, segment: selected })[0]?.step.step_id;
    this.procedure.show(segments, selected?.step_id || likeliest());
  }

  /** A step in the procedure: to its segments in turn; one that is not marked names what has no label. */
  onStep({ step, keys }) {
    const { editor } = this;
    if (editor.track.source !== "steps") editor.setTrack(editor.book.scheme.tracks.find(({ source }) => source === "steps").name);
    const { selected } = editor;
    if (this.offers.isNamingOpen) this.marking.label(step.step_id);
    else if (selected && !selected.step_id && editor.canEdit) editor.label({ step_id: step.step_id });
    else if (keys.length) editor.select(keys[(keys.indexOf(editor.selectedKey) + 1) % keys.length]);
    else editor.say(`Step ${step.number} is not marked yet: press A where it begins, then its number.`, "warning");
    this.offers.passive();
    this.list.draw();
  }

  /** What stands in the way of submitting, as a count that leads to it. */
  drawLeft() {
    const open = this.stages.leftToDo(this.faults);
    const words = !this.stages.isOpen ? "" : open.length ? `${open.length} left` : "nothing left";
    if (this.leftButton.textContent !== words) this.leftButton.textContent = words;
    this.leftButton.disabled = !open.length;
  }

  goToFault() {
    const [first] = this.stages.leftToDo(this.faults);
    if (first) this.goTo(first);
  }

  /** Show what is left to do; `before` stands before its words, and goes with them. */
  goTo(fault, before = "") {
    const { editor, playback, scale } = this;
    if (fault.case) {
      this.adjudication.go(fault.case);
      editor.say(`${before}The versions differ here, and nothing is decided yet.`);
      return;
    }
    const item = fault.key ? editor.book.state.segments.get(fault.key) : null;
    if (item) editor.select(item.key);
    if (fault.kind === Fault.GAP || fault.kind === Fault.OVERLAP) {
      playback.go(fault.start_s);
      scale.reveal(fault.start_s, fault.end_s);
    }
    const words = fault.question ? `${this.describing.nameOf(item)}: “${fault.words}” has no answer that counts.` : faultWords(fault, this.describing);
    editor.say(`${before}${words}`);
  }

  /** The answers that count depend on how the segment is now. */
  showChecks() {
    const { selected } = this.editor;
    this.checks?.show(selected, selected ? this.describing.titleOf(selected) : "");
  }

  onSelect() {
    const { editor, offers, list, describing } = this;
    offers.passive();
    const { selected } = editor;
    this.showChecks();
    this.draw();
    list.reveal();
    if (selected && editor.held === null) this.news.textContent = describing.aloud(editor.timesOf(selected));
  }

  /** The keyboard goes to the edge that it holds, and back to the segment. */
  focusHeld() {
    this.draw();
    this.lanes.draw();
    this.lanes.focus();
    if (!this.editor.held && this.editor.selected) this.news.textContent = this.describing.aloud(this.editor.selected);
  }

  onChoose({ lane, kind, key, timeS, isMore }) {
    const { editor, playback } = this;
    if (isMore && key && kind === "own" && lane === editor.trackName) {
      editor.several.toggle(key);
      return;
    }
    playback.go(timeS);
    if (kind === "own") {
      if (lane !== editor.trackName) editor.setTrack(lane);
      editor.select(key, { isGoing: false });
    }
  }

  onDraw({ lane, startS, endS, phase, isFree, isExact }) {
    const { editor, lanes, playback } = this;
    if (phase === "cancel") {
      this.drawn = null;
      this.drawOpening();
      return;
    }
    if (lane !== editor.trackName) editor.setTrack(lane);
    playback.go(endS, { isScrubbing: true });
    this.drawn = phase === "end" ? null : { startS, endS };
    lanes.showTip(phase === "end" ? "" : `${clockText(startS)}–${clockText(endS)}`, endS);
    if (phase === "end") editor.draw(startS, endS, { isFree, isExact });
    this.drawOpening();
  }

  /** The segment that grows with the playhead, or under the pointer. */
  drawOpening() {
    const { editor, marking, playback, scale, opening } = this;
    const { open } = marking;
    const label = !this.drawn && open?.stepId ? this.describing.inOpening(open.stepId) : "";
    if (opening.textContent !== label) opening.textContent = label;
    const span = this.drawn ?? (open && { startS: open.startS, endS: Math.max(open.startS, playback.timeS) });
    opening.hidden = !span;
    if (!span) return;
    const lane = this.lanes.lanes.find(({ kind, name }) => kind === "own" && name === (this.drawn ? editor.trackName : open.track));
    if (lane && opening.parentElement !== lane.root) lane.root.append(opening);
    const left = Math.max(-4, scale.xOf(span.startS));
    opening.style.transform = `translateX(${left.toFixed(1)}px)`;
    opening.style.width = `${Math.max(1, Math.min(scale.width + 4, scale.xOf(span.endS)) - left).toFixed(1)}px`;
  }

  onMove() {
    const { playback, lanes, overview, scale, editor } = this;
    const { timeS } = playback;
    const frame = playback.frameOf(timeS);
    const words = frame === null ? clockText(timeS, 1) : `${clockText(playback.edgeS, 3)} · frame ${frame}`;
    const clock = this.find("#clock");
    if (clock.textContent !== words) clock.textContent = words;
    // Somebody who scrolls elsewhere while it plays stays there.
    if (playback.isPlaying && this.isFollowing && !editor.preview) scale.follow(timeS);
    lanes.drawHead(timeS);
    overview.drawHead(timeS);
    if (this.marking.open) this.drawOpening();
  }

  drawTip() {
    const { editor, lanes, playback } = this;
    const { preview } = editor;
    const held = this.find("#held-words");
    const name = editor.held && editor.selected ? `${editor.held === "start" ? "Start" : "End"} of ${this.describing.nameOf(editor.selected)} held` : "";
    if (held.dataset.words !== name) {
      held.dataset.words = name;
      held.replaceChildren();
      if (name) {
        const strong = document.createElement("b");
        strong.textContent = name;
        held.append(strong, playback.rate ? " , . a frame, ← → 0.1 s" : " ← → 0.1 s");
      }
    }
    if (!preview) {
      lanes.showTip("", 0);
      return;
    }
    const { rate } = playback;
    const parts = [clockText(preview.timeS, rate ? 3 : 1)];
    if (preview.kind) parts.push(`snaps to ${preview.kind}`);
    if (preview.byS) parts.push(differenceText(preview.byS, rate));
    if (preview.followers) parts.push("shared");
    lanes.showTip(parts.join(" · "), preview.timeS, { isSnapped: Boolean(preview.kind) });
  }

  /** The pictures belong to the held edge, else to the start of what is selected. */
  drawEdge() {
    const { editor, describing } = this;
    const decided = this.adjudication?.current;
    const item = editor.preview?.changed.get(editor.selectedKey) ?? editor.selected ?? decided?.a ?? decided?.b;
    const timed = item && editor.timesOf(item);
    if (!timed || timed.start_s === null) {
      this.edgeFrames.show(null);
      return;
    }
    const edge = editor.held ?? "start";
    const timeS = editor.preview?.timeS ?? timed[`${edge}_s`];
    const opposite = edge === "start" ? "end_s" : "start_s";
    const neighbour = editor.state.timed(timed.track).find((other) => other.key !== timed.key && other[opposite] === timed[`${edge}_s`]);
    const own = describing.nameOf(timed);
    const other = neighbour ? describing.nameOf(neighbour) : null;
    this.edgeFrames.show(edge === "start"
      ? { timeS, before: other ? `Last frame of ${other}` : "Last frame before", after: `First frame of ${own}` }
      : { timeS, before: `Last frame of ${own}`, after: other ? `First frame of ${other}` : "First frame after" });
  }

  /** Warnings stand at the top until the next thing is done; what went well is only read aloud. */
  say({ text, kind }) {
    if (text && kind) this.notices.show("editor", kind, text);
    else this.notices.clear("editor");
    if (text && !kind) this.news.textContent = text;
  }
}
