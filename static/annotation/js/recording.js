/** One of the two recordings: its frames are met in their middle, its rate is set without churn. */

// A rate that differs by less is left alone: each change makes the browser start its clock anew.
const RATE_STEP = 0.01;
const SAME_PLACE_S = 1e-3;
const FIRST_GUESS_S = 0.06;
const SHARE_OF_NEW = 0.3;
// A frame's number is known from a time that rounding may have put just before the frame.
const ROUNDING_FRAMES = 1e-3;

// Where frames are not known, a moment is met just after it: on the border of two frames a browser may
// show either, and no frame of a usual recording is over by then.
const JUST_AFTER_S = 0.004;

export class Recording {
  /** `frameRate` is null where the frames are not known. */
  constructor(video, frameRate) {
    this.video = video;
    this.frameRate = frameRate;
    this.asked = null;
    this.isStarting = false;
    this.seekSeconds = FIRST_GUESS_S;
    video.preservesPitch = true;
    video.addEventListener("seeking", () => { this.seekingSince = performance.now(); });
    video.addEventListener("seeked", () => this.learnSeekTime());
  }

  get time() {
    return this.video.currentTime;
  }

  get isUsable() {
    return this.video.error === null;
  }

  get isAtEnd() {
    return this.video.ended || this.time >= this.video.duration;
  }

  /** Return the middle of the frame that is shown at a time; a browser may show either at a border. */
  middle(time) {
    if (this.frameRate === null) return Math.max(0, time) + JUST_AFTER_S;
    const last = Math.max(0, Math.round((this.video.duration || Infinity) * this.frameRate) - 1);
    const frame = Math.floor(Math.max(0, time) * this.frameRate + ROUNDING_FRAMES);
    return (Math.min(frame, last) + 0.5) / this.frameRate;
  }

  /** Show the frame of a time, or the last one before it: a side that waits has not gone on. */
  show(time, { isWaiting = false } = {}) {
    this.seek(isWaiting ? this.lastBefore(time) : this.middle(time));
  }

  /** Return the middle of the last frame before a time. */
  lastBefore(time) {
    return this.middle(time - 1 / this.frameRate);
  }

  seek(time) {
    this.asked = Math.max(0, time);
    this.video.currentTime = this.asked;
  }

  /** Whether the seek that goes on was not asked for here: a media key, a browser's menu. */
  get isMovedByOthers() {
    // Once it is over, the time runs on and says nothing of where the seek went.
    return this.video.seeking && (this.asked === null || Math.abs(this.time - this.asked) > SAME_PLACE_S);
  }

  /** A player that cannot start says so by its own error event, and is not asked again and again.
   *
   * One that is at its end stays there: a browser would begin it anew.
   */
  start() {
    if (!this.video.paused || this.isStarting || this.isAtEnd) return;
    this.isStarting = true;
    this.video.play().then(() => { this.isStarting = false; }, (error) => { this.isStarting = error.name === "NotAllowedError"; });
  }

  stop() {
    this.isStarting = false;
    this.video.pause();
  }

  setRate(rate) {
    const { playbackRate } = this.video;
    const isSame = rate === playbackRate || (rate !== 0 && Math.abs(rate - playbackRate) < RATE_STEP * rate);
    if (!isSame) this.video.playbackRate = rate;
  }

  learnSeekTime() {
    const seconds = (performance.now() - this.seekingSince) / 1000;
    this.seekSeconds += SHARE_OF_NEW * (Math.min(seconds, 1) - this.seekSeconds);
  }
}
