/** The sound of the window on a canvas: its envelope, and where something begins to be heard. */

// Of so many values the loudest is known, so that no knock is lost where an hour is shown.
const COARSE = 50;
// Onsets are marked where they can be told apart.
const ONSETS_FROM_PX_PER_S = 12;
const ONSET_PX = 5;

export class SoundLane {
  /** `sound`: {per_second, url, onsets_url} of the recording. */
  constructor({ root, scale, sound }) {
    this.scale = scale;
    this.sound = sound;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Loudness");
    root.append(this.canvas);
    this.root = root;
    this.levels = null;
    const renew = () => {
      this.look();
      this.draw();
    };
    new ResizeObserver(renew).observe(root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", renew);
    this.onsets = [];
  }

  /** Fetch both; a lane without them stays empty. Returns the onsets. */
  async load() {
    const [levels, onsets] = await Promise.all([
      fetch(this.sound.url).then((answer) => (answer.ok ? answer.arrayBuffer() : null)),
      fetch(this.sound.onsets_url).then((answer) => (answer.ok ? answer.json() : { onsets: [] })),
    ]).catch(() => [null, { onsets: [] }]);
    this.levels = levels && new Uint8Array(levels);
    this.coarse = new Uint8Array(Math.ceil((this.levels?.length ?? 0) / COARSE));
    this.levels?.forEach((level, at) => {
      const place = Math.floor(at / COARSE);
      if (level > this.coarse[place]) this.coarse[place] = level;
    });
    this.onsets = onsets.onsets;
    this.draw();
    return this.onsets;
  }

  /** Asked of the page once: to ask in every frame makes it lay itself out anew each time. */
  look() {
    const colours = getComputedStyle(this.root);
    this.colours = { level: colours.getPropertyValue("--ink-3").trim(), onset: colours.getPropertyValue("--accent").trim() };
    this.height = this.root.clientHeight;
  }

  draw() {
    if (!this.levels) return;
    if (!this.height) this.look();
    const { scale, height } = this;
    const { width } = scale;
    const ratio = window.devicePixelRatio;
    const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wanted[0] || this.canvas.height !== wanted[1]) [this.canvas.width, this.canvas.height] = wanted;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const perPixel = this.sound.per_second / scale.pixelsPerS;
    context.beginPath();
    for (let x = 0; x < width; x += 2) {
      const from = Math.floor(scale.timeAt(x) * this.sound.per_second);
      const peak = this.peak(from, Math.max(from + 1, Math.ceil(from + 2 * perPixel)));
      const half = Math.max(0.5, (peak / 255) * (height / 2 - 3));
      context.rect(x, height / 2 - half, 1, 2 * half);
    }
    context.fillStyle = this.colours.level;
    context.fill();
    if (scale.pixelsPerS < ONSETS_FROM_PX_PER_S) return;
    context.fillStyle = this.colours.onset;
    for (const onsetS of this.onsets) {
      if (onsetS >= scale.startS && onsetS <= scale.endS) context.fillRect(scale.xOf(onsetS) - 1, 0, 2, ONSET_PX);
    }
  }

  peak(from, until) {
    const isWide = until - from > COARSE;
    const [levels, size] = isWide ? [this.coarse, COARSE] : [this.levels, 1];
    let highest = 0;
    for (let at = Math.floor(from / size); at < Math.min(Math.ceil(until / size), levels.length); at += 1) {
      if (levels[at] > highest) highest = levels[at];
    }
    return highest;
  }
}
