/** Where the person stands in the recording: the player's place, or a plain time where no video is.
 *
 * An edge at a frame means that this frame is the first of what begins, so the playhead stands at the
 * beginning of the frame that is seen.
 */

import { Players } from "../../annotation/js/player.js";

export const SIDE = "trace";
const NO_FRAMES_STEP_S = 0.1;
const ROUNDING_FRAMES = 1e-3;
export const SPEEDS = Object.freeze([0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4]);
export const SKIP_S = Object.freeze({ usual: 5, least: 0.1, most: 600 });

export class Playback extends EventTarget {
  /** Events: "move" when the playhead has moved, "change" for playing, speed, sound and loop. */
  constructor({ video, rate, durationS }) {
    super();
    this.rate = rate;
    this.durationS = durationS;
    this.pausedAtS = 0;
    this.stopAtS = null;
    this.wantedS = null;
    // How far one press goes, and the span that playing keeps to: a function, or null.
    this.skipS = SKIP_S.usual;
    this.spanToStayIn = null;
    this.players = video && new Players({
      videos: { [SIDE]: video },
      frameRates: { [SIDE]: rate },
      durations: { [SIDE]: durationS },
      sections: [],
    });
    if (!this.players) return;
    this.players.strips = new Map();
    this.players.addEventListener("tick", () => this.onTick());
    this.players.addEventListener("change", () => {
      if (!this.isPlaying && this.stopAtS !== null && this.players.isAtEnd) this.stopHere();
      this.dispatchEvent(new CustomEvent("change"));
    });
    video.addEventListener("seeked", () => this.seekWanted());
  }

  get video() {
    return this.players?.main.video ?? null;
  }

  get isPlaying() {
    return Boolean(this.players?.isPlaying);
  }

  get isLooping() {
    return Boolean(this.players?.loopSpans);
  }

  /** Where the playhead stands.
   *
   * While it plays, the recording itself is asked: on a busy machine it has gone on by many frames
   * since the page was last drawn, and an edge belongs where the key was pressed.
   */
  get timeS() {
    return this.isPlaying ? this.players.main.time : this.pausedAtS;
  }

  /** Where what is seen begins: an edge set here has this frame as the first of what follows. */
  get edgeS() {
    return this.frameStart(this.timeS);
  }

  get stepS() {
    return this.rate ? 1 / this.rate : NO_FRAMES_STEP_S;
  }

  frameOf(timeS) {
    return this.rate ? Math.floor(timeS * this.rate + ROUNDING_FRAMES) : null;
  }

  frameStart(timeS) {
    if (!this.rate) return Math.round(timeS * 1e6) / 1e6;
    return Math.round((this.frameOf(timeS) / this.rate) * 1e6) / 1e6;
  }

  onTick() {
    if (this.isPlaying) {
      if (this.stopAtS !== null && this.timeS >= this.stopAtS) this.stopHere();
    } else if (this.wantedS === null) {
      // A media key or the browser's menu may have moved it.
      this.pausedAtS = this.players.position;
    }
    this.moved();
  }

  /** What was to be played has been, or the recording is over before its end. */
  stopHere() {
    const endS = Math.min(this.stopAtS, this.durationS ?? Infinity);
    this.stopAtS = null;
    this.pause();
    this.go(Math.max(0, endS - this.stepS));
    this.dispatchEvent(new CustomEvent("played"));
  }

  /** Go to a time; `isScrubbing`: only the latest of many, one seek at a time. */
  go(timeS, { isScrubbing = false } = {}) {
    const limitS = this.durationS ?? Infinity;
    const wantedS = Math.max(0, Math.min(timeS, limitS));
    this.pausedAtS = wantedS;
    this.stopAtS = null;
    if (!this.players) {
      this.moved();
      return;
    }
    if (isScrubbing && this.video.seeking) this.wantedS = wantedS;
    else this.seek(wantedS);
    if (isScrubbing) this.moved();
  }

  seek(timeS) {
    this.wantedS = null;
    this.players.go(timeS);
  }

  seekWanted() {
    if (this.wantedS !== null) this.seek(this.wantedS);
  }

  moved() {
    this.dispatchEvent(new CustomEvent("move"));
  }

  toggle() {
    this.stopAtS = null;
    const span = this.isPlaying ? null : this.spanToStayIn?.();
    if (!span) {
      this.players?.toggle();
      return;
    }
    const [startS, endS] = span;
    const isInside = this.timeS >= startS && this.timeS < endS - this.stepS;
    this.playOnce(isInside ? this.timeS : startS, endS);
  }

  pause() {
    if (this.isPlaying) this.players.pause();
  }

  faster() {
    if (!this.players) return;
    if (this.isPlaying) this.changeSpeed(1);
    else this.toggle();
  }

  changeSpeed(step) {
    const next = this.players && SPEEDS[SPEEDS.indexOf(this.players.speed) + step];
    if (next) this.players.setSpeed(next);
  }

  stepFrame(count) {
    if (this.rate && this.players) {
      this.pause();
      this.go(this.edgeS + count * this.stepS);
      this.players.dispatchEvent(new CustomEvent("frame"));
    } else {
      this.skip(count * NO_FRAMES_STEP_S);
    }
  }

  skip(seconds) {
    this.go(this.timeS + seconds);
  }

  /** Play from `startS` to `endS` and stop there. */
  playOnce(startS, endS) {
    if (!this.players) return;
    this.endLoop();
    this.go(startS);
    this.stopAtS = endS;
    if (this.players.isAtEnd) this.stopHere();
    else if (!this.isPlaying) this.players.play();
  }

  /** Play a span again and again. */
  loop(startS, endS) {
    if (!this.players) return;
    this.stopAtS = null;
    this.players.setLoop({ rows: [], reference: null, [SIDE]: [startS, endS], context_s: 0 });
    if (!this.isPlaying) this.players.play();
  }

  endLoop() {
    if (this.isLooping) this.players.setLoop(null);
  }

  toggleSound() {
    if (!this.players) return;
    this.video.muted = !this.video.muted;
    this.players.changed();
  }
}
