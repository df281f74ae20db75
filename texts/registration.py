"""Registers this app's answers in the registries of `annotation`, which never imports texts."""

from annotation.models import round_kinds
from annotation.selectors.campaigns.campaigns import WORKERS_OF_OTHERS
from annotation.selectors.videos.access import WATCHED_AT_WORK
from annotation.services.corpus.datasets import HOLDERS
from texts import page_links
from texts.selectors.rounds import people_reading_for_others, why_texts_hold
from texts.selectors.verdicts import videos_watched_by_readers
from texts.text_kind import TextKind


def register() -> None:
    """Django may say more than once that an app is ready."""
    round_kinds.register(TextKind())
    page_links.register()
    WORKERS_OF_OTHERS.add(people_reading_for_others)
    WATCHED_AT_WORK.add(videos_watched_by_readers)
    HOLDERS.add(why_texts_hold)
