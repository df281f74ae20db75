"""Opens a person's segments of a recording, for the page and the API alike."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone

from annotation.models import User
from annotation.services.ratings.viewing import opened_token
from annotation.services.videos.tokens import video_url
from segments.models import Stage
from segments.selectors.segmentations import SegmentPage, segment_page
from segments.services.segmentations import begin

ENDPOINTS = (
    "gestures", "checks", "viewing", "submit", "reopen", "carry-over", "reject", "history",
    "export",
)  # fmt: skip
OF_REVIEWS = ("return", "accept")


@dataclass(frozen=True, slots=True)
class OpenedSegments:
    """The page, and the same as JSON for its modules."""

    page: SegmentPage
    payload: dict[str, Any]


def open_segments(user: User, public_id: str) -> OpenedSegments:
    """One of the user's own; opening it the first time begins it.

    Raises `Segmentation.DoesNotExist`.
    """
    page = segment_page(user, public_id)
    is_new = page.segmentation.started_at is None and page.can_edit
    if is_new and begin(public_id=public_id, actor=user):
        page = segment_page(user, public_id)
    own, video = page.segmentation, page.media.video
    names = (*ENDPOINTS, *(OF_REVIEWS if own.round.segments.stage == Stage.REVIEW else ()))
    urls = {name: reverse(f"api-segmentation-{name}", args=[public_id]) for name in names}
    urls["self"] = reverse("api-segmentation", args=[public_id])
    payload = {
        **page.to_dict(),
        "media": page.media.to_dict(video_url(video, user)) if video else None,
        "urls": {**urls, "next": reverse("segments-next", args=[own.round.public_id])},
        "opened": opened_token(public_id, user),
        "now": timezone.now().isoformat(),
        "account": user.pk,
    }
    return OpenedSegments(page, payload)
