"""Makes a new data set from the finished segments of a round.

Existing data sets never change: their times were part of what people rated. Either the whole new
data set is written or nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.db import transaction
from django.db.models import OuterRef, Subquery

from annotation.backends import made_files
from annotation.engine.corpus import procedure
from annotation.engine.corpus.formats.errors import Problem, problem
from annotation.engine.corpus.formats.native_labels import propose_type
from annotation.engine.corpus.formats.pairing import Reference
from annotation.engine.corpus.formats.recordings import Recording, make_take, make_trace
from annotation.engine.corpus.procedure import Reading
from annotation.engine.videos.storage_prefix import StoragePrefix, is_storage_address
from annotation.models import Dataset, Round, Step, Take, Trace, User, Video
from annotation.selectors.corpus.corpus import procedure_of
from annotation.services.corpus.import_plan import ImportRefusedError, refusal
from annotation.services.corpus.imports import ImportOutcome, ImportTarget, import_reading
from annotation.services.records.audit_log import record_round
from segments.engine.publishing import recording_of
from segments.engine.scheme import Scheme, UnmappedLabelError
from segments.models import (
    PublishedAs,
    Segmentation,
    SegmentationStatus,
    SegmentPublication,
    SegmentRecording,
)
from segments.selectors.reading import person_code, scheme_of_round, steps_of_takes, stream_segments

# The format of a data set that was made here and not imported from a file.
FORMAT = "segments"


@dataclass(frozen=True, slots=True)
class NewDataset:
    """The data set to make: its name, and whether every researcher of the site sees it."""

    name: str
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Publication:
    """The content of a new data set, and for each recording whose segments it has.

    `segmentations` is as in `SegmentPublication`.
    """

    reading: Reading
    segmentations: tuple[dict[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The segmentation that is published for a recording; `uid` is the recording's new uid."""

    row: SegmentRecording
    own: Segmentation
    uid: str
    recording: Recording

    @property
    def is_reference(self) -> bool:
        return self.row.published_as == PublishedAs.REFERENCE

    def labels(self, *, are_derived: bool) -> list[str]:
        """The names of its mistakes: those that people chose, or those that follow from others."""
        labels = (label for step in self.recording.steps for label in step.labels)
        return [label.name for label in labels if label.is_derived == are_derived]


def publish_round(*, round_: Round, new: NewDataset, actor: User | None) -> ImportOutcome:
    """Make a data set of accepted work, and of submitted work where the round is closed.

    Raises `ImportRefusedError` with every obstacle: a name in use, recordings with several
    versions, labels of mistakes that the scheme maps to no event.
    """
    with transaction.atomic():
        if Dataset.objects.filter(name=new.name).exists():
            raise refusal("name", new.name, "a name that no data set has: nothing is added to one")
        round_ = Round.objects.select_for_update(of=("self",)).get(pk=round_.pk)
        published = publication_of(round_)
        target = ImportTarget(new.name, FORMAT, owner=actor, is_shared=new.is_shared)
        outcome = import_reading(published.reading, target=target, actor=actor)
        dataset = Dataset.objects.get(public_id=outcome.dataset_id)
        SegmentPublication.objects.create(
            dataset=dataset,
            round=round_,
            scheme=round_.segments.scheme,
            scheme_version=round_.segments.scheme_version,
            guideline=round_.guideline.name,
            segmentations=list(published.segmentations),
            made_by=actor,
        )
        _link_videos(dataset, round_)
        record_round(actor, "round.publish", round_, {"dataset": dataset.public_id})
    return outcome


def publication_of(round_: Round) -> Publication:
    """The data set that `publish_round` would write; raises as it does."""
    scheme = scheme_of_round(round_)
    problems: list[Problem] = []
    chosen = _chosen(round_, scheme, problems)
    if not chosen and not problems:
        place = f"round {round_.number}"
        words = (
            "Nobody submitted anything in this round, so there is nothing to publish."
            if round_.is_closed
            else "Nothing is accepted yet: accept work in a review, or close the round."
        )
        problems.append(_fault(place, "segmentations", "none", "accepted work", words))
    labels = Counter(name for item in chosen for name in item.labels(are_derived=False))
    derived = Counter(name for item in chosen for name in item.labels(are_derived=True))
    try:
        scheme.events_of(labels)
    except UnmappedLabelError as error:
        place, words = f"scheme {scheme.name}", f"Labels cannot be published: {error}."
        problems.append(_fault(place, "label", error.labels, "a type of event", words))
    if problems:
        raise ImportRefusedError(problems)
    by_take, unpaired = _takes(chosen, problems)
    traces = _traces(chosen, by_take, scheme, round_, problems)
    if problems:
        raise ImportRefusedError(problems)
    return Publication(
        Reading((*by_take.values(), *unpaired), traces, native_labels=labels, derived=derived),
        tuple(
            {
                "uid": item.uid,
                "kind": item.row.published_as,
                "segmentation": item.own.public_id,
                "person": person_code(round_.campaign, item.own.person_id),
                "head": item.own.head,
                "status": item.own.status,
            }
            for item in chosen
        ),
    )


def _fault(place: str, field: str, value: object, expected: str, sentence: str = "") -> Problem:
    fault = problem(file="", place=place, field=field, value=value, expected=expected)
    return replace(fault, sentence=sentence) if sentence else fault


def _chosen(round_: Round, scheme: Scheme, problems: list[Problem]) -> list[_Chosen]:
    """The one finished segmentation of each recording; several are a problem."""
    accepted, submitted = SegmentationStatus.ACCEPTED, SegmentationStatus.SUBMITTED
    statuses = [accepted, submitted] if round_.is_closed else [accepted]
    work = round_.segmentations.filter(status__in=statuses).order_by("pk")
    by_recording: dict[tuple[int, int | None], list[Segmentation]] = defaultdict(list)
    for own in work.select_related("recording__take__dataset", "recording__trace__dataset"):
        by_recording[own.recording.take_id, own.recording.trace_id].append(own)
    segments = dict(stream_segments(work))
    steps = steps_of_takes({take for take, _ in by_recording})
    uids = Counter(of_one[0].recording.recorded.uid for of_one in by_recording.values())
    chosen = []
    for (take_id, _), of_one in by_recording.items():
        versions = [own for own in of_one if own.status == accepted] or of_one
        row = versions[0].recording
        source = row.recorded
        # Two data sets may use one uid for different recordings.
        uid = source.uid if uids[source.uid] == 1 else f"{source.uid} ({source.dataset.name})"
        if len(versions) > 1:
            words = (
                f"{uid} has {len(versions)} people's versions: let somebody decide between them,"
                " and publish that round."
            )
            fault = _fault(f"recording {uid}", "versions", len(versions), "one version", words)
            problems.append(fault)
            continue
        try:
            recording, faults = recording_of(
                segments.get(versions[0].pk, []),
                scheme=scheme,
                steps=steps.get(take_id, {}),
                uid=uid,
                scenario=row.take.scenario,
            )
        except ValueError as error:
            words = f"Nothing can be published: {error}."
            raise ImportRefusedError([_fault("", "", "", "", words)]) from error
        problems += [
            _fault(f"recording {uid}, segment {item.key}", item.field, item.value, item.expected)
            for item in faults
        ]
        item = _Chosen(row, versions[0], uid, recording)
        if item.is_reference:
            problems += [
                _fault(f"recording {uid}", "label", name, "none, as it is a reference")
                for name in item.labels(are_derived=False)
            ]
        chosen.append(item)
    return chosen


def _takes(
    chosen: Sequence[_Chosen], problems: list[Problem]
) -> tuple[dict[int, procedure.Take], list[procedure.Take]]:
    """The new takes by the primary key of the take that each replaces, and takes without one.

    A take that nobody segmented is copied, because traces refer to it. Takes without one are made
    of recordings of traces that are published as references: no trace refers to them.
    """
    takes: dict[int, procedure.Take] = {}
    extra: dict[str, procedure.Take] = {}
    for item in chosen:
        if not item.is_reference:
            continue
        steps = {
            step.step_id: step for step in item.row.take.steps.order_by("-index") if step.step_id
        }
        take = _with_facts(make_take(item.recording), steps, item.row.recorded.video_stem)
        if item.row.trace_id is None:
            takes[item.row.take_id] = take
        elif item.uid in extra:
            problems.append(_fault(f"recording {item.uid}", "uid", item.uid, "each once"))
        else:
            extra[item.uid] = take
    own_recordings = {
        item.row.take_id for item in chosen if not item.is_reference and item.row.trace_id is None
    }
    used = {take.uid for take in [*takes.values(), *extra.values()]}
    for item in chosen:
        source = item.row.take
        if item.is_reference or source.pk in takes:
            continue
        content = procedure_of(source)
        if source.pk in own_recordings:
            # Its recording becomes a trace, so the take keeps only the written procedure.
            written = tuple(replace(step, start_s=None, end_s=None) for step in content.steps)
            content = replace(content, steps=written, video_stem="")
        uid = source.uid if source.uid not in used else f"{source.uid} ({source.dataset.name})"
        used.add(uid)
        takes[source.pk] = replace(content, uid=uid)
    return takes, list(extra.values())


def _with_facts(
    take: procedure.Take, sources: Mapping[str, Step], video_stem: str
) -> procedure.Take:
    """The take with the facts about its steps that the old procedure has besides their texts."""
    steps = []
    for step in take.steps:
        source = sources.get(step.step_id)
        if source is not None:
            step = replace(
                step,
                is_essential=source.is_essential,
                taxonomy_path=tuple(source.taxonomy_path),
                semrep=source.semrep if step.text == source.text else "",
            )
        steps.append(step)
    return replace(take, steps=tuple(steps), video_stem=video_stem)


def _traces(
    chosen: Sequence[_Chosen],
    takes: Mapping[int, procedure.Take],
    scheme: Scheme,
    round_: Round,
    problems: list[Problem],
) -> tuple[procedure.Trace, ...]:
    propose = partial(propose_type, proposals=scheme.events or {})
    traces = []
    for item in chosen:
        if item.is_reference:
            continue
        take = takes[item.row.take_id]
        step_ids = {step.step_id for step in take.steps}
        left_out = [step for step in item.recording.steps if step.is_missing]
        lacking = [step.step_id for step in left_out if step.step_id not in step_ids]
        if lacking:
            expected = f"a step of its reference {take.uid}"
            problems.append(_fault(f"recording {item.uid}", "missing step", lacking, expected))
            continue
        reason = f"Round {round_.number} of {round_.campaign.name} names this take."
        trace = make_trace(item.recording, Reference(take, reason[:300]), propose)
        about = {
            "campaign": round_.campaign.name,
            "round": str(round_.number),
            "scheme": f"{scheme.name} {scheme.version}",
            "guideline": round_.guideline.name,
            "segmentation": item.own.public_id,
            "person": person_code(round_.campaign, item.own.person_id),
            "head": str(item.own.head),
        }
        stem = item.row.recorded.video_stem
        traces.append(replace(trace, video_stem=stem, provenance=about))
    return tuple(traces)


def _link_videos(dataset: Dataset, round_: Round) -> None:
    """Link the new data set to the old videos, where all of these are in one place.

    A folder below the media folder gets its full path: files under a relative one would count as
    the new data set's own and be deleted with it.
    """
    stems = {
        *dataset.takes.exclude(video_stem="").values_list("video_stem", flat=True),
        *dataset.traces.exclude(video_stem="").values_list("video_stem", flat=True),
    }
    rows = round_.recordings.values_list("take__dataset", "trace__dataset")
    sources = Dataset.objects.filter(pk__in={pk for row in rows for pk in row if pk})
    places = {(source.video_folder, source.video_pattern) for source in sources}
    if len(places) != 1:
        return
    [(folder, pattern)] = places
    videos: dict[str, Video] = {}
    for video in Video.objects.filter(dataset__in=sources, stem__in=stems).order_by("pk"):
        if video.stem in videos:
            # Nobody can say which of two videos with one name is meant.
            return
        videos[video.stem] = video
    linked = [video for video in videos.values() if not video.folder]
    if not videos or (linked and not folder):
        return
    if linked and not is_storage_address(folder):
        made_in = made_files.place()
        is_kept = made_in is not None and any(video.etag for video in linked)
        folder = (
            str(StoragePrefix(made_in.bucket, made_in.key_of(folder)))
            if made_in is not None and is_kept
            else str(made_files.path_here(folder).resolve())
        )
    dataset.video_folder, dataset.video_pattern = folder, pattern
    dataset.save(update_fields=["video_folder", "video_pattern"])
    own = ("id", "public_id", "dataset", "linked_at")
    copied = [field.attname for field in Video._meta.concrete_fields if field.name not in own]
    Video.objects.bulk_create(
        Video(dataset=dataset, **{name: getattr(video, name) for name in copied})
        for video in videos.values()
    )
    same_stem = Video.objects.filter(dataset=dataset, stem=OuterRef("video_stem")).values("pk")
    for model in (Take, Trace):
        model.objects.filter(dataset=dataset).update(video=Subquery(same_stem[:1]))
