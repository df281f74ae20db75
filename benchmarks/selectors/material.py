"""Read the material of tasks from the corpus."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404

from annotation.engine.corpus import procedure
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import TaskGraph
from annotation.engine.taxonomy import Speaker
from annotation.models import Dataset, Step, Trace, User, Utterance, Video
from annotation.selectors.corpus.corpus import (
    as_shown,
    get_dataset_for_user,
    procedure_from_rows,
    procedure_of,
    traces_of,
)
from benchmarks.engine.material import Material, Recording
from benchmarks.selectors.onsets import marked_onsets

# The keys under which importers and runs store who wrote a trace.
GENERATORS = ("writer", "model", "generator")
# So many takes or traces are read at once.
ROWS_AT_ONCE = 200
# What a data set says of its import is as long as it has oddities, and would be read with each row.
UNREAD = tuple(f"take__dataset__{name}" for name in ("native_labels", "derived", "import_warnings"))


@dataclass(frozen=True, slots=True)
class Source:
    """Material with its data set, and the ids of videos by the keys of recordings."""

    material: Material
    dataset: Dataset
    video_ids: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source that a user may read, before any of it is read: its data set, and its own name."""

    dataset: Dataset
    name: str


def find_dataset(user: User | None, public_id: str) -> NamedSource:
    """A data set by its id; raises Http404. `user` None is the command line."""
    if user is None:
        dataset = get_object_or_404(Dataset, public_id=public_id)
    else:
        dataset = get_dataset_for_user(user, public_id)
    return NamedSource(dataset, dataset.name)


def dataset_source(user: User | None, public_id: str) -> Source:
    """A data set's takes and traces; raises Http404. `user` None is the command line."""
    dataset = find_dataset(user, public_id).dataset
    recordings, video_ids, takes = [], {}, {}
    steps = Prefetch("steps", Step.objects.order_by("index"))
    said = Prefetch("utterances", Utterance.objects.order_by("index"))
    onsets = marked_onsets(user, dataset)
    own_takes = dataset.takes.select_related("video").prefetch_related(steps, said)
    for take in own_takes.order_by("uid").iterator(ROWS_AT_ONCE):
        stored = procedure_from_rows(take, take.steps.all())
        takes[take.pk] = content = as_shown(stored, take)
        key = f"take:{take.uid}"
        words = tuple(map(_utterance, take.utterances.all()))
        recordings.append(
            Recording(
                key,
                content,
                duration_s=_duration(take.video),
                said=words,
                onsets=onsets.get((take.pk, None)),
            )
        )
        if take.video is not None:
            video_ids[key] = take.video.pk
    for trace, content_of in _traces(dataset, said):
        reference = takes.get(trace.take_id) or as_shown(procedure_of(trace.take), trace.take)
        key = f"trace:{trace.uid}"
        generator = next((trace.provenance[n] for n in GENERATORS if n in trace.provenance), "")
        recordings.append(
            Recording(
                key,
                reference,
                as_shown(content_of, trace.take),
                duration_s=_duration(trace.video),
                person=trace.provenance.get("person", ""),
                generator=generator,
                said=tuple(map(_utterance, trace.utterances.all())),
                onsets=onsets.get((trace.take_id, trace.pk)),
            )
        )
        if trace.video is not None:
            video_ids[key] = trace.video.pk
    shown = shown_text_of(dataset.format)
    graphs = tuple(
        TaskGraph(
            graph.scenario,
            tuple((str(node), shown(text)) for node, text in graph.nodes),
            tuple((str(before), str(after)) for before, after in graph.edges),
        )
        for graph in dataset.task_graphs.order_by("scenario")
    )
    extra = {"graphs": graphs, "format": dataset.format}
    return Source(Material(dataset.name, tuple(recordings), extra), dataset, video_ids)


def _traces(dataset: Dataset, said: "Prefetch[str]") -> Iterator[tuple[Trace, procedure.Trace]]:
    """The traces of a data set as rows and as the engine knows them, some at a time."""
    traces = Trace.objects.filter(dataset=dataset).select_related("take__dataset", "video")
    traces = traces.defer(*UNREAD).prefetch_related(said)
    left = traces.order_by("uid").iterator(ROWS_AT_ONCE)
    while some := list(islice(left, ROWS_AT_ONCE)):
        yield from zip(some, traces_of(some), strict=True)


def _utterance(row: Utterance) -> procedure.Utterance:
    return procedure.Utterance(
        Speaker(row.who), row.text, start_s=row.start_s, end_s=row.end_s, reason=row.reason
    )


def _duration(video: Video | None) -> float | None:
    return None if video is None else video.duration_s
