"""Pictures of a take's steps, for models that take images."""

from collections.abc import Iterator
from pathlib import Path

from annotation.models import Take
from annotation.selectors.video_files import path_of
from generation.backends.video.exceptions import SourceError
from generation.backends.video.stills import still
from generation.engine.judging.model import FrameSource, StepFrame
from generation.engine.planner.procedure import Procedure


def step_frames(take: Take, procedure: Procedure) -> FrameSource | None:
    """Return what fetches the picture in the middle of each asked step; None without a video.

    Steps without a time, or whose picture cannot be decoded, are left out.
    """
    path = None if take.video is None else path_of(take.video)
    if path is None:
        return None

    def frames(step_indices: tuple[int, ...]) -> tuple[StepFrame, ...]:
        return tuple(_frames(path, procedure, step_indices))

    return frames


def _frames(path: Path, procedure: Procedure, step_indices: tuple[int, ...]) -> Iterator[StepFrame]:
    for index in step_indices:
        step = procedure.steps[index]
        if step.start_s is None or step.end_s is None:
            continue
        time_s = (step.start_s + step.end_s) / 2
        try:
            yield StepFrame(index, time_s, still(path, time_s))
        except SourceError:
            continue
