"""Read the corpus: who may see what, and rows turned back into plain values."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from django.db.models import Count, Exists, IntegerField, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404

from annotation.engine.corpus import procedure
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.taxonomy import EventKind, Mod, event_type
from annotation.models import (
    Assignment,
    Dataset,
    Event,
    RatingEvent,
    Remark,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
)
from annotation.selectors.corpus.blinding import get_unhidden, hidden_datasets, openable_datasets

Content = TypeVar("Content", procedure.Take, procedure.Trace)
Row = TypeVar("Row", bound=Model)


def count_of(rows: QuerySet[Row], key: str, counted: str = "pk", *, outer: str = "pk") -> Coalesce:
    """Count rows that point at the outer row, or at what its column `outer` points at.

    Joins of several counts would multiply each other.
    """
    own = rows.filter(**{key: OuterRef(outer)}).order_by().values(key)
    totals = own.annotate(total=Count(counted, distinct=counted != "pk")).values("total")
    return Coalesce(Subquery(totals, output_field=IntegerField()), 0)


def visible_datasets(user: User) -> QuerySet[Dataset]:
    """The data sets that the user may look into: own and shared, or all, or none.

    Those that the user rates in an open campaign are not among them.
    """
    return openable_datasets(user).exclude(pk__in=hidden_datasets(user).values("pk"))


def may_change_dataset(user: User, dataset: Dataset) -> bool:
    """Whether the user may import into, change or delete the data set."""
    return user.is_administrator or (user.is_researcher and dataset.owner_id == user.pk)


def get_dataset_for_user(user: User, public_id: str) -> Dataset:
    """A visible data set; raises Http404, whether it exists or not, or HiddenWhileRatingError."""
    datasets = visible_datasets(user).select_related("owner")
    return get_unhidden(user, datasets, openable_datasets(user), public_id)


def get_changeable_dataset(user: User, public_id: str) -> Dataset:
    dataset = get_dataset_for_user(user, public_id)
    if not may_change_dataset(user, dataset):
        raise Http404
    return dataset


def visible_takes(user: User) -> QuerySet[Take]:
    return Take.objects.filter(dataset__in=visible_datasets(user))


def get_take_for_user(user: User, public_id: str) -> Take:
    """A take of a visible data set; raises Http404 or HiddenWhileRatingError."""
    takes = visible_takes(user).select_related("dataset", "video__ingest")
    openable = Take.objects.filter(dataset__in=openable_datasets(user))
    return get_unhidden(user, takes, openable, public_id)


def visible_traces(user: User) -> QuerySet[Trace]:
    return Trace.objects.filter(dataset__in=visible_datasets(user))


def get_trace_for_user(user: User, public_id: str) -> Trace:
    """A trace of a visible data set; raises Http404 or HiddenWhileRatingError."""
    traces = visible_traces(user).select_related(
        "dataset", "video__ingest", "take__dataset", "take__video__ingest"
    )
    openable = Trace.objects.filter(dataset__in=openable_datasets(user))
    return get_unhidden(user, traces, openable, public_id)


def get_changeable_trace(user: User, public_id: str) -> Trace:
    """A trace of a data set that the user may change; raises Http404."""
    trace = get_trace_for_user(user, public_id)
    if not may_change_dataset(user, trace.dataset):
        raise Http404
    return trace


def procedure_of(take: Take) -> procedure.Take:
    """The take as the engine knows it (one query: its steps)."""
    return procedure_from_rows(take, take.steps.order_by("index"))


def procedure_from_rows(take: Take, steps: Iterable[Step]) -> procedure.Take:
    """The take as the engine knows it, from its steps in order (no query of its own)."""
    return procedure.Take(
        uid=take.uid,
        name=take.name,
        scenario=take.scenario,
        steps=tuple(
            procedure.Step(
                text=step.text,
                step_id=step.step_id,
                start_s=step.start_s,
                end_s=step.end_s,
                is_essential=step.is_essential,
                semrep=step.semrep,
                taxonomy_path=tuple(step.taxonomy_path),
            )
            for step in steps
        ),
        video_stem=take.video_stem,
        order_deviations=take.order_deviations,
        intervals=tuple((start_s, end_s) for start_s, end_s in take.intervals),
    )


def as_shown(content: Content, reference: Take) -> Content:
    """A take or trace with its texts as people read them, by the format of the reference.

    A trace that was made from the reference has the same habits of writing.
    """
    shown = shown_text_of(reference.dataset.format)
    texts = [shown(step.text) for step in content.steps]
    if all(text == step.text for text, step in zip(texts, content.steps, strict=True)):
        return content
    steps = tuple(replace(step, text=text) for text, step in zip(texts, content.steps, strict=True))
    return replace(content, steps=steps)


def trace_of(trace: Trace) -> procedure.Trace:
    """The trace as the engine knows it (two queries: its events and its rows)."""
    return traces_of([trace])[0]


def traces_of(traces: Sequence[Trace]) -> list[procedure.Trace]:
    """Traces as the engine knows them (two queries for all: their events and their rows).

    No instances of rows are made: a data set has up to a million.
    """
    of_events = Event.objects.filter(trace__in=traces).order_by("trace", "index")
    events: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for trace_id, *fields in of_events.values_list(
        "trace", "pk", "event_id", "kind", "proposed_type", "target"
    ):
        events[trace_id].append(tuple(fields))
    event_ids = {pk: event_id for of in events.values() for pk, event_id, *_ in of}
    of_rows = TraceStep.objects.filter(trace__in=traces).order_by("trace", "index")
    steps: dict[int, list[procedure.TraceStep]] = defaultdict(list)
    for trace_id, mod, text, index, event, step_id, start_s, end_s, labels in of_rows.values_list(
        "trace", "mod", "text", "reference_step__index", "event", "step_id", "start_s", "end_s",
        "labels",
    ):  # fmt: skip
        native = tuple(
            procedure.NativeLabel(label["name"], label["note"], label["is_derived"])
            for label in labels
        )
        event_id = event_ids[event] if event else None
        steps[trace_id].append(
            procedure.TraceStep(Mod(mod), text, index, event_id, step_id, start_s, end_s, native)
        )
    return [
        procedure.Trace(
            uid=trace.uid,
            name=trace.name,
            take_uid=trace.take.uid,
            steps=tuple(steps[trace.pk]),
            events=tuple(
                procedure.Event(
                    event_id=event_id,
                    kind=EventKind(kind),
                    proposed_type=event_type(type_) if type_ else None,
                    target_event_id=event_ids[target] if target else None,
                )
                for _, event_id, kind, type_, target in events[trace.pk]
            ),
            video_stem=trace.video_stem,
            reference_reason=trace.reference_reason,
            provenance=trace.provenance,
        )
        for trace in traces
    ]


def has_ratings(trace: Trace) -> bool:
    """Whether anybody has rated or commented the trace, even if it was taken back (one query)."""
    is_rated = Exists(RatingEvent.objects.filter(assignment=OuterRef("pk")))
    is_remarked = Exists(Remark.objects.filter(assignment=OuterRef("pk")))
    return Assignment.objects.filter(is_rated | is_remarked, trace=trace).exists()


def reference_candidates(trace: Trace) -> QuerySet[Take]:
    """The takes that could be the trace's reference, fewest order deviations first."""
    return (
        Take.objects.filter(dataset_id=trace.take.dataset_id, scenario=trace.take.scenario)
        .annotate(step_count=Count("steps"))
        .order_by("order_deviations", "uid")
    )


def event_names(traces: Iterable[int]) -> dict[int, str]:
    """How pages call the events of traces, by row id: "Mistake 2" is the second of its trace."""
    rows = Event.objects.filter(trace__in=set(traces)).order_by("index")
    numbers: Counter[tuple[int, str]] = Counter()
    names = {}
    for pk, trace, kind in rows.values_list("pk", "trace", "kind"):
        numbers[trace, kind] += 1
        names[pk] = f"{kind.capitalize()} {numbers[trace, kind]}"
    return names
