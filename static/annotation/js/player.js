/** Two players, one transport: side by side step by step, by time, or each on its own.
 *
 * While both play, the side with more to play in a section leads; the other follows its clock. Small
 * drift is taken out by speed, a lead by waiting, a large lag by a seek.
 */

import { Recording } from "./recording.js";
import { SIDES, Timeline, runningOn } from "./sections.js";

const HIDDEN_SYNC_MS = 100;
const DEAD_BAND_S = 0.004;
const GAIN_PER_S = 4;
const LARGEST_NUDGE = 0.35;
const WAIT_ABOVE_S = 0.1;
const JUMP_S = 0.25;
const LOOP_CONTEXT_S = 2;
// A wait shorter than this is over before a seek to the exact last frame would be.
const SHORT_WAIT_S = 0.3;
// A side that stood still is under way so long after it was let go.
const START_S = 0.06;
// A side that waits is at most so far from the middle of the last frame of its part.
const WAITING_FRAMES = 0.6;
export const SPEEDS = Object.freeze([0.25, 0.5, 1, 1.5, 2]);

/** Return the rate of a follower that is `drift` seconds ahead (below 0: behind). */
function followingRate(drift, speed) {
  if (drift > WAIT_ABOVE_S) return 0;
  if (Math.abs(drift) <= DEAD_BAND_S) return speed;
  return speed * (1 - Math.max(-LARGEST_NUDGE, Math.min(LARGEST_NUDGE, GAIN_PER_S * drift)));
}

function otherSide(side) {
  return side === "trace" ? "reference" : "trace";
}

export class Players extends EventTarget {
  /** Events: "tick" (time moved), "change" (playing, speed, mode, loop), "frame" (a frame stepped), "unplayable". */
  constructor({ videos, frameRates, durations, sections }) {
    super();
    this.sides = new Map(SIDES.filter((side) => videos[side]).map(
      (side) => [side, new Recording(videos[side], frameRates[side])],
    ));
    this.durations = Object.fromEntries([...this.sides.keys()].map((side) => [side, durations[side]]));
    this.steps = sections.length ? new Timeline(sections) : null;
    this.mode = this.steps ? "step" : "time";
    this.position = 0;
    this.index = 0;
    this.speed = 1;
    this.isPlaying = false;
    this.loopSpans = null;
    this.loop = null;
    this.anchor();
    for (const [side, recording] of this.sides) this.listen(side, recording);
    // A page out of sight gets no animation frames, and its sound goes on.
    setInterval(() => { if (document.hidden) this.synchronise(); }, HIDDEN_SYNC_MS);
  }

  listen(side, recording) {
    const { video } = recording;
    for (const name of ["timeupdate", "seeked", "loadedmetadata"]) {
      video.addEventListener(name, () => this.tick());
    }
    video.addEventListener("seeking", () => {
      if (recording.isMovedByOthers && this.mode !== "free") this.seekSide(side, recording.time);
    });
    // The browser itself may stop a player, and then both stop; at its end one just waits.
    video.addEventListener("pause", () => {
      if (this.isPlaying && video.paused && !recording.isAtEnd) this.pause();
    });
  }

  /** The side that is heard. */
  get main() {
    return this.sides.get("trace") ?? this.sides.get("reference");
  }

  get section() {
    return this.timeline.sections[this.index];
  }

  /** Return the sides that have nothing to play here, while the other one has. */
  get waiting() {
    if (this.mode === "free") return [];
    const places = this.timeline.at(this.position, this.index);
    return [...this.sides.keys()].filter((side) => places[side].isWaiting);
  }

  get isAtEnd() {
    if (this.mode !== "free") return this.position >= this.timeline.duration - DEAD_BAND_S;
    return [...this.sides.values()].every((recording) => recording.isAtEnd);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Nothing plays, and "unplayable" is said, where no side can. */
  play() {
    if (![...this.sides.values()].some((recording) => recording.isUsable)) {
      this.dispatchEvent(new CustomEvent("unplayable"));
      return;
    }
    if (this.isAtEnd || [...this.sides.values()].every((recording) => recording.isAtEnd)) {
      if (this.mode === "free") for (const recording of this.sides.values()) recording.show(0);
      else this.go(this.loop?.start ?? 0);
    }
    this.isPlaying = true;
    for (const recording of this.sides.values()) {
      recording.isStarting = false;
      recording.setRate(this.speed);
      recording.start();
    }
    this.animate();
    this.changed();
  }

  /** Stop both, each in the middle of a frame, so that what is seen is what is meant. */
  pause() {
    if (this.isPlaying) {
      // They have gone on since the page was last drawn, and that was watched.
      if (this.mode !== "free") this.advance();
      this.tick();
    }
    this.isPlaying = false;
    for (const recording of this.sides.values()) recording.stop();
    if (this.mode === "free") this.showEach(({ time }) => time);
    else this.go(this.position);
    this.changed();
  }

  setMode(mode) {
    this.mode = mode;
    this.anchor();
    if (mode === "step") this.go(this.position);
    for (const recording of this.sides.values()) {
      recording.setRate(this.speed);
      if (this.isPlaying) recording.start();
    }
    this.setLoop(this.loopSpans);
  }

  setSpeed(speed) {
    this.speed = speed;
    for (const recording of this.sides.values()) recording.setRate(speed);
    this.changed();
  }

  changeSpeed(step) {
    const at = SPEEDS.indexOf(this.speed) + step;
    if (SPEEDS[at]) this.setSpeed(SPEEDS[at]);
  }

  /** Take timeline and position from where the recordings stand. */
  anchor() {
    const positions = Object.fromEntries([...this.sides].map(([side, { time }]) => [side, time]));
    const main = this.sides.has("trace") ? "trace" : "reference";
    this.timeline = this.mode === "step" ? this.steps : runningOn({ positions, durations: this.durations });
    this.position = this.timeline.from(main, positions[main]);
    this.index = this.timeline.indexAt(this.position);
  }

  /** Go to a time of the whole: each side shows its place. */
  go(time) {
    this.position = Math.max(0, Math.min(time, this.timeline.duration));
    const places = this.timeline.at(this.position);
    this.index = places.index;
    for (const [side, recording] of this.sides) {
      const { time: second, isWaiting } = places[side];
      recording.show(second, { isWaiting });
      if (this.isPlaying) recording.start();
    }
    this.tick();
  }

  showEach(timeOf) {
    for (const recording of this.sides.values()) recording.show(timeOf(recording));
    this.tick();
  }

  stepFrame(count) {
    if (this.isPlaying) this.pause();
    if (this.mode === "free") this.showEach(({ time, frameRate }) => time + count / frameRate);
    else this.stepLeader(count);
    this.dispatchEvent(new CustomEvent("frame"));
  }

  /** Move by whole frames of the side that leads; the other one shows what it has then. */
  stepLeader(count) {
    const leader = this.leaderOf(this.section);
    const recording = this.sides.get(leader);
    const passed = recording.middle(recording.time) - this.section[leader][0];
    this.go(this.section.start + Math.max(0, passed) + count / recording.frameRate);
  }

  skip(seconds) {
    if (this.mode === "free") this.showEach(({ time }) => time + seconds);
    else this.go(this.position + seconds);
  }

  /** Show a row of the table on both sides; a side that knows no time for it stays where it is. */
  seek(index, row) {
    const known = [...this.sides.keys()].filter((side) => row[side][0] !== null);
    if (this.mode === "step") {
      const side = known.at(-1);
      const section = this.steps.sectionOf(index);
      if (section) this.go(section.start);
      else if (side) this.go(this.steps.from(side, row[side][0]));
      return;
    }
    for (const side of known) this.sides.get(side).show(row[side][0]);
    this.anchor();
    this.tick();
  }

  /** Show a second of one side; the other one comes along unless it is free. */
  seekSide(side, second) {
    if (this.mode !== "free") {
      this.go(this.timeline.from(side, second));
      return;
    }
    this.sides.get(side).show(second);
    this.tick();
  }

  /** Repeat what `spans` says: {rows, reference: [start, end] or null, trace: the same}; null ends it.
   *
   * `context_s`: how much is played before and after, where it is not as on the audit page.
   */
  setLoop(spans) {
    const isNew = spans !== null && spans !== this.loopSpans;
    this.loopSpans = spans;
    this.loop = spans && this.mode !== "free" ? this.loopOf(spans) : null;
    if (isNew && this.loop) this.go(this.loop.start);
    else if (isNew) this.repeatFree({ isForced: true });
    this.changed();
  }

  loopOf(spans) {
    const found = this.mode === "step" ? spans.rows.map((row) => this.steps.sectionOf(row)).filter(Boolean) : [];
    const side = [...this.sides.keys()].findLast((name) => spans[name]);
    const ends = found.length || !side
      ? found.flatMap(({ start, end }) => [start, end])
      : spans[side].map((second) => this.timeline.from(side, second));
    if (!ends.length) return null;
    const { context_s: contextS = LOOP_CONTEXT_S } = spans;
    return {
      start: Math.max(0, Math.min(...ends) - contextS),
      end: Math.min(this.timeline.duration, Math.max(...ends) + contextS),
    };
  }

  /** Free, each side repeats its own part. */
  repeatFree({ isForced = false } = {}) {
    for (const [side, recording] of this.sides) {
      const span = this.loopSpans?.[side];
      if (!span || recording.video.seeking) continue;
      if (isForced || recording.time >= span[1] + LOOP_CONTEXT_S || recording.isAtEnd) {
        recording.show(Math.max(0, span[0] - LOOP_CONTEXT_S));
        if (this.isPlaying) recording.start();
      }
    }
  }

  synchronise() {
    if (!this.isPlaying) return;
    if (this.mode === "free") {
      this.repeatFree();
      if (this.isAtEnd && !this.loopSpans) this.pause();
      return;
    }
    this.advance();
    if (this.loop && this.position >= this.loop.end - DEAD_BAND_S) this.go(this.loop.start);
    else if (this.isAtEnd) this.pause();
    else this.follow();
  }

  /** Read the time from the side that leads, through as many sections as it has come. */
  advance() {
    for (;;) {
      const section = this.section;
      const leader = this.leaderOf(section);
      const recording = this.sides.get(leader);
      const passed = recording.time - section[leader][0];
      const isOver = !recording.isUsable || (recording.isAtEnd && !recording.video.seeking);
      const isDone = isOver || passed >= section.lengths[leader];
      this.position = isDone ? section.end : section.start + Math.max(0, passed);
      if (!isDone || this.index + 1 >= this.timeline.sections.length) return;
      this.index += 1;
      this.enter(this.section);
    }
  }

  /** What has waited may stand a little off; what leads now must be at its place. */
  enter(section) {
    const leader = this.leaderOf(section);
    const recording = this.sides.get(leader);
    if (Math.abs(recording.time - section[leader][0]) > JUMP_S) recording.show(section[leader][0]);
    recording.start();
  }

  /** A recording that cannot be played leads nobody. */
  leaderOf(section) {
    const other = otherSide(section.leader);
    const isAble = this.sides.get(section.leader)?.isUsable;
    return isAble || !this.sides.has(other) || !section.lengths[other] ? section.leader : other;
  }

  follow() {
    const { section } = this;
    const leader = this.leaderOf(section);
    this.sides.get(leader).setRate(this.speed);
    const follower = this.sides.get(otherSide(leader));
    if (!follower || follower.video.seeking) return;
    const place = this.timeline.at(this.position, this.index)[otherSide(leader)];
    const drift = follower.time - place.time;
    if (place.isWaiting) {
      this.holdBack(follower, place, section.end - this.position);
    } else if (drift < -JUMP_S) {
      follower.seek(place.time + follower.seekSeconds * this.speed);
      follower.start();
    } else {
      follower.setRate(followingRate(drift, this.speed));
      if (!follower.isAtEnd) follower.start();
    }
  }

  /** Let a side wait on the last frame of its part, and go in time for the next one. */
  holdBack(follower, place, restS) {
    if (restS <= START_S * this.speed + Math.max(0, place.time - follower.time)) {
      follower.setRate(this.speed);
      return;
    }
    follower.setRate(0);
    const frames = (follower.time - follower.lastBefore(place.time)) * follower.frameRate;
    if (Math.abs(frames) > WAITING_FRAMES && restS > SHORT_WAIT_S) follower.show(place.time, { isWaiting: true });
  }

  animate() {
    if (this.isAnimating) return;
    this.isAnimating = true;
    const draw = () => {
      this.synchronise();
      this.tick();
      this.isAnimating = this.isPlaying;
      if (this.isPlaying) requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
  }

  tick() {
    this.dispatchEvent(new CustomEvent("tick"));
  }

  changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
