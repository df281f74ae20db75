"""Segments from files, such as a model's predictions, for the recordings of a round.

The name of their source must never reach the people who work on them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import Http404

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.limits import between, up_to
from annotation.models import Round, User
from annotation.services.campaigns.rounds import ProtocolError
from annotation.services.corpus.uploads import (
    FilesRequest,
    Upload,
    UploadPreview,
    get_upload,
    keep_files,
    preview_of,
)
from annotation.services.records.audit_log import record_round
from annotation.services.records.locks import lock_campaign
from segments.engine.faults import Fault, FaultKind, faults
from segments.engine.fitting import fitted
from segments.engine.model import Segment, Segmentation, order_in_time
from segments.engine.scheme import Scheme, scheme
from segments.engine.starting_segments import starting_segments
from segments.formats.exchange import SegmentedRecording, Settings, segment_formats
from segments.formats.packing import whole_ms
from segments.models import SegmentRecording, SegmentSource, Stage
from segments.selectors.reading import steps_of_takes
from segments.selectors.segmentations import media_of
from segments.services.export import NOTES
from segments.services.recordings import as_rows

# A recording of the round, its name in the file, its segments there, and their scores by key.
_Match = tuple[SegmentRecording, str, tuple[Segment, ...], Mapping[str, float]]
# Faults of times, which stop whoever corrects until they are mended, in words.
TIME_FAULTS = {
    FaultKind.GAP: "gap",
    FaultKind.OVERLAP: "overlap",
    FaultKind.BEYOND_THE_END: "beyond the end of the recording",
    FaultKind.TOO_SHORT: "shorter than a frame",
    FaultKind.NOT_A_POINT: "has a length, expected a point",
}


class Outcome(StrEnum):
    """What importing a file does to a recording; a begun one stays as it is."""

    NEW = "new"
    SAME = "same"
    DIFFERING = "differing"
    BEGUN = "begun"


@dataclass(frozen=True, slots=True)
class ProposalRequest(FilesRequest):
    """What a request says besides the files; `rate` and `first_frame` as in `Settings`.

    Uploaded files belong to one `round`, by its public id.
    """

    purpose: ClassVar[str] = "segments"
    format: str
    source: str = field(metadata=up_to(200))
    rate: float | None = field(default=None, metadata=between(1, 1000))
    first_frame: int = 1
    round: str = ""


@dataclass(frozen=True, slots=True)
class RecordingReport:
    """One recording of a file that is in the round.

    `faults` name the gaps, overlaps, ends beyond the recording and lengths that the scheme forbids,
    each with its place, and `geometry_faults` counts them; they are imported all the same, for
    people to mend.
    """

    recording: str
    outcome: Outcome
    segment_count: int
    geometry_faults: int
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProposalReport:
    """The result of an import, or of a dry run.

    `not_in_round` names recordings that only the files have, `without` counts those that only the
    round has. `notes` say what of the files was left out.
    """

    recordings: tuple[RecordingReport, ...]
    not_in_round: tuple[str, ...]
    without: int
    notes: tuple[str, ...]

    @property
    def counts(self) -> Counter[Outcome]:
        return Counter(item.outcome for item in self.recordings)


@dataclass(frozen=True, slots=True)
class _ReadFiles:
    """Every recording with the name of its file, and the faults in the files."""

    recordings: list[tuple[str, SegmentedRecording]]
    problems: list[Problem]
    notes: list[str]


def _read(paths: Iterable[Path], request: ProposalRequest) -> _ReadFiles:
    """Of a folder all files are read but for `NOTES`, which an exported archive has."""
    reader = segment_formats()[request.format].read
    settings = Settings(rate=request.rate, first_frame=request.first_frame)
    files = [
        file
        for path in paths
        for file in (files_in(path) if path.is_dir() else [path])
        if file.name != NOTES
    ]
    recordings: list[tuple[str, SegmentedRecording]] = []
    problems: list[Problem] = []
    notes: list[str] = []
    for file in files:
        try:
            read = reader(file, settings)
        except FormatError as error:
            problems += error.problems
            continue
        recordings += [(file.name, recording) for recording in read.recordings]
        notes += [f"{file.name}, {note}" for note in read.notes]
    return _ReadFiles(recordings, problems, notes)


@transaction.atomic
def import_proposals(
    *,
    round_: Round,
    paths: Sequence[Path],
    request: ProposalRequest,
    actor: User | None,
    is_dry_run: bool = False,
) -> ProposalReport:
    """Give the recordings of a round the segments of the files; a dry run only reports.

    Raises `FormatError` with every fault of every file, and `ProtocolError` where the round takes
    nothing from files or is closed. A recording that somebody has begun keeps its segments.
    """
    lock_campaign(round_.campaign)
    fresh = Round.objects.select_related("segments").get(pk=round_.pk)
    if fresh.segments.source != SegmentSource.FILE:
        raise ProtocolError(f"Round {fresh.number} does not begin with a file of predictions.")
    if fresh.is_closed:
        raise ProtocolError(f"Round {fresh.number} is closed.")
    read = _read(paths, request)
    rows = list(fresh.recordings.select_related("take__video__ingest", "trace__video__ingest"))
    scheme_ = scheme(fresh.segments.scheme, fresh.segments.scheme_version)
    matches, not_in_round = _matched(read, rows, scheme_)
    begun = set(
        fresh.segmentations.filter(started_at__isnull=False).values_list("recording_id", flat=True)
    )
    reports = [
        _give_proposals(
            row, uid, segments, scores, round_=fresh, scheme_=scheme_, is_begun=row.pk in begun
        )
        for row, uid, segments, scores in matches
    ]
    if not is_dry_run:
        for row, *_ in matches:
            if row.pk not in begun:
                row.proposal_source = request.source
        SegmentRecording.objects.bulk_update(
            [row for row, *_ in matches],
            ["proposals", "proposal_scores", "proposal_source"],
            batch_size=500,
        )
        outcomes = Counter(report.outcome.value for report in reports)
        detail = {"source": request.source, "format": request.format, **outcomes}
        record_round(actor, "round.import_proposals", fresh, detail)
    return ProposalReport(
        tuple(reports), tuple(not_in_round), len(rows) - len(matches), tuple(read.notes)
    )


def _matched(
    read: _ReadFiles, rows: Sequence[SegmentRecording], scheme_: Scheme
) -> tuple[list[_Match], list[str]]:
    """The files' recordings that the round has, and the names of those that it has not.

    Raises `FormatError` with all faults of the files, also where no recording is in the round.
    """
    problems = list(read.problems)
    by_name, texts = _by_name(rows), steps_of_takes({row.take_id for row in rows})
    counts = Counter(recording.uid for _, recording in read.recordings)
    matches: list[_Match] = []
    not_in_round: list[str] = []
    uids: dict[int, str] = {}
    for file, recording in read.recordings:
        rows_here = by_name.get(recording.uid, [])
        if not rows_here:
            not_in_round.append(recording.uid)
            continue
        place = f"recording {recording.uid}"
        if counts[recording.uid] > 1 or len(rows_here) > 1:
            expected = "one recording of this name in the files and in the round"
            count = max(counts[recording.uid], len(rows_here))
            problems.append(_fault(file, place, "", f"{count} of this name", expected))
            continue
        if (before := uids.setdefault(rows_here[0].pk, recording.uid)) != recording.uid:
            expected = "each recording of the round once"
            problems.append(_fault(file, place, "", f"named before as {before}", expected))
            continue
        segments, misfits = fitted(
            recording.segments,
            scheme=scheme_,
            steps=texts.get(rows_here[0].take_id, {}),
            file_steps=recording.steps,
        )
        problems += [
            _fault(file, f"{place}, segment {item.key}", item.field, item.value, item.expected)
            for item in misfits
        ]
        scores = _scores(recording, segments)
        matches.append((rows_here[0], recording.uid, segments, scores))
    if not problems and not matches:
        expected = "recordings of the round, by uid, name, or name of the video without its ending"
        names = ", ".join(not_in_round[:5]) or "nothing"
        files = ", ".join(sorted({file for file, _ in read.recordings})[:5]) or "the files"
        problems.append(_fault(files, "", "recordings", names, expected))
    if problems:
        raise FormatError(problems)
    return matches, not_in_round


def _scores(recording: SegmentedRecording, segments: Sequence[Segment]) -> dict[str, float]:
    """The file's scores by the new keys of its segments."""
    present = (item for item in recording.segments if not item.is_deleted)
    # Not strict: `fitted` drops misfits, but then nothing of the files is imported.
    return {
        segment.key: recording.scores[item.key]
        for item, segment in zip(present, segments, strict=False)
        if item.key in recording.scores
    }


def _fault(file: str, place: str, field: str, value: object, expected: str) -> Problem:
    return problem(file=file, place=place, field=field, value=value, expected=expected)


def _by_name(rows: Iterable[SegmentRecording]) -> dict[str, list[SegmentRecording]]:
    """The recordings by each name that a file may have for them.

    The name that pages show for a recording counts where no other has it for a uid or a video.
    """
    by_name: dict[str, list[SegmentRecording]] = defaultdict(list)
    by_shown: dict[str, list[SegmentRecording]] = defaultdict(list)
    for row in rows:
        for name in {row.recorded.uid, row.recorded.video_stem} - {""}:
            by_name[name].append(row)
        by_shown[row.recorded.name].append(row)
    return by_shown | by_name


def _give_proposals(
    row: SegmentRecording,
    uid: str,
    segments: tuple[Segment, ...],
    scores: Mapping[str, float],
    *,
    round_: Round,
    scheme_: Scheme,
    is_begun: bool,
) -> RecordingReport:
    """Give a row its proposals, unless somebody has begun it; nothing is saved yet."""
    is_audit = round_.segments.stage == Stage.AUDIT
    starting = starting_segments(segments, is_proposal=not is_audit, has_missing=not is_audit)
    if round_.segments.has_locked_edges:
        starting = starting_segments(starting, is_proposal=True, has_words=False)
    media = media_of(row)
    by_key = {item.key: item for item in starting}
    # With the frames of the page that they are corrected on: the last gap depends on them.
    state = Segmentation(by_key, media.duration_s, media.rate)
    wrong = [fault for fault in faults(state, scheme_) if fault.kind in TIME_FAULTS]
    outcome = Outcome.NEW
    if is_begun:
        outcome = Outcome.BEGUN
    elif row.proposals:
        before = _comparable((Segment(**values) for values in row.proposals), row.proposal_scores)
        outcome = Outcome.SAME if before == _comparable(starting, scores) else Outcome.DIFFERING
    if outcome in (Outcome.NEW, Outcome.DIFFERING):
        row.proposals, row.proposal_scores = as_rows(starting), dict(scores)
    named = tuple(_fault_words(fault, by_key) for fault in wrong)
    return RecordingReport(uid, outcome, len(starting), len(wrong), named)


def _fault_words(fault: Fault, segments: Mapping[str, Segment]) -> str:
    start_s, end_s = fault.start_s, fault.end_s
    if start_s is None or end_s is None:
        start_s, end_s = segments[fault.key].span
    return f"{TIME_FAULTS[fault.kind]}: {_clock(start_s)} to {_clock(end_s)}"


def _clock(time_s: float) -> str:
    minutes, milliseconds = divmod(whole_ms(time_s), 60_000)
    return f"{minutes}:{milliseconds / 1000:06.3f}"


def _comparable(
    segments: Iterable[Segment], scores: Mapping[str, float]
) -> list[tuple[object, ...]]:
    """The content and scores of segments without their keys, which differ in each import."""
    ordered = sorted(segments, key=lambda item: (*order_in_time(item)[:3], item.step_id))
    return [
        (
            item.track, item.start_s, item.end_s, item.step_id, item.label, item.text,
            scores.get(item.key),
        )
        for item in ordered
    ]  # fmt: skip


def store_proposals(
    *, user: User, round_: Round, files: Iterable["UploadedFile[Any]"], request: ProposalRequest
) -> Upload[ProposalRequest]:
    """Keep uploaded files for a round; raises `UploadRefusedError` as `keep_files` does."""
    return keep_files(user=user, files=files, request=replace(request, round=round_.public_id))


def get_proposals(*, user: User, round_: Round, upload_id: str) -> Upload[ProposalRequest]:
    """One of the user's uploads for this round; raises Http404."""
    upload = get_upload(user=user, upload_id=upload_id, kind=ProposalRequest)
    if upload.request.round != round_.public_id:
        raise Http404
    return upload


def preview_proposals(
    *, upload: Upload[ProposalRequest], round_: Round, user: User
) -> UploadPreview[ProposalReport]:
    """What confirming the upload would do; nothing is written."""
    return preview_of(
        lambda: import_proposals(
            round_=round_, paths=[upload.path], request=upload.request, actor=user, is_dry_run=True
        )
    )
