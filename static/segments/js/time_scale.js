/** Which part of the recording the lanes show, and where a second lies in it. */

const SHORTEST_WINDOW_S = 0.5;
const ZOOM = 1.6;
// A label of the ruler needs so much room.
const TICK_PX = 90;
const TICKS_S = [0.04, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

export class TimeScale extends EventTarget {
  /** Events: "change" when another part is shown or the lanes have another width. */
  constructor(durationS) {
    super();
    this.durationS = Math.max(durationS, SHORTEST_WINDOW_S);
    this.startS = 0;
    this.lengthS = this.durationS;
    this.width = 1;
  }

  get endS() {
    return this.startS + this.lengthS;
  }

  get pixelsPerS() {
    return this.width / this.lengthS;
  }

  get isWhole() {
    return this.lengthS >= this.durationS;
  }

  xOf(timeS) {
    return (timeS - this.startS) * this.pixelsPerS;
  }

  timeAt(x) {
    return this.startS + x / this.pixelsPerS;
  }

  setWidth(width) {
    if (!width || width === this.width) return;
    this.width = width;
    this.changed();
  }

  /** Show from `startS` on, `lengthS` long, as far as there is a recording. */
  show(startS, lengthS = this.lengthS) {
    const length = Math.min(this.durationS, Math.max(SHORTEST_WINDOW_S, lengthS));
    const start = Math.max(0, Math.min(startS, this.durationS - length));
    if (start === this.startS && length === this.lengthS) return;
    this.startS = start;
    this.lengthS = length;
    this.changed();
  }

  showAll() {
    this.show(0, this.durationS);
  }

  /** Show a segment with as much again around it. */
  showSpan(startS, endS) {
    const around = Math.max((endS - startS) / 2, 1);
    this.show(startS - around, endS - startS + 2 * around);
  }

  /** `factor` above 1 shows less; the moment `aroundS` stays where it is. */
  zoom(factor, aroundS) {
    const length = Math.min(this.durationS, Math.max(SHORTEST_WINDOW_S, this.lengthS / factor));
    const share = (aroundS - this.startS) / this.lengthS;
    this.show(aroundS - share * length, length);
  }

  zoomIn(aroundS) {
    this.zoom(ZOOM, aroundS);
  }

  zoomOut(aroundS) {
    this.zoom(1 / ZOOM, aroundS);
  }

  /** Bring a span into view; one that is in view already moves nothing. */
  reveal(startS, endS = startS) {
    const margin = this.lengthS * 0.08;
    if (startS >= this.startS && endS <= this.endS) return;
    if (endS - startS > this.lengthS - 2 * margin) this.show(startS - margin);
    else if (startS < this.startS + margin) this.show(startS - margin);
    else this.show(endS + margin - this.lengthS);
  }

  /** While it plays the window turns its page before the playhead leaves it. */
  follow(timeS) {
    if (timeS < this.startS || timeS > this.startS + 0.95 * this.lengthS) this.show(timeS - 0.1 * this.lengthS);
  }

  /** The times of the ruler, with their words. */
  ticks() {
    const least = (this.lengthS * TICK_PX) / this.width;
    const stepS = TICKS_S.find((step) => step >= least) ?? TICKS_S.at(-1);
    const found = [];
    for (let count = Math.ceil(this.startS / stepS); count * stepS <= this.endS; count += 1) {
      const timeS = count * stepS;
      found.push({ timeS, text: tickText(timeS, stepS) });
    }
    return found;
  }

  changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }
}

function tickText(timeS, stepS) {
  const decimals = stepS < 0.1 ? 2 : stepS < 1 ? 1 : 0;
  return clockText(timeS, decimals);
}

/** Minutes and seconds, hours where there are any: 1:13.200. */
export function clockText(timeS, decimals = 1) {
  const unit = 10 ** decimals;
  const whole = Math.round(Math.max(0, timeS) * unit);
  const seconds = Math.floor(whole / unit);
  const rest = decimals ? `.${String(whole % unit).padStart(decimals, "0")}` : "";
  const minutes = Math.floor(seconds / 60);
  const tail = `${String(seconds % 60).padStart(2, "0")}${rest}`;
  if (minutes < 60) return `${minutes}:${tail}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${tail}`;
}

/** A difference with its sign: +1.4 s, or in frames where it is less than a tenth of a second. */
export function differenceText(byS, rate) {
  const sign = byS < 0 ? "−" : "+";
  const size = Math.abs(byS);
  if (rate && size < 0.0999) {
    const frames = Math.round(size * rate);
    return `${sign}${frames} ${frames === 1 ? "frame" : "frames"}`;
  }
  return `${sign}${size.toFixed(size < 10 && Math.abs(size * 10 - Math.round(size * 10)) > 0.01 ? 2 : 1)} s`;
}
