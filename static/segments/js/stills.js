/** A small picture of the moment under the pointer, over the ruler and over the whole recording. */

import { clockText } from "./time_scale.js";

export class Stills {
  /** `stills`: {tile_s, sheet_tiles, columns, tile_width, tile_height, tile_count, urls}. */
  constructor(stills) {
    this.stills = stills;
    this.box = document.createElement("div");
    this.box.className = "still-at";
    this.box.hidden = true;
    this.box.setAttribute("aria-hidden", "true");
    this.picture = document.createElement("div");
    this.picture.style.width = `${stills.tile_width}px`;
    this.picture.style.height = `${stills.tile_height}px`;
    this.label = document.createElement("span");
    this.label.className = "mono";
    this.box.append(this.picture, this.label);
    document.body.append(this.box);
  }

  /** Show pictures over `root`; `timeAt` tells the second at so many pixels from its left. */
  over(root, timeAt) {
    root.addEventListener("pointermove", (event) => {
      const { left, top } = root.getBoundingClientRect();
      this.show(timeAt(event.clientX - left), event.clientX, top);
    });
    for (const name of ["pointerleave", "pointercancel"]) root.addEventListener(name, () => { this.box.hidden = true; });
  }

  show(timeS, x, top) {
    const { stills, picture } = this;
    const tile = Math.max(0, Math.min(stills.tile_count - 1, Math.floor(timeS / stills.tile_s)));
    const place = tile % stills.sheet_tiles;
    // A sheet is fetched when somebody first asks for one of its moments.
    picture.style.backgroundImage = `url("${stills.urls[Math.floor(tile / stills.sheet_tiles)]}")`;
    const [row, column] = [Math.floor(place / stills.columns), place % stills.columns];
    picture.style.backgroundPosition = `-${column * stills.tile_width}px -${row * stills.tile_height}px`;
    picture.dataset.tile = String(tile);
    this.label.textContent = clockText(timeS);
    this.box.hidden = false;
    const { width, height } = this.box.getBoundingClientRect();
    const left = Math.max(4, Math.min(document.documentElement.clientWidth - width - 4, x - width / 2));
    this.box.style.transform = `translate(${left.toFixed(0)}px, ${Math.max(4, top - height - 6).toFixed(0)}px)`;
  }
}
