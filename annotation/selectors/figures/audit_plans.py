"""Cost and precision of an audit, estimated from a round; who shares traces with whom in one."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotation.analytics.raters.planner import (
    PlannedWidth,
    minutes_per_event,
    required_units,
    simulated_widths,
)
from annotation.analytics.raters.raters import RaterAnswers
from annotation.engine.campaigns.allocation import Meetings, allocate, meeting_spread, meetings
from annotation.engine.rubric.rubric import MetricDefinition, Scope
from annotation.models import Assignment, Purpose, Round, Trace
from annotation.selectors.figures.rater_figures import RaterData


@dataclass(frozen=True, slots=True)
class MetricPlan:
    """Interval widths on one metric; `rarest_share` is that of the rarest value that was given."""

    definition: MetricDefinition
    widths: tuple[PlannedWidth, ...]
    rarest_share: float | None
    required_units: float | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "metric": self.definition.metric.value,
            "widths": [asdict(item) | {"width": item.width} for item in self.widths],
            "rarest_share": self.rarest_share,
            "required_units": self.required_units,
        }


@dataclass(frozen=True, slots=True)
class Pilot:
    """Sizes and times of a round, from which the next is planned."""

    trace_count: int
    rater_count: int
    events_per_trace: float | None
    minutes_per_event: float | None
    timed_traces: int


# A table of every two of more is a megabyte that nobody reads.
MOST_IN_TABLE = 50


@dataclass(frozen=True, slots=True)
class Meeter:
    """How many others a rater meets, and how many traces are shared with each of these."""

    name: str
    others: int
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class MeetingTable:
    """How many traces every two raters share; `is_planned` says that none is given out yet."""

    names: tuple[str, ...]
    table: Meetings
    is_planned: bool

    @property
    def spread(self) -> int:
        return meeting_spread(self.table)

    @property
    def pairs(self) -> list[int]:
        return sorted(self.table[np.triu_indices(len(self.names), 1)].tolist())

    @property
    def is_large(self) -> bool:
        return len(self.names) > MOST_IN_TABLE

    @property
    def meeters(self) -> list[Meeter]:
        """Each rater, who meets the fewest others first."""
        meeters = []
        for place, counts in enumerate(self.table):
            met = np.delete(counts, place)
            met = met[met > 0]
            fewest, most = (int(met.min()), int(met.max())) if len(met) else (0, 0)
            meeters.append(Meeter(self.names[place], len(met), fewest, most))
        return sorted(meeters, key=lambda meeter: (meeter.others, meeter.fewest))

    @property
    def rows(self) -> list[tuple[str, list[int | None]]]:
        return [
            (name, [None if row == column else count for column, count in enumerate(counts)])
            for row, (name, counts) in enumerate(zip(self.names, self.table.tolist(), strict=True))
        ]


def pilot_of(data: RaterData) -> Pilot:
    """Sizes and times of a round; events are those that somebody answered."""
    traces = {trace for item in data.answers for trace in item.traces.tolist()}
    events = len(data.unit_datasets[Scope.EVENT])
    return Pilot(
        trace_count=len(traces),
        rater_count=sum(
            any((item.raters == rater).any() for item in data.answers)
            for rater in range(len(data.names))
        ),
        events_per_trace=events / len(traces) if traces else None,
        minutes_per_event=minutes_per_event(data.all_timed),
        timed_traces=len(data.all_timed),
    )


def metric_plan(answers: RaterAnswers, *, seed: int, alpha: float) -> MetricPlan:
    """The widths that 10 to 100 traces and 2 to 5 raters buy, and the published closed form."""
    widths = simulated_widths(answers, rng=np.random.default_rng(seed))
    counts = np.bincount(answers.values) if len(answers.values) else np.zeros(0)
    used = counts[counts > 0]
    rarest = float(used.min() / used.sum()) if len(used) > 1 else None
    return plan_with(answers.definition, tuple(widths), rarest, alpha)


def plan_with(
    definition: MetricDefinition,
    widths: tuple[PlannedWidth, ...],
    rarest_share: float | None,
    alpha: float,
) -> MetricPlan:
    """Widths with how many units show that alpha lies above the one that is asked for."""
    required = None if rarest_share is None else required_units(alpha, min(rarest_share, 0.5))
    return MetricPlan(definition, widths, rarest_share, required)


def meeting_table(round_: Round) -> MeetingTable:
    """Who shares traces with whom in a round: as given out, or as the seed would give them out."""
    assigned = (
        Assignment.objects.filter(round=round_, purpose=Purpose.ORDINARY)
        .order_by()
        .values_list("trace_id", "rater_id", "rater__username")
    )
    holders: dict[int, set[int]] = defaultdict(set)
    names: dict[int, str] = {}
    for trace, rater, name in assigned:
        holders[trace].add(rater)
        names[rater] = name
    if holders:
        return _table(list(holders.values()), names, is_planned=False)
    names = dict(round_.raters.values_list("rater_id", "rater__username"))
    # As `services.rounds.allocate_round` does it when the round is opened.
    chosen = round_.ratings.traces.all()
    if round_.ratings.has_all_traces:
        chosen = Trace.objects.filter(dataset__campaigns=round_.campaign_id)
    keys = sorted(chosen.order_by().values_list("dataset__name", "uid", "pk").distinct())
    plan = allocate(
        raters_by_trace={trace: () for _, _, trace in keys},
        raters=sorted(names),
        movable={},
        overlap=round_.overlap,
        rng=np.random.default_rng(round_.seed),
    )
    for trace, rater in plan.added:
        holders[trace].add(rater)
    return _table(list(holders.values()), names, is_planned=True)


def _table(holders: Sequence[set[int]], names: dict[int, str], *, is_planned: bool) -> MeetingTable:
    order = sorted(names, key=lambda rater: names[rater])
    return MeetingTable(
        names=tuple(names[rater] for rater in order),
        table=meetings(holders, order),
        is_planned=is_planned,
    )
