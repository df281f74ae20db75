/** What the rater has watched on each side: counted only while it really plays in sight.
 *
 * Newly watched stretches become reports, kept in the browser until the server has them. They go
 * along with saves, by themselves now and then, and when the page is left. Nothing here ever stands
 * in the way of a rating, and the server believes no more than the clock allows.
 */

import { Refused, call } from "./api.js";
import { SIDES } from "./sections.js";

const REPORT_MS = 5_000;
const SEND_MS = 20_000;
// Between two looks a recording cannot come farther than at this rate; what does was a seek.
const FASTEST = 3;
const SLACK_S = 0.1;
const SMALLEST_S = 0.02;
const MOST_AT_ONCE = 200;

/** Return what the server gets of a report. */
export function bodyOf({ opened, content, at, reference, trace }) {
  return { opened, content, at, reference, trace };
}

/** Return [start, end] stretches as few that touch nowhere. */
function union(spans) {
  const found = [];
  for (const [start, end] of [...spans].sort((first, second) => first[0] - second[0])) {
    const last = found.at(-1);
    if (last && start <= last[1] + SMALLEST_S) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

export class Viewing {
  /** `page`: {opened, content}, the proof of when the page was opened and of which version it is. */
  constructor({ players, store, url, page, watched, clock }) {
    this.clock = clock;
    this.players = players;
    this.store = store;
    this.url = url;
    this.page = page;
    this.id = crypto.randomUUID();
    this.count = 0;
    this.pending = [];
    this.all = Object.fromEntries(SIDES.map((side) => [side, watched?.[side] ?? []]));
    this.fresh = Object.fromEntries(SIDES.map((side) => [side, []]));
    this.looks = new Map();
    players.addEventListener("tick", () => this.look());
    players.addEventListener("change", () => {
      // A recording does not wait for the page to be drawn for the first time after it was started.
      this.look();
      if (!players.isPlaying) this.report();
    });
    players.addEventListener("frame", () => this.lookAtFrame());
    setInterval(() => this.report(), REPORT_MS);
    setInterval(() => this.send(), SEND_MS);
    document.addEventListener("visibilitychange", () => this.onVisibility());
    window.addEventListener("pagehide", () => this.send({ isLast: true }));
    // The first report says that somebody keeps an eye on it, even if nothing is ever watched.
    if (watched) this.draw();
    else this.report({ isFirst: true });
    this.takeUp();
  }

  /** What an earlier visit could not send. */
  async takeUp() {
    const known = new Set(this.pending.map(({ id }) => id));
    const left = (await this.store.all()).filter(({ id }) => !known.has(id));
    this.pending.unshift(...left);
    if (left.length) await this.send();
  }

  onVisibility() {
    this.looks.clear();
    if (document.hidden) this.send({ isLast: true });
  }

  /** Take note of how far each side has come since the last look. */
  look() {
    const now = performance.now();
    for (const [side, { video }] of this.players.sides) {
      const last = this.looks.get(side);
      const time = video.currentTime;
      const isShown = this.players.isPlaying && !document.hidden && !video.paused && !video.seeking && video.readyState >= 2;
      if (isShown) this.looks.set(side, { time, now });
      else this.looks.delete(side);
      if (!isShown || !last || time <= last.time) continue;
      if (time - last.time <= FASTEST * ((now - last.now) / 1000) + SLACK_S) this.add(side, last.time, time);
    }
  }

  /** Who goes through an event frame by frame watches it too. */
  lookAtFrame() {
    for (const [side, { time, frameRate }] of this.players.sides) {
      this.add(side, Math.max(0, time - 0.5 / frameRate), time + 0.5 / frameRate);
    }
  }

  add(side, start, end) {
    const spans = this.fresh[side];
    const last = spans.at(-1);
    if (last && last[1] === start) last[1] = end;
    else spans.push([start, end]);
  }

  /** Make a report of what is new; it is of before whatever is answered next. */
  report({ isFirst = false } = {}) {
    const news = Object.fromEntries(SIDES.map((side) => [side, this.newOf(side)]));
    if (!isFirst && !SIDES.some((side) => news[side].length)) return;
    this.count += 1;
    const report = {
      id: `${this.id}:${this.count}`, order: Date.now() * 1000 + (this.count % 1000), at: this.clock.text(),
      ...this.page, ...news,
    };
    this.pending.push(report);
    // A browser that keeps nothing still sends it.
    this.store.put([report]).catch(() => {});
    this.draw();
  }

  /** Return what was never watched before of the fresh stretches, and count it as watched. */
  newOf(side) {
    const fresh = union(this.fresh[side]).filter(([start, end]) => end - start >= SMALLEST_S);
    this.fresh[side] = [];
    const isKnown = ([start, end]) => this.all[side].some(([from, to]) => from - SMALLEST_S <= start && end <= to + SMALLEST_S);
    const news = fresh.filter((span) => !isKnown(span));
    this.all[side] = union([...this.all[side], ...news]);
    return news.map((span) => span.map((second) => Math.round(second * 100) / 100));
  }

  /** Whether any of a stretch was watched; unknown places count as seen. */
  hasSeen(side, span) {
    const [start, end] = span ?? [];
    if (typeof start !== "number" || typeof end !== "number" || !this.players.sides.has(side)) return true;
    return union([...this.all[side], ...this.fresh[side]]).some(([from, to]) => from < end && start < to);
  }

  draw() {
    for (const [side, strip] of this.players.strips) strip.drawWatched(this.all[side]);
  }

  /** Return the reports that a save takes along. */
  take() {
    this.report();
    return this.pending.slice(0, MOST_AT_ONCE);
  }

  forget(reports) {
    const ids = new Set(reports.map(({ id }) => id));
    this.pending = this.pending.filter(({ id }) => !ids.has(id));
    this.store.remove(reports).catch(() => {});
  }

  async send({ isLast = false } = {}) {
    const reports = this.take();
    if (!reports.length || (this.isSending && !isLast)) return;
    this.isSending = true;
    try {
      await call("POST", this.url, { reports: reports.map(bodyOf) }, { isLast });
      this.forget(reports);
    } catch (error) {
      // What is not understood would never be; all others wait for the next time.
      if (error instanceof Refused && error.status === 400) this.forget(reports);
    } finally {
      this.isSending = false;
    }
  }
}
