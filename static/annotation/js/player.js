/** Two players, one transport: the reference follows the trace step by step, by time, or not at all.
 *
 * The trace leads. Its clock is translated to the reference's by the matched steps; small drift is
 * taken out by speed, large drift by a seek.
 */

const SYNC_MS = 100;
const DEAD_BAND_S = 0.008;
const JUMP_S = 0.35;
const LOOP_CONTEXT_S = 2;
const NUDGE = 0.1;
const SLOPE_S = 0.25;
// Browsers refuse rates between 0 and this, and some above the other.
const SLOWEST = 0.0625;
const FASTEST = 8;
export const SPEEDS = Object.freeze([0.25, 0.5, 1, 1.5, 2]);

/** Return the second of the other side, as annotation/engine/timeline.py does. */
export function matchingTime(points, time) {
  const first = points[0];
  const last = points[points.length - 1];
  if (time <= first[0]) return Math.max(0, first[1] - (first[0] - time));
  if (time >= last[0]) return last[1] + (time - last[0]);
  const at = points.findIndex((point) => time <= point[0]);
  const [here, there] = points[at - 1];
  const [nextHere, nextThere] = points[at];
  return there + ((time - here) / (nextHere - here)) * (nextThere - there);
}

export class Players extends EventTarget {
  /** Events: "tick" (time moved), "change" (playing, speed, mode or loop changed). */
  constructor({ reference, trace, frameRates, clock }) {
    super();
    this.reference = reference;
    this.trace = trace;
    this.videos = [reference, trace].filter(Boolean);
    this.frameRates = frameRates;
    this.clock = clock;
    this.mode = reference && trace && clock.length ? "step" : "time";
    this.speed = 1;
    this.loop = null;
    this.offset = 0;
    for (const video of this.videos) {
      video.preservesPitch = true;
      for (const name of ["timeupdate", "seeked", "loadedmetadata"]) {
        video.addEventListener(name, () => this.tick());
      }
      for (const name of ["play", "pause", "ended"]) {
        video.addEventListener(name, () => this.changed());
      }
    }
    setInterval(() => this.synchronise(), SYNC_MS);
  }

  get leader() {
    return this.trace ?? this.reference;
  }

  get isPlaying() {
    return this.videos.some((video) => !video.paused && !video.ended);
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (this.leader?.ended) this.leader.currentTime = this.loop?.start ?? 0;
    this.rememberOffset();
    for (const video of this.videos) {
      video.playbackRate = this.speed;
      // A player that cannot start yet says so by its own error event.
      video.play().catch(() => this.changed());
    }
    this.animate();
  }

  pause() {
    this.videos.forEach((video) => video.pause());
    this.follow();
    this.changed();
  }

  setMode(mode) {
    this.mode = mode;
    this.rememberOffset();
    this.follow();
    this.changed();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.videos.forEach((video) => { video.playbackRate = speed; });
    this.changed();
  }

  changeSpeed(step) {
    const at = SPEEDS.indexOf(this.speed) + step;
    if (SPEEDS[at]) this.setSpeed(SPEEDS[at]);
  }

  /** Move both by whole frames; a frame is shown surely in the middle of its time. */
  stepFrame(count) {
    this.pause();
    for (const [name, video] of [["reference", this.reference], ["trace", this.trace]]) {
      if (!video) continue;
      const rate = this.frameRates[name];
      const frame = Math.floor(video.currentTime * rate + 1e-3) + count;
      video.currentTime = Math.max(0, (frame + 0.5) / rate);
    }
    this.rememberOffset();
  }

  skip(seconds) {
    this.videos.forEach((video) => { video.currentTime = Math.max(0, video.currentTime + seconds); });
    this.follow();
  }

  /** Show a row on both sides; a side that knows no time for it stays where it is. */
  seek({ reference, trace }) {
    if (this.reference && reference[0] !== null) this.reference.currentTime = reference[0];
    if (this.trace && trace[0] !== null) this.trace.currentTime = trace[0];
    this.rememberOffset();
  }

  seekLeader(time) {
    if (!this.leader) return;
    this.leader.currentTime = time;
    this.follow();
  }

  setLoop(span) {
    this.loop = span && {
      start: Math.max(0, span.start - LOOP_CONTEXT_S),
      end: Math.min(span.end + LOOP_CONTEXT_S, this.leader?.duration || Infinity),
    };
    if (this.loop) this.seekLeader(this.loop.start);
    this.changed();
  }

  rememberOffset() {
    if (this.reference && this.trace) this.offset = this.reference.currentTime - this.trace.currentTime;
  }

  /** Where the reference should be now; null when it goes its own way. */
  target() {
    if (!this.reference || !this.trace || this.mode === "free") return null;
    const { currentTime } = this.trace;
    const time = this.mode === "step" ? matchingTime(this.clock, currentTime) : currentTime + this.offset;
    return Math.max(0, Math.min(time, this.reference.duration || time));
  }

  follow() {
    const target = this.target();
    if (target !== null) this.reference.currentTime = target;
    this.tick();
  }

  synchronise() {
    if (!this.isPlaying) return;
    if (this.loop && this.leader.currentTime >= this.loop.end) this.seekLeader(this.loop.start);
    const target = this.target();
    if (target === null || this.reference.seeking || this.trace.paused) return;
    const drift = this.reference.currentTime - target;
    if (Math.abs(drift) > JUMP_S) this.reference.currentTime = target;
    const nudge = Math.abs(drift) > DEAD_BAND_S ? Math.max(-NUDGE, Math.min(NUDGE, drift)) : 0;
    const rate = this.speed * (this.slope() - nudge);
    this.reference.playbackRate = rate < SLOWEST ? 0 : Math.min(rate, FASTEST);
  }

  /** How fast the reference has to run where it is: a step may last longer on one side. */
  slope() {
    if (this.mode !== "step") return 1;
    const { currentTime } = this.trace;
    const ahead = matchingTime(this.clock, currentTime + SLOPE_S);
    return (ahead - matchingTime(this.clock, currentTime)) / SLOPE_S;
  }

  animate() {
    this.tick();
    if (this.isPlaying) requestAnimationFrame(() => this.animate());
  }

  tick() {
    this.dispatchEvent(new CustomEvent("tick"));
  }

  changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}
