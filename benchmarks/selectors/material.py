"""Read the material of tasks from the corpus."""

from dataclasses import dataclass, field

from django.shortcuts import get_object_or_404

from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.corpus.procedure import TaskGraph
from annotation.models import Dataset, Trace, User, Video
from annotation.selectors.corpus.corpus import (
    as_shown,
    get_dataset_for_user,
    procedure_of,
    trace_of,
)
from benchmarks.engine.material import Material, Recording

# The keys under which importers and runs store who wrote a trace.
GENERATORS = ("writer", "model", "generator")


@dataclass(frozen=True, slots=True)
class Source:
    """Material with its data set, and the ids of videos by the keys of recordings."""

    material: Material
    dataset: Dataset
    video_ids: dict[str, int] = field(default_factory=dict)


def dataset_source(user: User | None, public_id: str) -> Source:
    """A data set's takes and traces; raises Http404. `user` None is the command line."""
    if user is None:
        dataset = get_object_or_404(Dataset, public_id=public_id)
    else:
        dataset = get_dataset_for_user(user, public_id)
    recordings, video_ids, takes = [], {}, {}
    for take in dataset.takes.select_related("video", "dataset").order_by("uid"):
        takes[take.pk] = content = as_shown(procedure_of(take), take)
        key = f"take:{take.uid}"
        recordings.append(Recording(key, content, duration_s=_duration(take.video)))
        if take.video is not None:
            video_ids[key] = take.video.pk
    traces = Trace.objects.filter(dataset=dataset).select_related("take__dataset", "video")
    for trace in traces.order_by("uid"):
        reference = takes.get(trace.take_id) or as_shown(procedure_of(trace.take), trace.take)
        key = f"trace:{trace.uid}"
        generator = next((trace.provenance[n] for n in GENERATORS if n in trace.provenance), "")
        recordings.append(
            Recording(
                key,
                reference,
                as_shown(trace_of(trace), trace.take),
                duration_s=_duration(trace.video),
                person=trace.provenance.get("person", ""),
                generator=generator,
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
    return Source(Material(dataset.name, tuple(recordings), {"graphs": graphs}), dataset, video_ids)


def _duration(video: Video | None) -> float | None:
    return None if video is None else video.duration_s
