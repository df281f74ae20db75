/** The changes from one segmentation to another that goes on from it: a join by key.
 *
 * The twin of segments/engine/difference.py.
 */

import { Segmentation } from "./model.js";

const FIELDS = Object.freeze({
  bounds: ["start_s", "end_s"], step: ["step_id"], label: ["label"], text: ["text"], flag: ["is_flagged", "note"],
});

/** Every segment of either side, by time, as {key, before, after, words}; deleted ones where they were.
 *
 * `words` are those of the badges: inserted, deleted, bounds, step, label, text, flag.
 */
export function differences(before, after) {
  const [old, now] = [before, after].map(({ there }) => new Map(there.map((item) => [item.key, item])));
  return new Segmentation(new Map([...old, ...now])).there.map(({ key }) => {
    const pair = { before: old.get(key) ?? null, after: now.get(key) ?? null };
    return { key, ...pair, words: wordsOf(pair) };
  });
}

function wordsOf({ before, after }) {
  if (!before) return ["inserted"];
  if (!after) return ["deleted"];
  const isOther = (name) => before[name] !== after[name];
  return Object.keys(FIELDS).filter((word) => FIELDS[word].some(isOther));
}
