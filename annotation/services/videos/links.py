"""Recordings that are to be linked, their files, and why a file cannot be."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from annotation.backends.media.probe import VideoProbe
from annotation.selectors.videos.uploads import path_by_pattern

PATH_CHARACTERS = 500
# Told how many of how many files are probed.
Watch = Callable[[int, int], None]


class VideoLinkError(ValueError):
    """The place or the pattern cannot be used; nothing was written."""


@dataclass(frozen=True, slots=True)
class LinkedRecording:
    """A recording of a data set; `last_end_s` is where its last step ends."""

    stem: str
    scenario: str
    last_end_s: float | None


@dataclass(frozen=True, slots=True)
class ProbedFile:
    """The file at `path` for a recording: its probe, or why it is refused; neither if missing."""

    recording: LinkedRecording
    path: str
    probe: VideoProbe | None = None
    etag: str = ""
    refusal: str = ""


class VideoPlace(Protocol):
    """Where videos are: a folder or the prefix of a storage."""

    @property
    def address(self) -> str:
        """What a data set keeps of the place."""

    def look_up(
        self, recordings: list[LinkedRecording], pattern: str, watch: Watch
    ) -> list[ProbedFile]:
        """Probe the file of every recording; VideoLinkError where the place cannot be read."""


def probed(
    look_up: Callable[[LinkedRecording], ProbedFile],
    recordings: list[LinkedRecording],
    threads: int,
    watch: Watch,
) -> list[ProbedFile]:
    """The file of every recording, several at once; a failure keeps the rest from being begun."""
    files: list[ProbedFile] = []
    with ThreadPoolExecutor(threads) as pool:
        try:
            for file in pool.map(look_up, recordings):
                files.append(file)
                watch(len(files), len(recordings))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return files


def relative_path(recording: LinkedRecording, pattern: str) -> str:
    return path_by_pattern(pattern, recording.stem, recording.scenario)


def refusal_of(relative: str) -> str:
    """What is wrong with the name of a file below a place; empty where nothing is."""
    parts = PurePosixPath(relative)
    if parts.is_absolute() or ".." in parts.parts or "\x00" in relative:
        return "its name leads out of the folder"
    if len(relative) > PATH_CHARACTERS:
        return f"is longer than {PATH_CHARACTERS} characters"
    return ""
