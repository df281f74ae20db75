/** The strips under the players: a slider in time, over steps and events, sound, and what was watched. */

const SVG = "http://www.w3.org/2000/svg";
const STEP_S = 1;
const STEPS_TOP = 24;
const WAVEFORM_HEIGHT = 18;
const WATCHED_HEIGHT = 4;

export class Strip extends EventTarget {
  /** Events: "choose" {row, time} when the rater clicks or presses a key; no row between the segments. */
  constructor(svg) {
    super();
    this.svg = svg;
    this.head = svg.querySelector("[data-playhead]");
    this.watched = svg.querySelector("[data-watched]");
    this.duration = Number(svg.dataset.duration);
    this.time = 0;
    this.segments = [...svg.querySelectorAll("rect[data-row]")];
    this.height = Number(svg.getAttribute("height"));
    svg.addEventListener("click", (event) => this.onClick(event));
    svg.addEventListener("keydown", (event) => this.onKey(event));
  }

  timeAt(clientX) {
    const box = this.svg.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - box.left) / box.width)) * this.duration;
  }

  onClick(event) {
    const row = event.target.closest("[data-row]")?.dataset.row;
    this.choose(this.timeAt(event.clientX), row);
  }

  choose(time, row) {
    const detail = row === undefined ? { time } : { row: Number(row), time };
    this.dispatchEvent(new CustomEvent("choose", { detail }));
  }

  /** Arrows move by a second, page keys by a segment, Home and End to the ends. */
  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const next = {
      ArrowRight: () => this.choose(this.time + STEP_S),
      ArrowUp: () => this.choose(this.time + STEP_S),
      ArrowLeft: () => this.choose(Math.max(0, this.time - STEP_S)),
      ArrowDown: () => this.choose(Math.max(0, this.time - STEP_S)),
      Home: () => this.choose(0),
      End: () => this.choose(this.duration),
      PageDown: () => this.chooseSegment(1),
      PageUp: () => this.chooseSegment(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next();
  }

  /** Go to the segment that starts next after, or last before, where the side stands. */
  chooseSegment(direction) {
    const starts = this.segments.map((rect) => ({ rect, time: this.startOf(rect) }));
    const found = direction > 0
      ? starts.filter(({ time }) => time > this.time + 0.1).sort((a, b) => a.time - b.time)[0]
      : starts.filter(({ time }) => time < this.time - 0.2).sort((a, b) => b.time - a.time)[0];
    if (found) this.choose(found.time, found.rect.dataset.row);
  }

  startOf(rect) {
    return (rect.x.baseVal.valueInSpecifiedUnits / 100) * this.duration;
  }

  draw(time) {
    if (time === this.time && this.isDrawn) return;
    this.isDrawn = true;
    this.time = time;
    const place = `${(100 * Math.min(time / this.duration, 1)).toFixed(2)}%`;
    this.head.setAttribute("x1", place);
    this.head.setAttribute("x2", place);
  }

  /** Say where the side stands; not while it plays, or a screen reader would never be silent. */
  tell(time) {
    const inside = this.segments.findLast((rect) => {
      const start = this.startOf(rect);
      return start <= time && time < start + (rect.width.baseVal.valueInSpecifiedUnits / 100) * this.duration;
    });
    const label = inside?.querySelector("title").textContent;
    this.svg.setAttribute("aria-valuenow", time.toFixed(1));
    this.svg.setAttribute("aria-valuetext", label ? `${shownTime(time)}, ${label}` : shownTime(time));
  }

  /** `peaks`: loudness from 0 to 100 at even distances over the whole recording. */
  drawWaveform(peaks) {
    const wave = this.svg.querySelector("[data-waveform]");
    const path = document.createElementNS(SVG, "path");
    const middle = WAVEFORM_HEIGHT / 2;
    const bars = peaks.map((peak, index) => {
      const half = Math.max(0.4, (middle * peak) / 100);
      return `M${index + 0.5} ${middle - half}V${middle + half}`;
    });
    path.setAttribute("d", bars.join(""));
    wave.setAttribute("viewBox", `0 0 ${peaks.length} ${WAVEFORM_HEIGHT}`);
    wave.replaceChildren(path);
    wave.removeAttribute("display");
    this.height = STEPS_TOP + WAVEFORM_HEIGHT + WATCHED_HEIGHT + 4;
    this.svg.setAttribute("height", this.height);
  }

  /** `spans`: [start, end] seconds that the rater has watched. */
  drawWatched(spans) {
    const bars = spans.map(([start, end]) => {
      const bar = document.createElementNS(SVG, "rect");
      bar.setAttribute("x", `${((100 * start) / this.duration).toFixed(3)}%`);
      bar.setAttribute("width", `${((100 * (end - start)) / this.duration).toFixed(3)}%`);
      bar.setAttribute("y", this.height - WATCHED_HEIGHT);
      bar.setAttribute("height", WATCHED_HEIGHT);
      return bar;
    });
    this.watched.replaceChildren(this.watched.querySelector("title"), ...bars);
  }
}

/** Return minutes, seconds and tenths: 1:04.3. */
export function shownTime(seconds) {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  const minutes = Math.floor(tenths / 600);
  const rest = tenths - minutes * 600;
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}
