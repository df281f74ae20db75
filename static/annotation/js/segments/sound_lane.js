/** The sound of the window on a canvas: its envelope, and where something begins to be heard. */

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
    this.onsets = [];
  }

  /** Fetch both; a lane without them stays empty. Returns the onsets. */
  async load() {
    const [levels, onsets] = await Promise.all([
      fetch(this.sound.url).then((answer) => (answer.ok ? answer.arrayBuffer() : null)),
      fetch(this.sound.onsets_url).then((answer) => (answer.ok ? answer.json() : { onsets: [] })),
    ]).catch(() => [null, { onsets: [] }]);
    this.levels = levels && new Uint8Array(levels);
    this.onsets = onsets.onsets;
    this.draw();
    return this.onsets;
  }

  draw() {
    if (!this.levels) return;
    const { width } = this.scale;
    const height = this.root.clientHeight;
    const ratio = window.devicePixelRatio;
    const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wanted[0] || this.canvas.height !== wanted[1]) [this.canvas.width, this.canvas.height] = wanted;
    const context = this.canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.fillStyle = getComputedStyle(this.root).getPropertyValue("--ink-3").trim();
    const perPixel = this.sound.per_second / this.scale.pixelsPerS;
    for (let x = 0; x < width; x += 2) {
      const from = Math.floor(this.scale.timeAt(x) * this.sound.per_second);
      const peak = this.peak(from, Math.max(from + 1, Math.ceil(from + 2 * perPixel)));
      const half = Math.max(0.5, (peak / 255) * (height / 2 - 3));
      context.fillRect(x, height / 2 - half, 1, 2 * half);
    }
  }

  peak(from, until) {
    let highest = 0;
    // At wide zooms some of many values are looked at, always the same ones.
    const step = Math.max(1, Math.floor((until - from) / 24));
    const first = Math.ceil(from / step) * step;
    for (let at = first; at < Math.min(until, this.levels.length); at += step) highest = Math.max(highest, this.levels[at]);
    return highest;
  }
}
