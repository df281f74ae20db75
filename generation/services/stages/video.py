"""Make the video of a take's rewrite: cuts, clips between them, one verified splice.

Existing clips are used again: an attempt after a cancelled or killed one, or after a person did
their part, makes only the missing ones.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import read_media
from annotation.models import Take
from annotation.selectors.corpus.corpus import procedure_of
from annotation.services.videos.local_videos import VideoFileError, local_file
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.splicing.splice import SpliceOptions
from generation.backends.video.splicing.splice_edit_list import splice_edit_list
from generation.engine.splicing.exceptions import SplicingError
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from generation.engine.stages import Stage
from generation.services.clips.making import make_missing_clips, makers_of
from generation.services.clips.planning import Filming, plan_clips
from generation.services.clips.videos import (
    TakeFiles,
    VideoOutcome,
    VideoProduct,
    files_of,
    makers_word,
)
from generation.services.stage import StageWork, TakeFailedError, TakeWork
from generation.services.stages.plan import plan_of
from generation.services.stages.publish import trace_content, why_withheld


def work(take: TakeWork) -> None:
    """Make the video of a take that has a recording; other takes pass with the reason."""
    why_not = _why_without_video(take)
    if why_not:
        take.hand_over(VideoProduct(skipped=why_not))
        return
    files = files_of(take.run_take)
    video = take.run_take.take.video
    assert video is not None  # noqa: S101 - takes without one were passed over
    with _failures_of(files), local_file(video) as source:
        started_s = time.perf_counter()
        makers = makers_of(take)
        recording = read_media(source)
        reference = procedure_of(take.run_take.take)
        trace, _ = trace_content(take, reference)
        edits = plan_edits(
            take=reference,
            trace=trace,
            source_duration_s=recording.duration_s,
            options=EditOptions(limits=makers.limits, frame_rate=recording.frame_rate),
        )
        filming = Filming(reference, trace, recording, edits, video)
        files.prepare()
        clips = plan_clips(take, filming, files, prompt_characters=makers.prompt_characters)
        paths = make_missing_clips(take, filming, clips, files, makers)
        # Called all the time while splicing, so that a cancelled take stops in the middle.
        check = partial(take.progress.report, len(paths), len(paths) + 1)
        options = SpliceOptions(cross_fade_s=take.settings.options.clips.cross_fade_s, check=check)
        spliced = splice_edit_list(filming.edits, filming.recording, paths, files.draft, options)
        take.progress.keep_claim()
        files.keep()
        seconds = round(time.perf_counter() - started_s, 3)
        maker = makers_word(clips, makers.provider.name if makers.provider else "")
        outcome = VideoOutcome(files, maker, spliced.edits, spliced.splice, seconds)
        take.hand_over(VideoProduct(outcome.edits, outcome.maker, outcome=outcome))


def _why_without_video(take: TakeWork) -> str:
    """Why a take gets no video; empty if it gets one."""
    if not plan_of(take).errors:
        return "No mistake is planned, so no video is made."
    if withheld := why_withheld(take):
        return withheld
    row: Take = take.run_take.take
    if row.video is None:
        return "No video is linked to the take."
    if not row.steps.filter(start_s__isnull=False).exists():
        return "No step of the take has times, so the recording cannot be cut."
    return ""


@contextmanager
def _failures_of(files: TakeFiles) -> Iterator[None]:
    """Turn the errors of making a video into a failed take; a failure leaves no file.

    After a lost claim the clips stay, since the take may be resumed; likewise if the take waits for
    a person, or its recording cannot be read at the moment.
    """
    try:
        yield
    except VideoFileError as error:
        raise TakeFailedError(str(error)) from error
    except (VideoError, VerificationError, SplicingError, OSError) as error:
        files.clear()
        raise TakeFailedError(f"The video could not be made: {error}") from error


WORK = StageWork(Stage.VIDEO, work, lambda options: False)
