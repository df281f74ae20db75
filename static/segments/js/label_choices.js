/** Which labels a segment can get, the likeliest first, and which of them fit what was typed. */

export const UNDEFINED_STEP = "-1";
export const HUES = 12;

/** The words of a text without accents, in lower case. */
function wordsOf(text) {
  return plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

function plain(text) {
  return text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase();
}

export class StepChoices {
  /** `procedure`: [{step_id, text}] in its order. */
  constructor(procedure) {
    this.steps = procedure.map((step, index) => ({ ...step, number: index + 1, words: wordsOf(`${index + 1} ${step.text}`) }));
    this.byId = new Map(this.steps.map((step) => [step.step_id, step]));
  }

  get(stepId) {
    return this.byId.get(stepId) ?? null;
  }

  numberOf(stepId) {
    return this.byId.get(stepId)?.number ?? null;
  }

  /** Which of the calm colours a step has; its number tells it too, and neighbours are far apart. */
  hueOf(stepId) {
    const number = this.numberOf(stepId);
    return number === null ? null : number % HUES;
  }

  /** The text of a step; of one that is not in the procedure its id. */
  textOf(stepId) {
    if (stepId === UNDEFINED_STEP) return "Undefined: not in the procedure";
    return this.byId.get(stepId)?.text ?? (stepId ? `Step ${stepId}, not in the procedure` : "No label yet");
  }

  /** Why digits are nobody's number here. */
  wordsOfNone(digits) {
    const step = this.steps[Number(digits) - 1];
    if (step) return `Step ${digits} is in the list already.`;
    return this.steps.length ? `No step has the number ${digits}; expected one from 1 to ${this.steps.length}.` : "The procedure has no steps.";
  }

  /** All steps for a segment: [{step, hint}], the likeliest first.
   *
   * First the one after the step of the segment before, then those that nobody has done yet, in
   * their order from there on, then repeats.
   */
  ranked({ segments, segment }) {
    const others = segments.filter(({ key }) => key !== segment?.key);
    const done = new Set(others.filter(({ start_s: startS }) => startS !== null).map(({ step_id: id }) => id));
    const missing = new Set(others.filter(({ start_s: startS }) => startS === null).map(({ step_id: id }) => id));
    const before = segment && others.filter((item) => item.start_s !== null && item.start_s < segment.start_s && this.byId.has(item.step_id)).at(-1);
    const from = before ? this.numberOf(before.step_id) : 0;
    const rank = ({ step_id: id, number }) => {
      const isBehind = number <= from;
      return (done.has(id) ? 4 : 0) + (missing.has(id) ? 2 : 0) + (isBehind ? 1 : 0);
    };
    const ordered = [...this.steps].sort((a, b) => rank(a) - rank(b) || a.number - b.number);
    return ordered.map((step, place) => ({ step, hint: hintOf({ step, place, segment, done, missing }) }));
  }

  /** Those that fit: every word typed begins, or is in, some word of the step, in any order. */
  matching(ranked, typed) {
    const asked = wordsOf(typed);
    if (!asked.length) return ranked;
    const found = [];
    for (const choice of ranked) {
      let score = 0;
      const fits = asked.every((word) => {
        if (choice.step.words.some((known) => known.startsWith(word))) score += 2;
        else if (choice.step.words.some((known) => known.includes(word))) score += 1;
        else return false;
        return true;
      });
      if (fits) found.push({ ...choice, score });
    }
    return found.sort((a, b) => b.score - a.score);
  }
}

function hintOf({ step, place, segment, done, missing }) {
  if (segment?.step_id === step.step_id) return "now";
  if (missing.has(step.step_id)) return "said to be missing";
  if (done.has(step.step_id)) return "again";
  return place === 0 ? "next" : "not yet";
}

/** Labels of a track (mistakes), those that fit what was typed. */
export function matchingLabels(labels, typed) {
  const asked = wordsOf(typed);
  return labels.filter(({ name }) => {
    const words = wordsOf(name);
    return asked.every((word) => words.some((known) => known.includes(word)));
  });
}
