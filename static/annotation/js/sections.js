/** One time for both recordings: sections in which each side plays its part or waits.
 *
 * In each section (annotation/engine/corpus/side_by_side.py) both sides play at the same speed; the one that
 * is done with its part waits. `time` counts the seconds of the whole, waiting included.
 */

// Sides that differ by no more than a frame are as long: the one that is heard leads them.
const EQUAL_S = 0.04;
export const SIDES = Object.freeze(["reference", "trace"]);

export class Timeline {
  /** `sections`: [{kind, row, note, reference: [start, end], trace: [start, end]}], without gaps. */
  constructor(sections) {
    let start = 0;
    this.sections = sections.map((section) => {
      const lengths = Object.fromEntries(SIDES.map((side) => [side, section[side][1] - section[side][0]]));
      const duration = Math.max(lengths.reference, lengths.trace);
      const leader = lengths.reference - lengths.trace > EQUAL_S ? "reference" : "trace";
      const placed = { ...section, start, duration, end: start + duration, lengths, leader };
      start += duration;
      return placed;
    });
    this.duration = start;
  }

  /** Return the index of the section that plays at a time. */
  indexAt(time) {
    const found = this.sections.findIndex((section) => time < section.end);
    return found < 0 ? this.sections.length - 1 : found;
  }

  /** Return where each side is: {reference: {time, isWaiting}, trace: ..., index}.
   *
   * At the border of two sections `index` says in which of them.
   */
  at(time, index = this.indexAt(time)) {
    const section = this.sections[index];
    const passed = Math.max(0, time - section.start);
    const place = (side) => ({
      time: section[side][0] + Math.min(passed, section.lengths[side]),
      isWaiting: passed >= section.lengths[side] && section.lengths[side] < section.duration,
    });
    return { index, reference: place("reference"), trace: place("trace") };
  }

  /** Return the time at which a side shows a second of its own; the first one where it waits. */
  from(side, second) {
    for (const section of this.sections) {
      const [start, end] = section[side];
      if (end > start && second < end) return section.start + Math.max(0, second - start);
    }
    return this.duration;
  }

  /** Return the section of a row of the table, if it has one. */
  sectionOf(row) {
    return this.sections.find((section) => section.row === row) ?? null;
  }
}

/** Return the timeline of two recordings that run on from where they stand, or of a single one. */
export function runningOn({ positions, durations }) {
  const sides = SIDES.filter((side) => durations[side] !== undefined);
  const before = Math.min(...sides.map((side) => positions[side]));
  const starts = Object.fromEntries(SIDES.map((side) => [side, sides.includes(side) ? positions[side] - before : 0]));
  const part = (pick) => ({
    kind: "between", row: null, note: "",
    ...Object.fromEntries(SIDES.map((side) => [side, sides.includes(side) ? pick(side) : [0, 0]])),
  });
  const lead = part((side) => [0, starts[side]]);
  const body = part((side) => [starts[side], Math.max(starts[side], durations[side])]);
  return new Timeline(Math.max(starts.reference, starts.trace) > 0 ? [lead, body] : [body]);
}
