"""Pictures of a recording for an item: from its start to its moment, and never later."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.stills import LONGEST_SIDE, still
from annotation.services.videos.local_videos import VideoFileError, local_file
from benchmarks.engine.task import Stretch
from benchmarks.models import Answer, Assessment, Item, LiveRun
from benchmarks.selectors.asked import sent_pictures

# How many pictures a page shows of an item, independent of what a model gets.
SHOWN_PICTURES = 8
MOST_PICTURES = 64


@dataclass(frozen=True, slots=True)
class Picture:
    time_s: float
    jpeg: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.jpeg).hexdigest()


def picture_times(item: Item, count: int) -> list[float]:
    """`count` evenly spaced seconds from an item's start to its moment, both included.

    A single one is the moment itself; empty where the item has no pictures.
    """
    if item.start_s is None or item.moment_s is None or count < 1:
        return []
    if count == 1 or item.start_s == item.moment_s:
        return [item.moment_s]
    times = np.linspace(item.start_s, item.moment_s, count)
    return [min(round(float(time), 3), item.moment_s) for time in times]


def times_of_stretches(stretches: Sequence[Stretch], count: int) -> list[float]:
    """`count` evenly spaced seconds of each stretch, both ends included, each second once.

    Of many stretches each has fewer, so that there are at most `MOST_PICTURES`.
    """
    if not stretches or count < 1:
        return []
    each = max(1, min(count, MOST_PICTURES // len(stretches)))
    times = set()
    for one in stretches:
        own = each if one.pictures is None else one.pictures
        spread = np.linspace(one.start_s, one.end_s, own) if own > 1 else [one.end_s][:own]
        times |= {min(round(float(time), 3), one.end_s) for time in spread}
    return sorted(times)


def pictures_at(
    item: Item,
    times: Sequence[float],
    longest_side: int,
    known: Mapping[float, Picture] = MappingProxyType({}),
) -> list[Picture]:
    """The pictures at these times, without those that cannot be decoded.

    `known` are pictures by their time that were decoded before. Raises VideoFileError where the
    file of the recording is not available.
    """
    if item.video is None or item.moment_s is None:
        return []
    moment_s = item.moment_s
    if any(time > moment_s for time in times):
        raise ValueError(
            f"item {item.key} may be seen up to {moment_s} s; asked for {max(times)} s"
        )
    pictures = {time_s: known[time_s] for time_s in times if time_s in known}
    with local_file(item.video) as path:
        for time_s in times:
            if time_s not in pictures:
                with suppress(SourceError):
                    pictures[time_s] = Picture(time_s, still(path, time_s, longest_side))
    return [pictures[time_s] for time_s in times if time_s in pictures]


def shown_picture(item: Item | None, number: int) -> bytes:
    """One of the pictures that pages show of an item, as JPEG; raises Http404 for none."""
    times = picture_times(item, SHOWN_PICTURES) if item is not None else []
    if item is None or number >= len(times):
        raise Http404("there is no such picture")
    return _picture_at(item, times[number], LONGEST_SIDE)


def sent_picture(assessment: Assessment, answer: Answer, number: int) -> bytes:
    """One of the pictures that a model got for an answer, as JPEG; raises Http404 for none."""
    pictures = sent_pictures(answer)
    if number >= len(pictures):
        raise Http404("there is no such picture")
    side = int(assessment.settings.get("picture_side", LONGEST_SIDE))
    item = answer.item
    if key := pictures[number].get("example"):
        rows = assessment.item_set.items.select_related("video__dataset")
        item = get_object_or_404(rows, key=key)
    return _picture_at(item, float(pictures[number]["time_s"]), side)


def watched_picture(
    run: LiveRun, asked: Sequence[Mapping[str, Any]], place: int, number: int
) -> bytes:
    """One of the pictures that a model got while it watched live; raises Http404 for none."""
    items = run.item_set.items.filter(recording=run.recording).select_related("video__dataset")
    row = items.first()
    times = asked[place]["times"] if place < len(asked) else []
    if row is None or number >= len(times):
        raise Http404("there is no such picture")
    time_s = float(times[number])
    return _picture_at(Item(key=row.key, video=row.video, moment_s=time_s), time_s, LONGEST_SIDE)


def _picture_at(item: Item, time_s: float, longest_side: int) -> bytes:
    try:
        pictures = pictures_at(item, [time_s], longest_side)
    except VideoFileError as error:
        raise Http404(str(error)) from error
    if not pictures:
        raise Http404("the recording has no picture there")
    return pictures[0].jpeg
