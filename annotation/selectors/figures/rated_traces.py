"""How much there is in the traces that figures are of: steps, mistakes, corrections."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import ReportRow
from annotation.analytics.tables.own_rows import OwnScale
from annotation.engine.taxonomy import MODS_WITH_EVENT, EventKind
from annotation.models import Assignment, Event, TraceStep

# What figures are of: a data set, and which of its ratings.
Sample = tuple[str, Basis]


def samples_of(rows: Iterable[ReportRow]) -> list[Sample]:
    """What the rows are of, in the order in which they come."""
    return list(dict.fromkeys((row.dataset, row.basis) for row in rows))


def scales_of(
    rows: Iterable[ReportRow], assignments: QuerySet[Assignment]
) -> dict[Sample, OwnScale]:
    """How much was rated of each (3 queries, over all steps and events of the traces)."""
    rated = _RatedTraces.read(assignments)
    return {sample: rated.of(*sample) for sample in samples_of(rows)}


@dataclass(frozen=True, slots=True)
class _RatedTraces:
    """The traces that raters were given, and what is in each of them.

    `counts` are steps, steps of mistakes and corrections, mistakes, corrections by trace.
    """

    traces: dict[tuple[str, str, int], set[int]]
    counts: dict[int, list[int]]

    @classmethod
    def read(cls, assignments: QuerySet[Assignment]) -> "_RatedTraces":
        traces: dict[tuple[str, str, int], set[int]] = defaultdict(set)
        places = assignments.order_by().values_list(
            "trace__dataset__name", "round__campaign__name", "round__number", "trace_id"
        )
        for dataset, campaign, number, trace in places.distinct():
            traces[dataset, campaign, number].add(trace)
        counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        steps = TraceStep.objects.filter(trace__in=assignments.values("trace")).order_by()
        for trace, total, marked in steps.values_list("trace").annotate(
            total=Count("pk"), marked=Count("pk", filter=Q(mod__in=MODS_WITH_EVENT))
        ):
            counts[trace][:2] = total, marked
        events = Event.objects.filter(trace__in=assignments.values("trace")).order_by()
        for trace, kind, count in events.values_list("trace", "kind").annotate(Count("pk")):
            counts[trace][2 if kind == EventKind.MISTAKE else 3] += count
        return cls(traces, counts)

    def of(self, dataset: str, basis: Basis) -> OwnScale:
        traces = set[int]().union(
            *(self.traces.get((dataset, basis.campaign, number), ()) for number in basis.rounds)
        )
        steps, marked, mistakes, corrections = (
            sum(self.counts[trace][place] for trace in traces) for place in range(4)
        )
        return OwnScale(
            videos=len(traces),
            total_steps=steps,
            mistake_steps=marked,
            mistakes=mistakes,
            corrections=corrections,
        )
