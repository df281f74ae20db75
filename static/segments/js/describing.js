/** Describes segments in words: in the lanes, in the list, and for screen readers. */

import { differences } from "./difference.js";
import { Fault } from "./faults.js";
import { UNDEFINED_STEP } from "./label_choices.js";
import { clockText, differenceText } from "./time_scale.js";

const EDIT_WORDS = Object.freeze({ step: "another step", label: "another mistake", text: "text edited" });
const FAULT_WORDS = Object.freeze({
  [Fault.OVERLAP]: "overlaps", [Fault.TOO_SHORT]: "shorter than a frame", [Fault.BEYOND_THE_END]: "goes beyond the end of the video",
  [Fault.NOT_A_POINT]: "not a point", [Fault.UNKNOWN_STEP]: "step not in the procedure", [Fault.UNKNOWN_LABEL]: "unknown label",
  [Fault.NO_TEXT]: "no description", [Fault.NO_LABEL]: "no label", [Fault.NO_STEP]: "no label",
  [Fault.PARENT_LOST]: "belongs to no step", [Fault.DONE_AND_MISSING]: "done and said to be missing",
});

export class Describing {
  /** `editor`, `choices` and `checks` (null where nothing is asked); `stage` as of the round. */
  constructor({ editor, choices, checks, stage, asked }) {
    Object.assign(this, { editor, choices, checks, stage });
    this.asked = Map.groupBy(asked, ({ key }) => key);
    this.baseline = null;
    this.edits = new Map();
    this.faultsOf = new Map();
  }

  /** `faults` of the state that is shown; looked up by segment. */
  setFaults(faults) {
    this.faultsOf = Map.groupBy(faults, ({ key }) => key);
    this.edits = new Map();
    if (!this.baseline) return;
    for (const item of differences(this.baseline, this.editor.state)) this.edits.set(item.key, item);
  }

  /** “step 4”, “undefined step”, or what else it is. */
  nameOf(segment) {
    const number = this.choices.numberOf(segment.step_id);
    if (number) return `step ${number}`;
    if (segment.step_id === UNDEFINED_STEP) return "undefined step";
    if (segment.step_id) return `step ${segment.step_id}`;
    return segment.label || "segment without a label";
  }

  textOf(segment) {
    if (segment.step_id === UNDEFINED_STEP) return segment.text || "Undefined";
    if (segment.step_id) return this.choices.textOf(segment.step_id);
    return [segment.label, segment.text].filter(Boolean).join(": ") || "No label yet";
  }

  titleOf(segment) {
    const name = this.nameOf(segment);
    return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${this.textOf(segment)}`;
  }

  isCorrection({ label }) {
    return /correction/i.test(label);
  }

  /** For the lanes: {text, short, classes, label}. */
  inLane(segment) {
    const number = this.choices.numberOf(segment.step_id);
    const sign = segment.label ? (this.isCorrection(segment) ? "↺ " : "▲ ") : "";
    const short = `${sign}${number ?? ""}`.trim();
    const text = `${sign}${number ? `${number} ` : ""}${this.textOf(segment)}`;
    const faults = this.faultsOf.get(segment.key) ?? [];
    const hue = this.choices.hueOf(segment.step_id);
    const classes = [
      hue !== null && !segment.is_proposal && `hue hue-${hue}`,
      segment.is_proposal && "proposal",
      segment.label && (this.isCorrection(segment) ? "correction" : "mistake"),
      !segment.step_id && !segment.label && "unnamed",
      segment.is_flagged && "flagged",
      this.editor.several.has(segment.key) && "chosen",
      !this.editor.passes(segment) && "dim",
      faults.some(({ kind }) => kind === Fault.BEYOND_THE_END) && "beyond",
    ].filter(Boolean).join(" ");
    return { text, short, classes, label: this.aloud(segment) };
  }

  /** For the segment that is still growing. */
  inOpening(stepId) {
    const number = this.choices.numberOf(stepId);
    return `${number ? `${number} ` : ""}${this.choices.textOf(stepId)}`;
  }

  /** For lanes that are only compared with. */
  inOtherLane(segment) {
    const number = this.choices.numberOf(segment.step_id);
    const text = `${segment.label ? "▲ " : ""}${number ? `${number} ` : ""}${this.textOf(segment)}`;
    return { text, classes: "other", label: `${this.nameOf(segment)}, ${text}, ${this.timesAloud(segment)}` };
  }

  timesAloud({ start_s: startS, end_s: endS }) {
    if (startS === null) return "not timed";
    return startS === endS ? clockText(startS) : `${clockText(startS)} to ${clockText(endS)}`;
  }

  aloud(segment) {
    const parts = [this.nameOf(segment)];
    if (segment.step_id) parts.push(this.textOf(segment));
    if (segment.label && segment.step_id) parts.push(`${this.isCorrection(segment) ? "correction" : "mistake"}: ${segment.label}`);
    parts.push(segment.start_s === null ? "said to be missing" : this.timesAloud(segment));
    if (segment.is_proposal) parts.push("proposal, not taken over");
    if (segment.is_flagged) parts.push("flagged");
    return parts.join(", ");
  }

  /** “start of step 4, 1:13.2, touches step 3”. */
  edgeAloud(segment, edge) {
    const timeS = segment[`${edge}_s`];
    const opposite = edge === "start" ? "end_s" : "start_s";
    const neighbour = this.editor.state.timed(segment.track).find((item) => item.key !== segment.key && item[opposite] === timeS);
    const touches = neighbour ? `, touches ${this.nameOf(neighbour)}` : "";
    return `${edge} of ${this.nameOf(segment)}, ${clockText(timeS)}${touches}`;
  }

  /** For the list: {number, text, badges, note, isFlagged}. */
  inList(segment) {
    const badges = [...this.stateBadges(segment), ...this.editBadges(segment)];
    if (segment.label && segment.step_id) badges.push({ kind: this.isCorrection(segment) ? "correction long" : "mistake long", words: segment.label });
    for (const child of this.childrenOf(segment)) badges.push({ kind: "mistake long", words: child.label || child.text });
    for (const fault of this.faultsOf.get(segment.key) ?? []) {
      if (FAULT_WORDS[fault.kind] && fault.kind !== Fault.NO_STEP) badges.push({ kind: "warn", words: FAULT_WORDS[fault.kind] });
    }
    if (segment.is_flagged) badges.push({ kind: "warn", words: "flagged" });
    const note = segment.is_flagged && segment.note ? segment.note : segment.step_id === UNDEFINED_STEP ? "" : segment.step_id ? segment.text : "";
    return { number: this.choices.numberOf(segment.step_id), text: this.textOf(segment), badges, note, isFlagged: segment.is_flagged, hue: this.choices.hueOf(segment.step_id) };
  }

  childrenOf(segment) {
    const tracks = this.editor.book.scheme.tracks.filter(({ belongs_to: parent }) => parent === segment.track);
    return tracks.length ? this.editor.state.children(segment.key) : [];
  }

  stateBadges(segment) {
    if (segment.start_s === null && !segment.parent_key) return [{ kind: "open", words: "missing" }];
    const badges = [];
    if (this.checks) badges.push(...this.checks.badgesOf(segment));
    else if (this.stage === "review") badges.push(this.reviewBadge(segment));
    else if (segment.is_proposal) badges.push({ kind: "open", words: "proposal" });
    for (const { question, note } of this.asked.get(segment.key) ?? []) {
      badges.push({ kind: "warn long", words: note ? `${question}: no, “${note}”` : `${question}: no` });
    }
    return badges;
  }

  reviewBadge(segment) {
    if (segment.is_proposal) return { kind: "open", words: "unchecked" };
    const isChanged = this.edits.get(segment.key)?.words.length;
    return isChanged ? { kind: "edited", words: "changed" } : { kind: "ok", words: "confirmed" };
  }

  editBadges({ key }) {
    const edit = this.edits.get(key);
    if (!edit) return [];
    const { before, after, words } = edit;
    if (words.includes("inserted")) return this.baseline.segments.size ? [{ kind: "edited", words: "inserted" }] : [];
    if (words.includes("deleted")) return [{ kind: "edited", words: "deleted" }];
    const badges = [];
    for (const edge of ["start", "end"]) {
      const byS = after[`${edge}_s`] - before[`${edge}_s`];
      if (byS) badges.push({ kind: "edited", words: `${edge} ${differenceText(byS, this.editor.book.state.rate)}` });
    }
    for (const word of words) if (EDIT_WORDS[word]) badges.push({ kind: "edited", words: EDIT_WORDS[word] });
    return badges;
  }
}

/** What is still to be done, in words for the foot of the list. */
export function faultWords(fault, describing) {
  const segment = fault.key ? describing.editor.book.state.segments.get(fault.key) : null;
  const name = segment ? describing.nameOf(segment) : "";
  switch (fault.kind) {
    case Fault.GAP: return `Gap of ${(fault.end_s - fault.start_s).toFixed(1)} s at ${clockText(fault.start_s)}.`;
    case Fault.OVERLAP: return `Two segments overlap at ${clockText(fault.start_s)}.`;
    case Fault.NOT_SAID: return `Step ${describing.choices.numberOf(fault.other)} is not in the list: mark it, or press G where it is missing.`;
    case Fault.PROPOSAL: return `${capital(name)} is a proposal: accept it with Y, change it or delete it.`;
    case Fault.NO_STEP: return "A segment has no label.";
    default: return `${capital(name)}: ${FAULT_WORDS[fault.kind] ?? fault.kind}.`;
  }
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
