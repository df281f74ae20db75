/** A small picture of the moment under the pointer, above the strip; tiles of one sheet. */

/** `sprite`: {name, columns, tile_width, tile_height, times}; the sheet lies at `base`. */
export function showThumbnails({ strip, figure, sprite, base, timeText }) {
  const box = document.createElement("div");
  box.className = "thumbnail";
  box.hidden = true;
  const picture = document.createElement("div");
  const label = document.createElement("span");
  box.append(picture, label);
  figure.append(box);
  const { tile_width: width, tile_height: height, columns, times } = sprite;
  picture.style.width = `${width}px`;
  picture.style.height = `${height}px`;
  strip.svg.addEventListener("pointermove", (event) => {
    // The sheet is fetched when somebody first asks for it.
    if (!picture.style.backgroundImage) picture.style.backgroundImage = `url("${base}${sprite.name}/")`;
    const time = strip.timeAt(event.clientX);
    const tile = nearest(times, time);
    picture.style.backgroundPosition = `-${(tile % columns) * width}px -${Math.floor(tile / columns) * height}px`;
    label.textContent = timeText(time);
    const frame = figure.getBoundingClientRect();
    const left = Math.max(0, Math.min(frame.width - width - 2, event.clientX - frame.left - width / 2));
    box.style.left = `${left}px`;
    box.style.bottom = `${frame.bottom - strip.svg.getBoundingClientRect().top + 4}px`;
    box.hidden = false;
  });
  for (const name of ["pointerleave", "pointercancel"]) {
    strip.svg.addEventListener(name, () => { box.hidden = true; });
  }
}

function nearest(times, time) {
  let found = 0;
  times.forEach((candidate, index) => {
    if (Math.abs(candidate - time) < Math.abs(times[found] - time)) found = index;
  });
  return found;
}
