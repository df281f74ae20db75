"""Verify a written file before it is published; every check says what it saw.

Untouched frames and sound are compared packet by packet with the recording, and packets of stored
clips with their files. Encoded frames are decoded, together with their neighbours on both sides.
The timing of the sound beside the cuts is compared with the recording's.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from fractions import Fraction
from pathlib import Path
from threading import Event

import av

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media, read_media
from generation.backends.video.checking.expected import (
    Expected,
    FileCheck,
    Thoroughness,
    Verification,
)
from generation.backends.video.checking.packet_checks import packet_checks
from generation.backends.video.checking.picture_checks import picture_checks
from generation.backends.video.checking.sound_lag import LONGEST_LAG_S, join_lags
from generation.backends.video.timed_check import PAUSE_S, TimedCheck


def verify(
    path: Path,
    expected: Expected,
    thoroughness: Thoroughness = Thoroughness.BORDERS,
    timed_check: TimedCheck | None = None,
) -> Verification:
    """All checks of the written file; never raises because of a fault of the file.

    `timed_check` checks whether the file is still wanted; only this thread calls it.
    """
    timed_check = timed_check or TimedCheck()
    try:
        written = read_media(path)
    except (SourceError, av.FFmpegError) as error:
        return Verification((FileCheck("reading", False, str(error)),))
    stop = Event()

    def leave_if_stopped() -> None:
        if stop.is_set():
            raise _LeaveError

    # Comparing packets is bound by memory and decoding by the processor, so both run in parallel.
    with ThreadPoolExecutor(max_workers=1) as pool:
        comparing = pool.submit(
            _checked,
            lambda: packet_checks(path, written, expected, TimedCheck(leave_if_stopped)),
        )
        try:
            checks = _checked(lambda: picture_checks(written, expected, thoroughness, timed_check))
            checks += _checked(lambda: [_sound_check(written, expected, timed_check)])
            while not wait([comparing], timeout=PAUSE_S).done:
                timed_check()
        except BaseException:
            stop.set()
            raise
        return Verification((*comparing.result(), *checks))


class _LeaveError(Exception):
    """The other half of the verification ended with an error, so this one stops."""


def _checked(part: Callable[[], Iterable[FileCheck]]) -> list[FileCheck]:
    checks: list[FileCheck] = []
    try:
        checks.extend(part())
    except (SourceError, av.FFmpegError) as error:
        checks.append(FileCheck("reading", False, str(error)))
    return checks


def _sound_check(written: Media, expected: Expected, timed_check: TimedCheck) -> FileCheck:
    source = expected.source
    if source.sound is None:
        return FileCheck("sound", written.sound is None, "none, as in the recording")
    rate = source.frame_rate
    offset = written.time_of(0)
    places = [
        (offset + kept.first / rate, source.time_of(kept.source_first), Fraction(kept.count) / rate)
        for kept in expected.kept
    ]
    lags = list(timed_check.over(join_lags(written.path, source.path, places)))
    measured = [abs(lag) for lag in lags if lag is not None]
    largest = max(measured, default=0.0)
    return FileCheck(
        "sound at the joins",
        largest < LONGEST_LAG_S,
        f"largest lag {largest * 1000:.2f} ms at {len(measured)} places,"
        f" {len(lags) - len(measured)} too quiet to tell",
    )
