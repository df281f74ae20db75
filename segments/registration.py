"""Registers this app's answers in the registries of `annotation`, which never imports segments."""

from annotation.models import round_kinds
from annotation.selectors.campaigns.campaigns import WORKERS_OF_OTHERS
from annotation.selectors.videos.access import WATCHED_AT_WORK
from annotation.services.corpus.datasets import HOLDERS
from segments import page_links
from segments.segment_kind import SegmentKind
from segments.selectors.rounds import people_working_for_others, why_rounds_hold
from segments.selectors.segmentations import videos_watched_by_segmenters


def register() -> None:
    """Django may say more than once that an app is ready."""
    round_kinds.register(SegmentKind())
    page_links.register()
    WORKERS_OF_OTHERS.add(people_working_for_others)
    WATCHED_AT_WORK.add(videos_watched_by_segmenters)
    HOLDERS.add(why_rounds_hold)
