/** Where edges may lie, which frames they stand between, and what they snap to while they are moved.
 *
 * The first half is the twin of annotation/engine/videos/clock.py and of `snapped` in
 * tests/segments/gestures.py. An edge at frame f means that f is the first frame of the segment
 * that begins there; the last frame of the segment that ends there is f - 1.
 */

const DECIMALS = 6;
const TENTH_S = 0.1;
// A time that is off a frame by less than 2 µs at 50 frames a second is the frame's own, rounded.
const FRAME_SLACK = 1e-4;
export const TIME_SLACK_S = 2e-6;
// Odd multiples of this are the only numbers that lie just between two microseconds.
const TIE_S = 1 / 128;
const REACH_PX = 8;
// Strongest first.
const TARGETS = Object.freeze(["playhead", "own", "reference", "onset"]);

/** To the microsecond; of two that are equally near the even one, as Python rounds. */
export function rounded(timeS) {
  if (!Number.isFinite(timeS)) return timeS;
  const text = timeS.toFixed(DECIMALS);
  const isTie = Math.abs(timeS / TIE_S) % 2 === 1;
  const isOdd = Number(text.at(-1)) % 2 === 1;
  return isTie && isOdd ? Number((timeS - Math.sign(timeS) * TENTH_S * 10 ** -DECIMALS).toFixed(DECIMALS)) : Number(text);
}

/** To a whole number; of two that are equally near the even one, as Python rounds. */
function roundHalfEven(value) {
  const size = Math.abs(value);
  const whole = Math.floor(size);
  const rest = size - whole;
  const isUp = rest > 0.5 || (rest === 0.5 && whole % 2 === 1);
  return Math.sign(value) * (isUp ? whole + 1 : whole);
}

export function firstFrame(startS, rate) {
  return Math.ceil(startS * rate - FRAME_SLACK);
}

export function lastFrame(endS, rate) {
  return firstFrame(endS, rate) - 1;
}

/** The edge nearest to a moment that the scheme and the recording allow, not before 0.
 *
 * Without a resolution edges lie on frames, or on tenths of a second where the rate is unknown. With
 * one they lie on its multiples and then, where frames are known, on a frame. The end of the
 * recording, where that is known, is an edge wherever it lies, of two that are equally near the one.
 * `startsS`: when a new picture begins, where the frames of the grid do not all show one of their own.
 */
export function snapped(timeS, { resolutionS, rate, durationS = null, startsS = null }) {
  const stepS = resolutionS || rate ? resolutionS : TENTH_S;
  let edgeS = stepS ? roundHalfEven(timeS / stepS) * stepS : timeS;
  if (startsS) edgeS = nearest(startsS, edgeS);
  else if (rate) edgeS = roundHalfEven(edgeS * rate) / rate;
  if (durationS !== null && Math.abs(durationS - timeS) <= Math.abs(edgeS - timeS) + TIME_SLACK_S) edgeS = durationS;
  return rounded(Math.max(0, edgeS));
}

/** The edge nearest to a moment while nothing attracts it: on a frame all the same, where frames are known. */
export function unattracted(timeS, grid) {
  return grid.rate ? snapped(timeS, { ...grid, resolutionS: null }) : rounded(Math.max(0, timeS));
}

/** How long a segment lasts at least: a frame, or where that is unknown the step of edges. */
export function shortestS({ resolutionS, rate }) {
  return rate ? 1 / rate : resolutionS || TENTH_S;
}

/** Where an edge that is held at `timeS` comes to lie, and what it snapped to.
 *
 * `targets`: the times of each kind of `TARGETS`, in rising order. The strongest kind within
 * `REACH_PX` pixels takes the edge; then the step of the scheme and the frames decide, whatever took
 * it. Only an edge of one's own stays the same number, so that both touch. `isOff` (Alt is held, or
 * snapping is switched off): nothing attracts it, and it still lies on a frame. Do the gesture with {snaps: false}: what is
 * to be snapped is snapped here. Returns {timeS, kind}, with null for nothing near.
 */
export function snap(timeS, { pxPerS, targets, isOff = false, ...grid }) {
  if (isOff) return { timeS: unattracted(timeS, grid), kind: null };
  const reachS = REACH_PX / pxPerS;
  for (const kind of TARGETS) {
    const found = nearest(targets[kind] ?? [], timeS);
    if (found === null || Math.abs(found - timeS) > reachS) continue;
    return { timeS: kind === "own" ? found : snapped(found, grid), kind };
  }
  return { timeS: snapped(timeS, grid), kind: null };
}

/** The nearest of times in rising order, the earlier of two; null where there are none. */
export function nearest(times, timeS) {
  if (!times.length) return null;
  const at = firstAtOrAfter(times, timeS);
  const [before, after] = [times[at - 1], times[at]];
  if (before === undefined || after === undefined) return before ?? after;
  return timeS - before <= after - timeS ? before : after;
}

/** The place of the first time that is not before a moment, or the number of times. */
function firstAtOrAfter(times, timeS) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < timeS) low = middle + 1;
    else high = middle;
  }
  return low;
}
