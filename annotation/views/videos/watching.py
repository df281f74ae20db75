"""The recordings of a trace or a take for researchers: the audit page's players on any page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.engine.corpus import procedure
from annotation.engine.corpus.timeline import PieceKind, StripPiece, TimedRow, strip
from annotation.models import Take, Trace, User
from annotation.selectors.ratings.audit import AuditPage, preview_page
from annotation.selectors.videos.media import shown_media
from annotation.views.videos.players import Player, players_of
from annotation.views.videos.videos import pictures_url, video_url


@dataclass(frozen=True, slots=True)
class Watching:
    """The sides that can be watched, and what the page's modules need to play them."""

    players: Sequence[Player]
    payload: dict[str, Any]
    page: AuditPage | None = None

    @property
    def has_events(self) -> bool:
        return bool(self.payload["events"])


def watching_trace(trace: Trace, user: User) -> Watching | None:
    """A trace beside its reference; None where neither has a recording.

    Rows are numbered as in `pages.trace_table`.
    """
    return watching_page(preview_page(trace=trace, user=user, shows_placeholders=True), user)


def watching_page(page: AuditPage, user: User) -> Watching | None:
    """The recordings of a page that asks nothing; None where it has none."""
    players = players_of(page, user, trace_title="Trace")
    if not players:
        return None
    return Watching(players, _with_pictures(page.to_dict(), players), page)


def watching_take(take: Take, steps: Sequence[procedure.Step], user: User) -> Watching | None:
    """The recording of a take with its steps in order; None where it has none."""
    video = take.video
    if video is None:
        return None
    rows = [
        TimedRow(index, step.start_s, step.end_s, PieceKind.STEP, step.text)
        for index, step in enumerate(steps)
    ]
    media = shown_media(video)
    pieces: tuple[StripPiece, ...] = strip(rows, video.duration_s)
    player = Player(
        side="reference",
        title="Take",
        caption="no mistakes",
        url=video_url(video, user),
        pictures_url=pictures_url(video, user),
        video=video,
        media=media,
        pieces=pieces,
    )
    nothing = [None, None]
    payload: dict[str, Any] = {
        "events": [],
        "rows": [
            {"event": None, "mark": "step", "reference": [row.start_s, row.end_s], "trace": nothing}
            for row in rows
        ],
        "sections": [],
        "frame_rates": {"reference": media.frame_rate, "trace": None},
        "durations": {"reference": round(video.duration_s, 3), "trace": None},
        "media": {"reference": media.to_dict(), "trace": None},
    }
    return Watching([player], _with_pictures(payload, [player]))


def _with_pictures(payload: dict[str, Any], players: Sequence[Player]) -> dict[str, Any]:
    return payload | {"urls": {"pictures": {item.side: item.pictures_url for item in players}}}
