"""Bare data sets for ratings that come without their corpus, so that they can be analysed alone."""

from collections.abc import Sequence

from annotation.engine.ratings.table import RatingRow
from annotation.engine.taxonomy import EventKind
from annotation.models import Dataset, Event, Take, Trace, User

FORMAT = "ratings"
BATCH_ROWS = 1000


def create_skeleton(rows: Sequence[RatingRow], *, owner: User | None) -> bool:
    """Make the data sets, takes, traces and events that the rows name, without any steps.

    Returns whether it did: not where there is a data set already or a row names none.

    What the rows do not say is unknown: every event counts as a mistake, nothing has a video, and a
    trace without a take gets one of its own. Without an owner everybody sees them.
    """
    if not rows or not all(row.dataset for row in rows) or Dataset.objects.exists():
        return False
    takes_told = {(row.dataset, row.trace): row.take for row in rows if row.take}
    events_by_trace: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        take = takes_told.get((row.dataset, row.trace), f"{row.trace}:reference")
        events = events_by_trace.setdefault((row.dataset, take, row.trace), set())
        if row.event:
            events.add(row.event)
    datasets = {
        name: Dataset.objects.create(name=name, format=FORMAT, owner=owner, is_shared=owner is None)
        for name in sorted({dataset for dataset, _, _ in events_by_trace})
    }
    take_keys = sorted({(dataset, take) for dataset, take, _ in events_by_trace})
    takes = Take.objects.bulk_create(
        (
            Take(dataset=datasets[dataset], uid=uid, name=uid, scenario=uid)
            for dataset, uid in take_keys
        ),
        batch_size=BATCH_ROWS,
    )
    take_of = dict(zip(take_keys, takes, strict=True))
    trace_keys = sorted(events_by_trace)
    traces = Trace.objects.bulk_create(
        (
            Trace(dataset=datasets[dataset], take=take_of[dataset, take], uid=uid, name=uid)
            for dataset, take, uid in trace_keys
        ),
        batch_size=BATCH_ROWS,
    )
    Event.objects.bulk_create(
        (
            Event(trace=trace, index=index, event_id=event_id, kind=EventKind.MISTAKE)
            for key, trace in zip(trace_keys, traces, strict=True)
            for index, event_id in enumerate(sorted(events_by_trace[key]))
        ),
        batch_size=BATCH_ROWS,
    )
    return True
