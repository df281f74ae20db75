/** The strips under the players: a playhead that moves, segments that lead to their row. */

export class Strip extends EventTarget {
  /** Events: "choose" {row, time} when the rater clicks; no row between the segments. */
  constructor(svg) {
    super();
    this.svg = svg;
    this.head = svg.querySelector("[data-playhead]");
    this.duration = Number(svg.dataset.duration);
    svg.addEventListener("click", (event) => this.onClick(event));
  }

  onClick(event) {
    const box = this.svg.getBoundingClientRect();
    const time = ((event.clientX - box.left) / box.width) * this.duration;
    const row = event.target.closest("[data-row]")?.dataset.row;
    const detail = row === undefined ? { time } : { row: Number(row), time };
    this.dispatchEvent(new CustomEvent("choose", { detail }));
  }

  draw(time) {
    const place = `${(100 * Math.min(time / this.duration, 1)).toFixed(2)}%`;
    this.head.setAttribute("x1", place);
    this.head.setAttribute("x2", place);
  }
}

/** Return minutes, seconds and tenths: 1:04.3. */
export function shownTime(seconds) {
  const tenths = Math.floor(seconds * 10 + 1e-6);
  const minutes = Math.floor(tenths / 600);
  const rest = tenths - minutes * 600;
  return `${minutes}:${String(Math.floor(rest / 10)).padStart(2, "0")}.${rest % 10}`;
}
