/** The answers of one assignment as the page knows them, with the skip rules of the rubric.
 *
 * The server decides; this copy follows the same rules so that the page answers at once, and takes
 * over whatever the server says afterwards.
 */

export function keyOf(event, metric) {
  return `${event ?? "trace"}:${metric}`;
}

const EMPTY = Object.freeze({ value: null, confidence: null, cannot_judge: null, is_implied: false, revision: 0 });
/** What a rater may say besides answers: kept under a key like an answer, with the text as its value. */
export const REMARKS = Object.freeze({
  comment: "Comment",
  broken_reference: "Reference video is damaged",
  broken_trace: "Video to rate is damaged",
  without_video: "Rated without the video",
});

function pick({ value, confidence, cannot_judge }) {
  return { value, confidence, cannot_judge };
}

function isSame(first, second) {
  return ["value", "confidence", "cannot_judge", "is_implied"].every((name) => first[name] === second[name]);
}

/** A remark in the shape of an answer. */
export function ratingOf({ event, kind, text, revision }) {
  return { event, metric: kind, value: text, confidence: null, is_implied: false, revision };
}

export class RatingBook {
  constructor({ rubric, events, ratings, remarks = [], has_video: hasVideo }) {
    this.rubric = rubric;
    this.events = events;
    this.definitions = new Map(rubric.metrics.map((item) => [item.name, item]));
    this.answers = new Map();
    this.lastTyped = new Map();
    this.applicable = (scope) =>
      rubric.metrics.filter((item) => item.scope === scope && (this.asksOfVideo || !item.needs_video));
    this.hasVideo = hasVideo;
    ratings.forEach((rating) => this.store(rating));
    remarks.forEach((remark) => this.store(ratingOf(remark)));
  }

  /** Whether the metrics of the video apply: there is one, and the rater goes by it. */
  get asksOfVideo() {
    return this.hasVideo && !this.get(null, "without_video").value;
  }

  get(event, metric) {
    return this.answers.get(keyOf(event, metric)) ?? EMPTY;
  }

  /** Take over what the server holds for one key. */
  store({ event, metric, value, confidence, cannot_judge = null, is_implied, revision }) {
    const key = keyOf(event, metric);
    const answer = { value: value || null, confidence, cannot_judge };
    this.answers.set(key, { ...answer, is_implied, revision });
    if (!is_implied) this.lastTyped.set(key, answer);
  }

  /** Apply an answer that the rater gives; returns the metrics whose answers changed. */
  type(event, metric, value, confidence, cannotJudge = null) {
    const before = this.get(event, metric);
    const gone = this.impliedBy(metric, before.value);
    const come = this.impliedBy(metric, value);
    const answer = { value: value || null, confidence, cannot_judge: cannotJudge };
    this.put(event, metric, { ...answer, is_implied: false });
    this.lastTyped.set(keyOf(event, metric), answer);
    const altered = [metric];
    for (const implied of gone.keys()) {
      if (come.has(implied) || !this.get(event, implied).is_implied) continue;
      const typed = this.lastTyped.get(keyOf(event, implied)) ?? EMPTY;
      this.put(event, implied, { ...pick(typed), is_implied: false });
      altered.push(implied);
    }
    for (const [implied, impliedValue] of come) {
      const held = this.get(event, implied);
      if (gone.has(implied) && (held.value || held.cannot_judge)) continue;
      this.put(event, implied, { value: impliedValue, confidence: null, cannot_judge: null, is_implied: true });
      altered.push(implied);
    }
    return altered;
  }

  put(event, metric, answer) {
    const { revision } = this.get(event, metric);
    this.answers.set(keyOf(event, metric), { ...answer, revision });
  }

  /** Return all answers to an event, to be put back by `changesBackTo`. */
  answersOf(event) {
    return new Map(this.metricsOf(event).map(({ name }) => [name, this.get(event, name)]));
  }

  /** Yield the changes that make the answers to an event what they were; each is typed before the next is asked for. */
  * changesBackTo(event, before, first) {
    const asked = new Set(this.metricsOf(event).map(({ name }) => name));
    const metrics = [first, ...before.keys()].filter((name, at, all) => asked.has(name) && all.indexOf(name) === at);
    for (const metric of metrics) {
      const was = before.get(metric);
      const now = this.get(event, metric);
      if (isSame(now, was)) continue;
      yield { event, metric, ...pick(was.is_implied ? EMPTY : was) };
      if (!was.is_implied) continue;
      // What follows from another answer comes back when that one is given again.
      const cause = this.ruleBehind(event, metric)?.metric;
      if (cause) yield { event, metric: cause, ...pick(this.get(event, cause)) };
    }
  }

  impliedBy(metric, value) {
    const rule = this.rubric.skip_rules.find((item) => item.metric === metric && item.value === value);
    return new Map(rule ? Object.entries(rule.implies) : []);
  }

  /** Return the metric and shown value from which an implied answer follows. */
  causeOf(event, metric) {
    const rule = this.ruleBehind(event, metric);
    return rule ? this.shown(rule.metric, rule.value) : null;
  }

  ruleBehind(event, metric) {
    return this.rubric.skip_rules.find(
      (item) => metric in item.implies && this.get(event, item.metric).value === item.value,
    );
  }

  titleOf(metric) {
    return REMARKS[metric] ?? this.definitions.get(metric).title;
  }

  /** Put an answer into words, a remark included. */
  words(metric, { value, confidence, cannot_judge }) {
    if (metric in REMARKS) return value ? `“${value}”` : "taken back";
    if (cannot_judge) return `cannot judge (${this.rubric.reasons.find((item) => item.value === cannot_judge).label})`;
    return confidence === null ? this.shown(metric, value) : `${this.shown(metric, value)}, sure ${confidence} of 3`;
  }

  shown(metric, value) {
    if (!value) return "no answer";
    return this.definitions.get(metric).values.find((item) => item.value === value)?.label ?? value;
  }

  isAnswered(event, metric) {
    const { value, confidence, cannot_judge: reason } = this.get(event, metric);
    if (reason) return true;
    return Boolean(value) && (confidence !== null || !this.definitions.get(metric).has_confidence);
  }

  metricsOf(event) {
    return this.applicable(event === null ? "trace" : "event");
  }

  countOf(event) {
    const metrics = this.metricsOf(event);
    const answered = metrics.filter((item) => this.isAnswered(event, item.name)).length;
    return { answered, total: metrics.length };
  }

  /** Return everything without a complete answer, in card order: [{event, metric}]. */
  missing() {
    return [...this.events.map((item) => item.index), null].flatMap((event) =>
      this.metricsOf(event)
        .filter((item) => !this.isAnswered(event, item.name))
        .map((item) => ({ event, metric: item.name })),
    );
  }
}
