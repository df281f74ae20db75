"""What a round of segments starts from: recordings of data sets, or work of an earlier round."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.engine.taxonomy import Mod
from annotation.models import Campaign, Round, Step, Take, Trace, TraceStep
from segments.engine.model import FIELDS
from segments.engine.model import Segment as SegmentValue
from segments.engine.starting_segments import TimedStep
from segments.models import (
    Segment,
    Segmentation,
    SegmentationStatus,
    SegmentCheck,
    SegmentRecording,
    Stage,
)
from segments.selectors.saving import WORKED_ON

FINISHED = (SegmentationStatus.SUBMITTED, SegmentationStatus.ACCEPTED)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recording that a round can have: of a trace, or of a take where `trace_id` is None."""

    dataset: str
    scenario: str
    uid: str
    take_id: int
    trace_id: int | None
    has_video: bool


def candidates_of(
    campaign: Campaign, *, has_takes: bool, has_traces: bool, datasets: Collection[int] | None
) -> list[Candidate]:
    """The recordings of a campaign's data sets, in the order of their names (2 queries)."""
    fields = ("dataset__name", "scenario", "uid", "pk", "video_id")
    candidates: list[Candidate] = []
    if has_takes:
        takes = Take.objects.filter(dataset__campaigns=campaign)
        if datasets is not None:
            takes = takes.filter(dataset__in=datasets)
        candidates += [
            Candidate(dataset, scenario, uid, pk, None, video is not None)
            for dataset, scenario, uid, pk, video in takes.order_by().values_list(*fields)
        ]
    if has_traces:
        traces = Trace.objects.filter(dataset__campaigns=campaign)
        if datasets is not None:
            traces = traces.filter(dataset__in=datasets)
        rows = traces.order_by().values_list(
            "dataset__name", "take__scenario", "uid", "take_id", "pk", "video_id"
        )
        candidates += [
            Candidate(dataset, scenario, uid, take, pk, video is not None)
            for dataset, scenario, uid, take, pk, video in rows
        ]
    candidates.sort(key=lambda item: (item.dataset, item.scenario, item.uid, item.take_id))
    return candidates


def steps_of(recordings: Iterable[SegmentRecording]) -> dict[int, list[TimedStep]]:
    """The timed steps of each recording by its primary key, on its own clock (3 queries).

    Step ids are as in `procedure_of`; an action outside the procedure has the id "".
    """
    rows = list(recordings)
    takes, traces = {item.take_id for item in rows}, {item.trace_id for item in rows}
    have_ids = set(
        Step.objects.filter(take__in=takes).exclude(step_id="").values_list("take", flat=True)
    )

    def named(take: int, index: int | None, step_id: str | None) -> str:
        if index is None or take in have_ids:
            return step_id or ""
        return str(index)

    of_takes: dict[int, list[TimedStep]] = defaultdict(list)
    timed = Step.objects.filter(take__in=takes, start_s__isnull=False).order_by("take", "index")
    for take, index, step_id, text, start_s, end_s in timed.values_list(
        "take_id", "index", "step_id", "text", "start_s", "end_s"
    ):
        assert start_s is not None  # noqa: S101 - for the types
        assert end_s is not None  # noqa: S101 - for the types
        of_takes[take].append(TimedStep(named(take, index, step_id), text, start_s, end_s))
    of_traces: dict[int, list[TimedStep]] = defaultdict(list)
    done = TraceStep.objects.filter(trace__in=traces - {None}, start_s__isnull=False)
    done = done.exclude(mod=Mod.DELETION).order_by("trace", "index")
    for trace, take, index, step_id, text, start_s, end_s in done.values_list(
        "trace_id", "trace__take_id", "reference_step__index", "reference_step__step_id", "text",
        "start_s", "end_s",
    ):  # fmt: skip
        assert start_s is not None  # noqa: S101 - for the types
        assert end_s is not None  # noqa: S101 - for the types
        of_traces[trace].append(TimedStep(named(take, index, step_id), text, start_s, end_s))
    return {
        item.pk: of_takes[item.take_id] if item.trace_id is None else of_traces[item.trace_id]
        for item in rows
    }


def segments_by_segmentation(ids: Collection[int]) -> dict[int, list[SegmentValue]]:
    """The current segments, without deleted ones (one query)."""
    by_segmentation: dict[int, list[SegmentValue]] = defaultdict(list)
    rows = Segment.objects.filter(segmentation__in=ids, is_deleted=False).order_by()
    for segmentation, *values in rows.values_list("segmentation_id", *FIELDS):
        by_segmentation[segmentation].append(SegmentValue(*values))
    return by_segmentation


def finished_work(source: Round) -> list[Segmentation]:
    """The submitted and accepted work of a round, in the order in which it was assigned."""
    rows = Segmentation.objects.filter(round=source, status__in=FINISHED)
    return list(rows.select_related("recording").order_by("pk"))


def work_by_recording(source: Round) -> dict[int, list[Segmentation]]:
    """The finished work on each recording that nobody is still working on.

    In a closed round nobody works on anything.
    """
    by_recording: dict[int, list[Segmentation]] = defaultdict(list)
    for row in finished_work(source):
        by_recording[row.recording_id].append(row)
    if not source.is_closed:
        begun = Segmentation.objects.filter(round=source, status__in=WORKED_ON)
        for recording in begun.values_list("recording_id", flat=True):
            by_recording.pop(recording, None)
    return dict(by_recording)


def segmentations_with_a_no(ids: Collection[int]) -> set[int]:
    """Those in which the last answer to some question about a current revision is "no"."""
    current = {
        (owner, key): revision
        for owner, key, revision in Segment.objects.filter(segmentation__in=ids, is_deleted=False)
        .order_by()
        .values_list("segmentation_id", "key", "revision")
    }
    answers: dict[tuple[int, str, str], bool] = {}
    rows = SegmentCheck.objects.filter(segmentation__in=ids).order_by("pk")
    for owner, key, revision, question, answer in rows.values_list(
        "segmentation_id", "key", "segment_revision", "question", "answer"
    ):
        if current.get((owner, key)) == revision:
            answers[owner, key, question] = answer
    return {owner for (owner, _, _), answer in answers.items() if not answer}


def bases_by_recording(round_: Round, stage: str) -> dict[int, list[Segmentation]]:
    """The work that each recording of a round goes on from: one person's, or everybody's.

    A correction deals with every auditor's "no", and an adjudicator sees everybody's version.
    """
    rows = SegmentRecording.objects.filter(round=round_, source_segmentation__isnull=False)
    recordings = list(rows.select_related("source_segmentation__round__segments"))
    takes_all = stage in (Stage.CORRECT, Stage.ADJUDICATE)
    together = {
        source.recording_id
        for item in recordings
        if (source := item.source_segmentation)
        and (takes_all or source.round.segments.stage == Stage.AUDIT)
    }
    finished: dict[int, list[Segmentation]] = defaultdict(list)
    for row in Segmentation.objects.filter(recording__in=together, status__in=FINISHED).order_by(
        "pk"
    ):
        finished[row.recording_id].append(row)
    return {
        item.pk: finished.get(item.source_segmentation.recording_id) or [item.source_segmentation]
        for item in recordings
        if item.source_segmentation
    }


def barred_people(round_: Round, stage: str) -> dict[int, set[int]]:
    """By recording, the people who must not get it because it goes on from work of their own.

    All earlier work counts, however many rounds back. Where a round starts without earlier work,
    nobody labels the same recording twice with one scheme in a campaign.
    """
    bases = bases_by_recording(round_, stage)
    people = {pk: {row.person_id for row in rows} for pk, rows in bases.items()}
    behind = {pk: {row.pk for row in rows} for pk, rows in bases.items()}
    seen: set[int] = set()
    while unvisited := set().union(*behind.values()) - seen if behind else set():
        seen |= unvisited
        based_on = Segmentation.based_on.through.objects.filter(from_segmentation__in=unvisited)
        links = list(
            based_on.values_list(
                "from_segmentation_id", "to_segmentation_id", "to_segmentation__person_id"
            )
        )
        for pk, reached in behind.items():
            for later, earlier, person in links:
                if later in reached:
                    people[pk].add(person)
                    reached.add(earlier)
    if stage == Stage.LABEL:
        for pk, person in _earlier_labellers(round_):
            people.setdefault(pk, set()).add(person)
    return people


def _earlier_labellers(round_: Round) -> Iterable[tuple[int, int]]:
    fresh = SegmentRecording.objects.filter(round=round_, source_segmentation__isnull=True)
    own = {(take, trace): pk for pk, take, trace in fresh.values_list("pk", "take", "trace")}
    before = Segmentation.objects.filter(
        round__campaign=round_.campaign_id,
        round__segments__scheme=round_.segments.scheme,
        round__segments__stage=Stage.LABEL,
        started_at__isnull=False,
    ).exclude(round=round_)
    for take, trace, person in before.order_by().values_list(
        "recording__take", "recording__trace", "person"
    ):
        if (take, trace) in own:
            yield own[take, trace], person


def unbegun(round_: Round) -> QuerySet[Segmentation]:
    """Assigned work that nobody has opened yet; it can go to somebody else."""
    return Segmentation.objects.filter(
        round=round_, status=SegmentationStatus.OPEN, started_at__isnull=True, head=0
    )
