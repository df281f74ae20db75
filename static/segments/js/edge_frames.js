/** The last frame before an edge and the first after it, from a second decoder of the same file.
 *
 * One video element goes to both frames in turn and each is copied to its canvas, so that neither
 * the player nor its sound is disturbed.
 */

import { clockText } from "./time_scale.js";
import { firstFrame } from "./snapping.js";

const REST_MS = 120;
const LONGEST_MS = 4_000;
// A frame that lasts longer than 1 / rate never matches, so after a seek the picture is drawn at the latest
// then: on a very slow machine that may still be the frame before.
const SHOWN_MS = 500;

export class EdgeFrames {
  /** `root` holds two figures, [data-still=last] and [data-still=first]; without `url` they stay empty.
   *
   * `starts`: the frames at which a new picture begins, where not every frame shows one of its own.
   */
  constructor({ root, url, rate, starts = null }) {
    this.root = root;
    this.rate = rate;
    this.starts = starts;
    this.stills = new Map(["last", "first"].map((name) => [name, root.querySelector(`[data-still="${name}"]`)]));
    this.wanted = null;
    this.shown = "";
    this.isBusy = false;
    if (!url || !rate) return;
    this.video = document.createElement("video");
    Object.assign(this.video, { muted: true, preload: "auto", playsInline: true });
    this.video.src = url;
  }

  /** Show an edge: {timeS, before, after} with the names of what ends and begins there; null for none. */
  show(edge) {
    this.root.classList.toggle("without", !edge);
    const hasBefore = edge && this.rate && this.lastOf(edge) >= 0;
    this.name("last", hasBefore || !edge ? edge?.before : "Nothing is before it", hasBefore ? this.lastOf(edge) / this.rate : null);
    this.name("first", edge?.after, edge && this.rate ? this.firstOf(edge) / this.rate : null);
    if (!edge || !this.video) {
      this.wanted = null;
      this.clear();
      return;
    }
    this.wanted = edge;
    clearTimeout(this.timer);
    // While an edge is dragged the decoder belongs to the player.
    this.timer = setTimeout(() => this.work(), REST_MS);
  }

  /** The first frame of what begins at the edge. */
  firstOf({ timeS }) {
    return Math.max(0, firstFrame(timeS, this.rate));
  }

  /** The last frame before it that shows another picture, or -1. */
  lastOf(edge) {
    const first = this.firstOf(edge);
    return (this.starts?.findLast((start) => start <= first) ?? first) - 1;
  }

  name(which, what, timeS) {
    const figure = this.stills.get(which);
    figure.querySelector("[data-what]").textContent = what ?? (which === "last" ? "Before the edge" : "After the edge");
    figure.querySelector("[data-when]").textContent = timeS === null ? "" : clockText(timeS, 3);
    const frame = timeS === null ? "" : `frame ${Math.round(timeS * this.rate)}`;
    figure.querySelector("[data-frame]").textContent = frame;
    this.pale(figure);
    figure.querySelector("canvas").setAttribute("aria-label", frame ? `${what ?? which}, ${frame}` : "no edge is held");
  }

  clear(names = [...this.stills.keys()]) {
    this.shown = "";
    for (const name of names) {
      const figure = this.stills.get(name);
      const canvas = figure.querySelector("canvas");
      delete figure.dataset.drawn;
      canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
    }
  }

  async work() {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.wanted && this.shown !== this.nameOf(this.wanted)) {
        const edge = this.wanted;
        if (this.lastOf(edge) >= 0) await this.copy("last", this.lastOf(edge));
        else this.clear(["last"]);
        if (this.wanted === edge) await this.copy("first", this.firstOf(edge));
        if (this.wanted === edge) this.shown = this.nameOf(edge);
      }
    } catch {
      // A file that cannot be decoded says so in the player.
      this.wanted = null;
    } finally {
      this.isBusy = false;
    }
  }

  nameOf({ timeS }) {
    return String(timeS);
  }

  async copy(which, frame) {
    const timeS = (frame + 0.5) / this.rate;
    const shown = this.pictureOf(timeS);
    if (await this.seek(timeS)) await Promise.race([shown, new Promise((resolve) => setTimeout(resolve, SHOWN_MS))]);
    const { videoWidth: width, videoHeight: height } = this.video;
    const figure = this.stills.get(which);
    const canvas = figure.querySelector("canvas");
    if (canvas.width !== width) Object.assign(canvas, { width, height });
    canvas.getContext("2d").drawImage(this.video, 0, 0);
    figure.dataset.drawn = String(frame);
    this.pale(figure);
  }

  /** What is still another frame is pale, so that nobody takes it for the one that is named. */
  pale(figure) {
    const frame = figure.querySelector("[data-frame]").textContent;
    figure.classList.toggle("pale", Boolean(this.video && frame) && frame !== `frame ${figure.dataset.drawn}`);
  }

  /** A busy browser ends a seek before it shows the frame, or still shows that of the seek before. */
  pictureOf(timeS) {
    return new Promise((resolve) => {
      const look = (_, { mediaTime }) => {
        if (mediaTime <= timeS && timeS < mediaTime + 1 / this.rate) resolve();
        else this.video.requestVideoFrameCallback(look);
      };
      this.video.requestVideoFrameCallback?.(look);
    });
  }

  /** Returns whether it had to move. */
  seek(timeS) {
    const { video } = this;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(reject), LONGEST_MS);
      const done = () => end(resolve);
      const end = (settle, hasMoved = true) => {
        clearTimeout(timer);
        video.removeEventListener("seeked", done);
        video.removeEventListener("error", done);
        settle(video.error ?? hasMoved);
      };
      video.addEventListener("seeked", done);
      video.addEventListener("error", done);
      if (Math.abs(video.currentTime - timeS) < 1e-6 && video.readyState >= 2 && !video.seeking) end(resolve, false);
      else video.currentTime = timeS;
    });
  }
}
