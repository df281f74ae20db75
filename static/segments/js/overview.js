/** The whole recording on one canvas: every track, what was watched, and the window of the lanes. */

const ROW_PX = 7;
const WATCHED_PX = 3;
const NARROWEST_PX = 1;

export class Overview extends EventTarget {
  /** Events: "show" {startS} when the window is moved. */
  constructor({ root, scale, lanes, hueOf }) {
    super();
    this.hueOf = hueOf;
    this.root = root;
    this.scale = scale;
    this.lanes = lanes;
    this.canvas = root.querySelector("canvas");
    this.window = root.querySelector("[data-window]");
    this.head = root.querySelector("[data-overview-head]");
    this.watched = [];
    this.width = 0;
    this.headS = 0;
    this.isDrawn = true;
    scale.addEventListener("change", () => this.drawWindow());
    new ResizeObserver(() => this.onSize()).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
    root.addEventListener("pointerdown", (event) => this.onDown(event));
    this.onSize();
  }

  onSize() {
    this.width = this.root.clientWidth;
    this.height = this.root.clientHeight;
    const ratio = window.devicePixelRatio;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.redraw();
    this.drawWindow();
    this.drawHead();
  }

  setWatched(spans) {
    this.watched = spans;
    this.redraw();
  }

  xOf(timeS) {
    return (timeS / this.scale.durationS) * this.width;
  }

  timeAt(x) {
    return (x / this.width) * this.scale.durationS;
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
    const context = this.canvas.getContext("2d");
    const colours = getComputedStyle(this.root);
    const known = new Map();
    const colour = (name) => {
      if (!known.has(name)) known.set(name, colours.getPropertyValue(name).trim());
      return known.get(name);
    };
    const ratio = window.devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const own = this.lanes.filter(({ kind }) => kind === "own");
    const step = Math.min(ROW_PX + 3, (this.height - WATCHED_PX - 4) / Math.max(1, own.length));
    own.forEach((lane, row) => {
      const top = 4 + row * step;
      for (const segment of lane.segments) {
        const left = this.xOf(segment.start_s);
        context.fillStyle = colour(this.fillOf(segment));
        const width = Math.max(NARROWEST_PX, this.xOf(segment.end_s) - left - 0.5);
        // What is no more than proposed is drawn half as high.
        if (segment.is_proposal) context.fillRect(left, top + (step - 3) / 2, width, (step - 3) / 2);
        else context.fillRect(left, top, width, step - 3);
      }
    });
    context.fillStyle = colour("--accent");
    for (const [startS, endS] of this.watched) {
      context.fillRect(this.xOf(startS), this.height - WATCHED_PX, Math.max(1, this.xOf(endS - startS)), WATCHED_PX);
    }
  }

  fillOf({ step_id: stepId, label, is_flagged: isFlagged }) {
    if (isFlagged) return "--cascade";
    if (/correction/i.test(label)) return "--correction";
    if (label) return "--mistake";
    const hue = this.hueOf(stepId);
    return hue === null ? "--step-fill-2" : `--hue-line-${hue}`;
  }

  drawWindow() {
    const { startS, lengthS } = this.scale;
    this.window.style.transform = `translateX(${this.xOf(startS).toFixed(1)}px)`;
    this.window.style.width = `${Math.max(6, this.xOf(lengthS)).toFixed(1)}px`;
  }

  drawHead(timeS = this.headS) {
    this.headS = timeS;
    this.head.style.transform = `translateX(${this.xOf(timeS).toFixed(1)}px)`;
  }

  /** A press inside the window drags it; one outside brings it there. */
  onDown(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    const left = this.root.getBoundingClientRect().left;
    const timeOf = ({ clientX }) => this.timeAt(clientX - left);
    const pressedS = timeOf(event);
    const isInside = pressedS >= this.scale.startS && pressedS <= this.scale.endS && !this.scale.isWhole;
    const offsetS = isInside ? pressedS - this.scale.startS : this.scale.lengthS / 2;
    const move = (next) => this.scale.show(timeOf(next) - offsetS);
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
    if (!isInside) move(event);
    this.dispatchEvent(new CustomEvent("go", { detail: { timeS: pressedS, isInside } }));
  }
}
