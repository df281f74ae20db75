"""Pictures of a take's steps, for models that take images."""

import logging
from contextlib import suppress

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.stills import still
from annotation.models import Take, Video
from annotation.services.videos.local_videos import VideoFileError, local_file
from generation.engine.judging.model import FrameSource, StepFrame
from generation.engine.planner.procedure_to_plan import Procedure

logger = logging.getLogger(__name__)


def step_frames(take: Take, procedure: Procedure) -> FrameSource | None:
    """A function that fetches the picture in the middle of each given step; None without a video.

    Steps without times, or whose picture cannot be decoded, are left out; if the file cannot be
    read, all are, and that is logged.
    """
    video: Video | None = take.video
    if video is None:
        return None

    def frames(step_indices: tuple[int, ...]) -> tuple[StepFrame, ...]:
        pictures = []
        try:
            with local_file(video) as path:
                for index in step_indices:
                    step = procedure.steps[index]
                    if step.start_s is None or step.end_s is None:
                        continue
                    time_s = (step.start_s + step.end_s) / 2
                    with suppress(SourceError):
                        pictures.append(StepFrame(index, time_s, still(path, time_s)))
        except VideoFileError as error:
            logger.warning("no pictures of take %s: %s", take.public_id, error)
            return ()
        return tuple(pictures)

    return frames
