"""The columns of the rating table in their order: where each is in the database, how it is read.

`rating_export` writes the table from this list and `rating_table` reads it back, so that a new
column is an entry here. What an imported table says in it is kept where `RatingRow` has a field of
that name, and else only checked.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from annotation.engine.csv_cells import is_missing, whole_number
from annotation.engine.rubric.rubric import IMPORTED_VERSION, Metric, rubrics

# As wide as the tables are: see `Dataset.name`, `Take.uid`, `Event.event_id`, `User.username`.
NAME_CHARACTERS, EVENT_CHARACTERS, USERNAME_CHARACTERS, VERSION_CHARACTERS = 200, 100, 150, 32
# A day: longer than any recording.
MAX_WATCHED_S = 86_400.0
# A single digit that is no confidence is named as such by the rubric.
LARGEST_DIGIT = 9
MAX_ROUND = 1_000_000
SECONDS = re.compile(r"\d{1,5}(?:\.\d*)?(?:[eE][+-]?\d{1,2})?", re.ASCII)
USERNAME = re.compile(r"[\w.@+-]+")
# In small letters, as programs write them that have read the table as truth values or numbers.
YES_OR_NO = {
    "yes": True, "true": True, "1": True, "1.0": True,
    "no": False, "false": False, "0": False, "0.0": False,
}  # fmt: skip
# Why the rater had the trace, as `models.Purpose`.
ORDINARY = "ordinary"
PURPOSES = (ORDINARY, "gold", "repeat")
SAMPLE_TIME = "2026-01-31T09:30:00+00:00"
# Fractions are written as text by their column: 1.0 is another cell than 1, and yet equal to it.
Cell = str | int | None


class CellError(ValueError):
    """A cell does not hold what it should; the message says what is expected."""


def seconds_text(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.1f}"


def yes_or_no(value: bool) -> str:
    return "yes" if value else "no"


def text_of(characters: int | None = None, *, may_be_empty: bool = False) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not text.strip() and not may_be_empty:
            raise CellError("a value")
        if "\0" in text:
            raise CellError("text without NUL characters")
        if characters is not None and len(text) > characters:
            raise CellError(f"at most {characters} characters")
        return text

    return read


def read_username(text: str) -> str:
    if not USERNAME.fullmatch(text_of(USERNAME_CHARACTERS)(text)):
        raise CellError("a user name of letters, digits and @ . + - _")
    return text


def read_metric(text: str) -> Metric:
    if text_of()(text) not in set(Metric):
        raise CellError("one of " + ", ".join(Metric))
    return Metric(text)


def read_confidence(text: str) -> int | None:
    number = whole_number(text)
    if not is_missing(text) and (number is None or number > LARGEST_DIGIT):
        raise CellError("1, 2, 3 or nothing")
    return number


def read_choice(text: str) -> bool:
    if text.strip().lower() not in YES_OR_NO:
        raise CellError("yes or no")
    return YES_OR_NO[text.strip().lower()]


def read_round(text: str) -> int:
    number = whole_number(text)
    if not number or number > MAX_ROUND:
        raise CellError("the number of a round: 1, 2, 3 …")
    return number


def read_time(text: str) -> datetime:
    # Overflow: its zone moves it out of the years 1 to 9999.
    with suppress(ValueError, OverflowError):
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return time.astimezone(UTC)
    raise CellError(f"a time with its zone, such as {SAMPLE_TIME}")


def read_seconds(text: str) -> float:
    if SECONDS.fullmatch(text.strip()) and float(text) <= MAX_WATCHED_S:
        return float(text)
    raise CellError("seconds from 0 to 86400, or nothing")


def read_purpose(text: str) -> str:
    if text.strip().lower() not in PURPOSES:
        raise CellError("one of " + ", ".join(PURPOSES))
    return text.strip().lower()


def read_rubric_version(text: str) -> str:
    number = whole_number(text)
    version = text if number is None else str(number)
    if version not in rubrics():
        raise CellError("one of " + ", ".join(rubrics()))
    return version


def as_it_is(value: Cell) -> Cell:
    return value


@dataclass(frozen=True, slots=True)
class RatingColumn:
    """One column of the rating table.

    `source` is where the value is, from a rating on, in the words of a query; empty for what was
    watched, which is worked out from the viewing. `read` raises `CellError`. An optional column is
    written where any answer has another value than `absent`, or where it is known of any what was
    watched. In a table that is read every column but the needed ones may be missing, and an empty
    cell of such a column means `absent`.
    """

    name: str
    source: str
    read: Callable[[str], Any]
    write: Callable[[Any], Cell] = as_it_is
    is_optional: bool = False
    absent: Any = None
    is_needed: bool = False


COLUMNS = (
    RatingColumn(
        "dataset", "assignment__trace__dataset__name", text_of(NAME_CHARACTERS), absent=""
    ),
    RatingColumn("take", "assignment__trace__take__uid", text_of(NAME_CHARACTERS), absent=""),
    RatingColumn("trace", "assignment__trace__uid", text_of(NAME_CHARACTERS), is_needed=True),
    # Empty for the whole trace.
    RatingColumn(
        "event", "event__event_id", text_of(EVENT_CHARACTERS, may_be_empty=True), is_needed=True
    ),
    RatingColumn("rater", "assignment__rater__username", read_username, is_needed=True),
    RatingColumn("metric", "metric", read_metric, is_needed=True),
    RatingColumn("value", "value", text_of(), is_needed=True),
    RatingColumn("confidence", "confidence", read_confidence),
    RatingColumn("implied", "is_implied", read_choice, yes_or_no, absent=False),
    RatingColumn("guideline_version", "guideline__name", text_of(VERSION_CHARACTERS), absent=""),
    RatingColumn("round", "assignment__round__number", read_round),
    RatingColumn("rated_at", "rated_at", read_time),
    RatingColumn("reference_watched_s", "", read_seconds, seconds_text, is_optional=True),
    RatingColumn("trace_watched_s", "", read_seconds, seconds_text, is_optional=True),
    # Whether the rater could see the trace's source before.
    RatingColumn("informed", "assignment__is_informed", read_choice, yes_or_no, True, False),
    RatingColumn(
        "rubric_version", "assignment__round__ratings__rubric_version", read_rubric_version,
        is_optional=True, absent=IMPORTED_VERSION,
    ),
    RatingColumn(
        "purpose", "assignment__purpose", read_purpose, is_optional=True, absent=ORDINARY
    ),
)  # fmt: skip
# Text in these may really be "None": what is missing is told when the data sets are known.
NAMES = frozenset({"dataset", "take", "guideline_version"})
WRITTEN_COLUMNS = tuple(column.name for column in COLUMNS if not column.is_optional)
NEEDED_COLUMNS = tuple(column.name for column in COLUMNS if column.is_needed)
