/** What is wrong with a segmentation by its scheme: it warns while somebody works and stops submitting.
 *
 * The twin of segments/engine/faults.py. A fault is {kind, key, other, start_s, end_s}: at
 * which segment, with which other one or which step; the times tell where a gap or an overlap lies.
 */

import { isMissing } from "./model.js";
import { shortestS } from "./snapping.js";

// Half a microsecond of rounding at both edges.
const ROUNDING_S = 1e-6;
const UNDEFINED_STEP = "-1";

export const Fault = Object.freeze({
  GAP: "gap",
  OVERLAP: "overlap",
  TOO_SHORT: "too short",
  NOT_A_POINT: "not a point",
  BEYOND_THE_END: "beyond the end",
  NO_STEP: "no step",
  UNKNOWN_STEP: "unknown step",
  NO_LABEL: "no label",
  UNKNOWN_LABEL: "unknown label",
  NO_TEXT: "no text",
  PARENT_LOST: "belongs to nothing",
  PROPOSAL: "proposal",
  DONE_AND_MISSING: "done and missing",
  NOT_SAID: "neither done nor missing",
});

/** Every fault, those of the tracks in their order, each by time.
 *
 * `stepIds` are the steps of the procedure; without them (null) steps are not looked up.
 */
export function faults(state, scheme, stepIds = null) {
  const steps = stepIds && new Set(stepIds);
  const leastS = shortestS({ resolutionS: scheme.resolution_s, rate: state.rate });
  return scheme.tracks.flatMap((track) => {
    const here = state.there.filter((item) => item.track === track.name);
    return [
      ...ofEdges(state, track, leastS),
      ...(track.geometry === "free" ? [] : ofNeighbours(state, track, leastS)),
      ...here.flatMap((item) => [...ofWords(state, item, track, steps)]),
      ...(track.source === "steps" && steps ? ofSteps(here, track, steps) : []),
    ];
  });
}

function fault(kind, key, other = "", startS = null, endS = null) {
  return { kind, key, other, start_s: startS, end_s: endS };
}

function* ofEdges(state, track, leastS) {
  const { durationS } = state;
  for (const { key, start_s: startS, end_s: endS } of state.timed(track.name)) {
    if (track.is_points && startS !== endS) yield fault(Fault.NOT_A_POINT, key);
    if (!track.is_points && endS - startS < leastS - ROUNDING_S) yield fault(Fault.TOO_SHORT, key);
    if (durationS !== null && endS > durationS + ROUNDING_S) yield fault(Fault.BEYOND_THE_END, key, "", durationS, endS);
  }
}

function* ofNeighbours(state, track, leastS) {
  let [reachedS, longest] = [0, ""];
  const isPartition = track.geometry === "partition";
  for (const { key, start_s: startS, end_s: endS } of state.timed(track.name)) {
    if (startS < reachedS) yield fault(Fault.OVERLAP, longest, key, startS, Math.min(reachedS, endS));
    else if (isPartition && startS > reachedS) yield fault(Fault.GAP, longest, key, reachedS, startS);
    if (endS >= reachedS) [reachedS, longest] = [endS, key];
  }
  const { durationS } = state;
  if (isPartition && durationS !== null && reachedS < durationS - leastS - ROUNDING_S) yield fault(Fault.GAP, longest, "", reachedS, durationS);
}

function* ofWords(state, item, track, steps) {
  const { key, label, step_id: stepId } = item;
  const isWordless = !item.text.trim();
  if (item.is_proposal) yield fault(Fault.PROPOSAL, key);
  if (track.source === "steps") {
    const isUndefined = stepId === UNDEFINED_STEP && track.has_undefined;
    if (!stepId) yield fault(Fault.NO_STEP, key);
    else if (steps && !steps.has(stepId) && !isUndefined) yield fault(Fault.UNKNOWN_STEP, key, stepId);
    if (isUndefined && isWordless) yield fault(Fault.NO_TEXT, key);
  } else if (track.source === "labels" && !label) {
    yield fault(Fault.NO_LABEL, key);
  }
  if (label) {
    const known = track.labels.find(({ name }) => name === label);
    if (!known) yield fault(Fault.UNKNOWN_LABEL, key, label);
    else if (known.templates.length && isWordless) yield fault(Fault.NO_TEXT, key, label);
  }
  if (track.belongs_to) {
    const parent = state.segments.get(item.parent_key);
    if (!parent || parent.is_deleted || parent.track !== track.belongs_to) yield fault(Fault.PARENT_LOST, key, item.parent_key);
  }
}

function* ofSteps(here, track, steps) {
  const done = new Set(here.filter((item) => !isMissing(item)).map(({ step_id: stepId }) => stepId));
  const said = new Map(here.filter(isMissing).map(({ step_id: stepId, key }) => [stepId, key]));
  for (const [stepId, key] of said) if (done.has(stepId)) yield fault(Fault.DONE_AND_MISSING, key, stepId);
  if (!track.says_missing) return;
  for (const stepId of steps) if (!done.has(stepId) && !said.has(stepId)) yield fault(Fault.NOT_SAID, "", stepId);
}
