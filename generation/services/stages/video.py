"""Make the video of a take's rewrite: cuts, placeholder clips between them, one verified splice.

Finished clips stay until the video is in its place, under names that say what they were made from:
an attempt after a cancelled or killed one makes only what is missing.
"""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from annotation.engine.procedure import Trace
from annotation.models import Take
from annotation.selectors.corpus import procedure_of
from annotation.services.local_videos import VideoFileError, local_file
from generation.backends.video.bridge import BridgeBackend
from generation.backends.video.carrying_out import carry_out, clip_anchors
from generation.backends.video.clips import ClipBackend, ClipRequest
from generation.backends.video.exceptions import VerificationError, VideoJobError
from generation.backends.video.media import Media, read_media
from generation.backends.video.splice import SpliceOptions
from generation.engine.run_options import RunOptions
from generation.engine.splicing.anchors import anchor_times
from generation.engine.splicing.edit_list import EditList, Piece, PieceKind
from generation.engine.splicing.exceptions import SplicingError
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from generation.engine.stages import Stage
from generation.services.made_videos import Outcome, TakeFiles, VideoProduct
from generation.services.stage_work import TakeFailedError, TakeWork
from generation.services.stages.plan import plan_of
from generation.services.stages.publish import files_of, trace_content

KEY_CHARACTERS = 16


class VideoWork:
    """Makes the videos of takes that have a recording; the others pass with a note."""

    stage = Stage.VIDEO
    backend: ClipBackend = BridgeBackend()

    def is_quick(self, options: RunOptions) -> bool:
        """Return False: a video takes seconds to minutes."""
        return False

    def work(self, take: TakeWork) -> None:
        """Put the verified video of the take, or why it has none."""
        why_not = _why_without_video(take)
        if why_not:
            take.put(VideoProduct(skipped=why_not))
            return
        files = files_of(take.run_take)
        row: Take = take.run_take.take
        assert row.video is not None  # noqa: S101 - takes without one were passed over
        with _failures_of(files), local_file(row.video) as path:
            take.put(VideoProduct.made(_make(take, path, files, self.backend)))


def _why_without_video(take: TakeWork) -> str:
    """Return the reason why no video is to be made; empty where one is."""
    if not plan_of(take).errors:
        return "No mistake is planned, so there is nothing to show."
    row: Take = take.run_take.take
    if row.video is None:
        return "No video is linked to the take."
    if not row.steps.filter(start_s__isnull=False).exists():
        return "No step of the take has times, so there is nowhere to cut."
    return ""


@contextmanager
def _failures_of(files: TakeFiles) -> Iterator[None]:
    """Turn what goes wrong with a video into what becomes of the take; a failure leaves no file.

    A lost claim passes through and leaves the clips, as the take may be resumed. A
    recording that cannot be had leaves them too: it may be back for the next attempt.
    """
    try:
        yield
    except VideoFileError as error:
        raise TakeFailedError(str(error)) from error
    except (VideoJobError, VerificationError, SplicingError, OSError) as error:
        files.clear()
        raise TakeFailedError(f"The video could not be made: {error}") from error


def _make(take: TakeWork, source: Path, files: TakeFiles, backend: ClipBackend) -> Outcome:
    started_s = time.perf_counter()
    recording = read_media(source)
    reference = procedure_of(take.run_take.take)
    trace, _ = trace_content(take, reference)
    edits = plan_edits(
        take=reference,
        trace=trace,
        source_duration_s=recording.duration_s,
        options=EditOptions(limits=backend.limits, frame_rate=recording.frame_rate),
    )
    files.prepare()
    paths = clip_paths(edits, trace, recording, files.work, backend)
    _make_clips(take, edits, trace, recording, paths, backend)
    parts = len(paths), len(paths) + 1
    options = SpliceOptions(check=partial(take.tell, *parts))
    made = carry_out(edits, recording, paths, files.draft, options)
    seconds = round(time.perf_counter() - started_s, 3)
    return Outcome(files, backend.name, made.edits, made.splice, seconds)


def clip_paths(
    edits: EditList, trace: Trace, recording: Media, folder: Path, backend: ClipBackend
) -> dict[str, Path]:
    """Return the file of every clip by its id, named by everything that the clip depends on."""
    facts = recording.path.stat()
    source = [str(recording.path), facts.st_size, facts.st_mtime_ns]
    times = anchor_times(edits)
    return {
        piece.clip_id: folder
        / _clip_name(
            backend.name,
            source,
            piece.duration_s,
            asdict(times[piece.clip_id]),
            _caption(piece, trace),
        )
        for piece in edits.clips
    }


def _clip_name(*made_from: object) -> str:
    digest = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()
    return f"clip-{digest[:KEY_CHARACTERS]}.mp4"


def _caption(piece: Piece, trace: Trace) -> str:
    """Return the step that a clip shows; a bridge shows none."""
    if piece.row_index is None or piece.kind is PieceKind.BRIDGE:
        return ""
    return trace.steps[piece.row_index].text


def _make_clips(
    take: TakeWork,
    edits: EditList,
    trace: Trace,
    recording: Media,
    paths: dict[str, Path],
    backend: ClipBackend,
) -> None:
    # A clip appears whole or not at all, so one that is there is finished.
    finished = {clip_id for clip_id, path in paths.items() if path.exists()}
    # The splice is the last part.
    part_count = len(paths) + 1
    take.tell(len(finished), part_count)
    for piece, anchors in clip_anchors(edits, recording, finished=set(finished)):
        caption = _caption(piece, trace)
        request = ClipRequest(
            prompt=caption,
            caption=caption,
            duration_s=piece.duration_s,
            recording=recording,
            anchors=anchors,
        )
        backend.make_clip(request, paths[piece.clip_id])
        finished.add(piece.clip_id)
        take.tell(len(finished), part_count)


WORK = VideoWork()
