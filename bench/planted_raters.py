"""Made-up audits with raters of known kinds: honest ones, and ones with a planted fault.

Honest people differ: everybody is a little more or less strict for good, and never quite steady.
How often each answer is given follows PIE-V's Table 3 (state changes are rarely broken, sequences
mostly whole), since rules must not take what is usual for a habit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from annotation.analytics.raters.raters import RaterAnswers
from annotation.analytics.raters.screening_terms import RaterEvidence
from annotation.engine.campaigns.allocation import allocate
from annotation.engine.rubric.rubric import Metric, Scale, Scope, current_rubric

# Standard deviations on the 1-5 scale: between events, between raters, between looks.
EVENT_SPREAD, RATER_SPREAD, CHANCE_SPREAD = 1.0, 0.15, 0.6
# Means of the 1-5 metrics and how far from the middle a yes lies, in spreads of events.
MEANS = {
    Metric.HUMAN_PLAUSIBILITY: 3.6,
    Metric.CONFUSABILITY: 2.0,
    Metric.SEQUENCE_CONSISTENCY: 4.4,
    Metric.VIDEO_PLAUSIBILITY: 3.8,
    Metric.TEXT_VIDEO_GROUNDING: 3.6,
}
LEANINGS = {
    Metric.ERROR_VALIDITY: 0.4,
    Metric.PROCEDURE_LOGIC: -0.8,
    Metric.STATE_CHANGE_COHERENCE: -1.2,
}
LABEL_ERROR_SHARE = 0.12
SECONDS_PER_ANSWER = 6.0


class Kind(StrEnum):
    """How a made-up rater answers."""

    HONEST = "honest"
    RANDOM = "random"
    ONE_VALUE = "one value"
    STRICT = "one point stricter"
    DRIFTING = "drifting"
    FAST = "too fast"


@dataclass(frozen=True, slots=True)
class Audit:
    """What is known of one made-up round."""

    answers: tuple[RaterAnswers, ...]
    evidence: tuple[RaterEvidence, ...]


def made_up_audit(
    kinds: Sequence[Kind],
    *,
    rng: np.random.Generator,
    traces: int = 40,
    events: int = 5,
    overlap: int = 3,
    has_checks: bool = True,
) -> Audit:
    """One round with a rater of each kind; `has_checks` gives them gold, traps and repeats."""
    rater_count = len(kinds)
    plan = allocate(
        raters_by_trace=dict.fromkeys(range(traces), ()),
        raters=list(range(rater_count)),
        movable={},
        overlap=overlap,
        rng=rng,
    )
    queues: list[list[int]] = [[] for _ in kinds]
    for trace, rater in plan.added:
        queues[rater].append(trace)
    for queue in queues:
        rng.shuffle(queue)
    metrics = current_rubric().metrics
    answers = []
    for definition in metrics:
        is_trace = definition.scope is Scope.TRACE
        per_trace = 1 if is_trace else events
        truth = rng.normal(0, EVENT_SPREAD, traces * per_trace)
        labels = rng.integers(0, len(definition.values), traces * per_trace)
        rows: list[tuple[int, int, int, int, float, bool]] = []
        for rater, kind in enumerate(kinds):
            own = rng.normal(0, RATER_SPREAD)
            pace = SECONDS_PER_ANSWER / 20 if kind is Kind.FAST else SECONDS_PER_ANSWER
            for rank, trace in enumerate(queues[rater]):
                for number in range(per_trace):
                    unit = trace * per_trace + number
                    progress = (rank + 0.5) / len(queues[rater])
                    value = _answer(
                        kind, definition.metric, truth[unit], labels[unit], own, progress, rng
                    )
                    is_implied = (
                        definition.metric
                        in (Metric.SEQUENCE_CONSISTENCY, Metric.STATE_CHANGE_COHERENCE)
                        and kind not in (Kind.RANDOM, Kind.ONE_VALUE)
                        and truth[unit] > 0.2
                    )
                    moment = 10_000.0 * rank + number * len(metrics) * pace
                    rows.append((rater, unit, trace, value, moment, is_implied))
        columns = list(zip(*rows, strict=True))
        answers.append(
            RaterAnswers(
                metric=definition.metric,
                rater_count=rater_count,
                raters=np.array(columns[0]),
                units=np.array(columns[1]),
                traces=np.array(columns[2]),
                values=np.array(columns[3]),
                moments=np.array(columns[4], float),
                is_implied=np.array(columns[5], bool),
            )
        )
    return Audit(
        tuple(answers),
        tuple(
            _evidence(f"rater {number}", kind, len(queues[number]), rng, has_checks)
            for number, kind in enumerate(kinds)
        ),
    )


def _answer(
    kind: Kind,
    metric: Metric,
    truth: float,
    label: int,
    own: float,
    progress: float,
    rng: np.random.Generator,
) -> int:
    definition = current_rubric().definition(metric)
    value_count = len(definition.values)
    if kind is Kind.RANDOM:
        return int(rng.integers(value_count))
    if kind is Kind.ONE_VALUE:
        return value_count // 2
    look = truth + own + rng.normal(0, CHANCE_SPREAD)
    if definition.scale is Scale.TAXONOMY:
        is_wrong = rng.random() < LABEL_ERROR_SHARE
        return int(rng.integers(value_count)) if is_wrong else int(label)
    if definition.scale is Scale.YES_NO:
        return int(look + LEANINGS[metric] > 0)
    look -= {Kind.STRICT: 1.0, Kind.DRIFTING: 2.0 * progress}.get(kind, 0.0)
    return int(np.clip(round(MEANS[metric] + look), 1, 5)) - 1


def _evidence(
    name: str, kind: Kind, traces: int, rng: np.random.Generator, has_checks: bool
) -> RaterEvidence:
    seconds = rng.lognormal(np.log(2.0 if kind is Kind.FAST else 45.0), 0.4, traces)
    right = {Kind.RANDOM: 0.35, Kind.ONE_VALUE: 0.35}.get(kind, 0.92)
    again = {Kind.RANDOM: 0.27, Kind.ONE_VALUE: 1.0}.get(kind, 0.7)

    def drawn(count: int, share: float) -> tuple[bool, ...]:
        return tuple(bool(item) for item in rng.random(count) < share) if has_checks else ()

    return RaterEvidence(
        name=name,
        seconds_per_event=tuple(float(item) for item in seconds),
        watched=tuple(float(item) for item in rng.uniform(0.8, 1.0, traces)),
        gold=drawn(16, right),
        traps=drawn(4, 0.98 if kind not in (Kind.RANDOM, Kind.ONE_VALUE) else 0.35),
        repeats=drawn(40, again),
    )
