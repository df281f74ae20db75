"""Which recordings of a data set wait for an upload, and which one a file is of."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db.models import Q

from annotation.models import Dataset, Take, Trace


@dataclass(frozen=True, slots=True)
class OpenRecording:
    """A recording without a video, or with an upload, which another one replaces.

    `file_name` is what its file is called after the pattern of the data set.
    """

    stem: str
    file_name: str
    has_upload: bool


def open_recordings(dataset: Dataset) -> list[OpenRecording]:
    """The recordings that take an upload, those without a video first (one query)."""
    is_open = Q(dataset=dataset) & ~Q(video_stem="") & (Q(video=None) | ~Q(video__folder=""))
    of_takes = (
        Take.objects.filter(is_open).order_by().values_list("video_stem", "scenario", "video")
    )
    of_traces = (
        Trace.objects.filter(is_open)
        .order_by()
        .values_list("video_stem", "take__scenario", "video")
    )
    recordings: dict[str, OpenRecording] = {}
    for stem, scenario, video in of_takes.union(of_traces):
        path = path_by_pattern(dataset.video_pattern, stem, scenario)
        recordings[stem] = OpenRecording(stem, PurePosixPath(path).name, video is not None)
    return sorted(recordings.values(), key=lambda item: (item.has_upload, item.stem))


def path_by_pattern(pattern: str, stem: str, scenario: str) -> str:
    """The path of a recording's file; anything else in braces stays as it is."""
    values = {"{stem}": stem, "{scenario}": scenario}
    return re.sub(r"\{(?:stem|scenario)\}", lambda place: values[place[0]], pattern)


def recording_of_file(name: str, recordings: Iterable[OpenRecording]) -> OpenRecording | None:
    """The one recording that a file of that name stands for; None without one, or with several.

    The name is the one after the pattern, or the recording's own with another ending.
    """
    file_name = PurePosixPath(name.replace("\\", "/")).name.casefold()
    stem = PurePosixPath(file_name).stem
    found = [
        item
        for item in recordings
        if item.file_name.casefold() == file_name
        or PurePosixPath(item.stem).name.casefold() == stem
    ]
    return found[0] if len(found) == 1 else None
