/** A strip of small pictures over the lanes, on their time scale; it can be pulled higher.
 *
 * A picture stands where its moment is and goes along when the lanes do. Sheets are fetched when one of
 * their moments comes into sight.
 */

import { habit, keepHabit } from "../../annotation/js/habits.js";

const HEIGHT = Object.freeze({ usual: 44, least: 0, most: 160, step: 8 });
const HABIT = "filmPx";
const REST_MS = 150;

export class FilmStrip {
  /** `stills` as of Stills; `label` is the cell at the left of the strip. */
  constructor({ root, label, scale, stills }) {
    Object.assign(this, { root, label, scale, stills });
    this.canvas = root.querySelector("canvas");
    this.pull = root.querySelector("[data-pull]");
    this.sheets = new Map();
    this.wanted = new Set();
    root.hidden = false;
    const kept = habit(HABIT);
    this.setHeight(Number.isFinite(kept) ? kept : HEIGHT.usual, { isKept: false });
    this.pull.setAttribute("aria-valuemin", String(HEIGHT.least));
    this.pull.setAttribute("aria-valuemax", String(HEIGHT.most));
    this.pull.addEventListener("pointerdown", (event) => this.onPull(event));
    this.pull.addEventListener("keydown", (event) => this.onKey(event));
  }

  setHeight(height, { isKept = true } = {}) {
    this.height = Math.round(Math.max(HEIGHT.least, Math.min(HEIGHT.most, height)));
    // Room for what pulls it is left where no picture is shown.
    for (const element of [this.root, this.label]) element.style.height = `${this.height + HEIGHT.step}px`;
    this.pull.setAttribute("aria-valuenow", String(this.height));
    if (isKept) keepHabit(HABIT, this.height);
    this.draw();
  }

  onPull(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const from = this.height;
    const move = ({ clientY }) => this.setHeight(from + clientY - event.clientY, { isKept: false });
    const end = () => {
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
      this.setHeight(this.height);
    };
    const listeners = [["pointermove", move], ["pointerup", end], ["pointercancel", end]];
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
  }

  onKey(event) {
    const step = { ArrowDown: HEIGHT.step, ArrowUp: -HEIGHT.step }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    this.setHeight(this.height + step);
  }

  draw() {
    const { scale, stills, height, canvas } = this;
    const ratio = window.devicePixelRatio;
    const wanted = [Math.round(scale.width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wanted[0] || canvas.height !== wanted[1]) {
      [canvas.width, canvas.height] = wanted;
      canvas.style.height = `${height}px`;
    }
    if (!height) return;
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, scale.width, height);
    this.wanted.clear();
    clearTimeout(this.timer);
    const width = (height * stills.tile_width) / stills.tile_height;
    const stepS = width / scale.pixelsPerS;
    for (let place = Math.floor(scale.startS / stepS); place * stepS < scale.endS; place += 1) {
      const tile = Math.floor((place * stepS) / stills.tile_s);
      const sheet = tile < stills.tile_count ? this.sheet(Math.floor(tile / stills.sheet_tiles)) : null;
      if (!sheet?.isThere) continue;
      const at = tile % stills.sheet_tiles;
      const [row, column] = [Math.floor(at / stills.columns), at % stills.columns];
      context.drawImage(sheet.image, column * stills.tile_width, row * stills.tile_height, stills.tile_width, stills.tile_height, scale.xOf(place * stepS), 0, width - 1, height);
    }
    // Nothing is fetched for what is only scrolled or zoomed past.
    if (this.wanted.size) this.timer = setTimeout(() => this.fetch(), REST_MS);
  }

  sheet(index) {
    const sheet = this.sheets.get(index);
    if (!sheet) this.wanted.add(index);
    return sheet ?? null;
  }

  /** Decoded beside the page's own work, so that no frame waits for it; a sheet that is lost stays empty. */
  fetch() {
    for (const index of this.wanted) {
      const sheet = { image: new Image(), isThere: false };
      this.sheets.set(index, sheet);
      sheet.image.src = this.stills.urls[index];
      sheet.image.decode().then(() => {
        sheet.isThere = true;
        this.draw();
      }, () => {});
    }
    this.wanted.clear();
  }
}
