"""The sides of a trace or a take that can be watched, as the players of any page take them."""

from dataclasses import dataclass

from annotation.engine.corpus.timeline import StripPiece
from annotation.models import User, Video
from annotation.selectors.ratings.audit import AuditPage
from annotation.selectors.videos.media import ShownMedia
from annotation.views.videos.videos import pictures_url, video_url


@dataclass(frozen=True, slots=True)
class Player:
    """One side that can be watched, with the strip under it."""

    side: str
    title: str
    caption: str
    url: str
    pictures_url: str
    video: Video
    media: ShownMedia
    pieces: tuple[StripPiece, ...]


def players_of(page: AuditPage, user: User, *, trace_title: str = "To rate") -> list[Player]:
    """The sides that have a recording, the reference first."""
    reference = (page.reference_video, page.reference_media, page.reference_strip)
    trace = (page.trace_video, page.trace_media, page.trace_strip)
    return [
        Player(
            side=side,
            title=title,
            caption=caption,
            url=video_url(video, user),
            pictures_url=pictures_url(video, user),
            video=video,
            media=media,
            pieces=pieces,
        )
        for side, title, caption, (video, media, pieces) in (
            ("reference", "Reference", "no mistakes", reference),
            ("trace", trace_title, "mistakes are marked", trace),
        )
        if video and media
    ]
