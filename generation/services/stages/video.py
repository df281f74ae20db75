"""Make the video of a take's rewrite: cuts, clips between them, one verified splice.

Clips that are there already are used again: an attempt after a cancelled or killed one, or after a
person did their part, makes only what is missing.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import read_media
from annotation.models import Take
from annotation.selectors.corpus import procedure_of
from annotation.services.local_videos import VideoFileError, local_file
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.splicing.splice import SpliceOptions
from generation.backends.video.splicing.splice_edit_list import splice_edit_list
from generation.engine.splicing.exceptions import SplicingError
from generation.engine.splicing.options import EditOptions
from generation.engine.splicing.planning import plan_edits
from generation.engine.stages import Stage
from generation.services.clips.making import make_clips, makers_of
from generation.services.clips.planning import Filming, plan_clips
from generation.services.clips.videos import (
    MadeVideo,
    TakeFiles,
    VideoProduct,
    files_of,
    makers_word,
)
from generation.services.stage import StageWork, TakeFailedError, TakeWork
from generation.services.stages.plan import plan_of
from generation.services.stages.publish import trace_content, why_withheld


def work(take: TakeWork) -> None:
    """Make the video of a take that has a recording; others pass with a note."""
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
        paths = make_clips(take, filming, clips, files, makers)
        # A cancelled take stops in the middle.
        check = partial(take.progress.tell, len(paths), len(paths) + 1)
        options = SpliceOptions(cross_fade_s=take.settings.options.clips.cross_fade_s, check=check)
        made = splice_edit_list(filming.edits, filming.recording, paths, files.draft, options)
        seconds = round(time.perf_counter() - started_s, 3)
        maker = makers_word(clips, makers.provider.name if makers.provider else "")
        outcome = MadeVideo(files, maker, made.edits, made.splice, seconds)
        take.hand_over(VideoProduct(outcome.edits, outcome.maker, outcome=outcome))


def _why_without_video(take: TakeWork) -> str:
    """The reason why no video is to be made; empty where one is."""
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
    """Turn what goes wrong with a video into what happens to the take; a failure leaves no file.

    A lost claim passes through and leaves the clips, as the take may be resumed; so does a take
    that waits for a person, and a recording that cannot be had just now.
    """
    try:
        yield
    except VideoFileError as error:
        raise TakeFailedError(str(error)) from error
    except (VideoError, VerificationError, SplicingError, OSError) as error:
        files.clear()
        raise TakeFailedError(f"The video could not be made: {error}") from error


WORK = StageWork(Stage.VIDEO, work, lambda options: False)
