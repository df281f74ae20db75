"""The pictures of steps on the pages of takes and traces."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.models import User, Video
from annotation.selectors.videos.media import shown_media
from annotation.views.videos.videos import pictures_url

# Wide enough to tell what is done, small enough for a row of a table.
WIDTH = 112


@dataclass(frozen=True, slots=True)
class StepPicture:
    """A picture of a step: its address, and the size in pixels at which it stands on the page."""

    url: str
    width: int
    height: int


def step_pictures(
    video: Video | None, user: User, spans: Iterable[tuple[float | None, float | None]]
) -> list[StepPicture | None]:
    """The picture of each span (start and end in seconds); None where there is none.

    No query where the video was fetched with its `ingest`.
    """
    if video is None:
        return [None for _ in spans]
    media, base = shown_media(video), pictures_url(video, user)
    width = min(WIDTH, round(WIDTH * media.width / media.height))
    height = round(width * media.height / media.width)
    names = (media.picture_of(*span) for span in spans)
    return [StepPicture(f"{base}{name}/", width, height) if name else None for name in names]
