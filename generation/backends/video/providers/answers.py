"""Read the documents in providers' answers; errors name the place of a missing or wrong value."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from generation.backends.video.providers.exceptions import MalformedAnswerError
from generation.backends.video.providers.provider import Document

# Ids become part of an address, so they must not contain anything that leads elsewhere.
_JOB_ID = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._:=-]{0,255}")
_SHOWN_CHARACTERS = 80
# No clip costs more, in any unit; a larger amount is a mistake and would not fit into the column.
MOST_AMOUNT = Decimal(10) ** 9


def value_at(document: Any, *place: str | int) -> Any:
    """The value at a place (`"data", "videos", 0`), None if there is none."""
    value = document
    for key in place:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(document: Document, *place: str | int) -> str:
    """The text at a place; raises MalformedAnswerError if there is none."""
    value = value_at(document, *place)
    if not isinstance(value, str) or not value.strip():
        where = ".".join(map(str, place))
        raise MalformedAnswerError(f"{where} is {_shown(value)}; expected a text")
    return value


def words_at(document: Document, *places: tuple[str | int, ...]) -> str:
    """The first text or number at one of the places, empty if there is none."""
    for place in places:
        value = value_at(document, *place)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
    return ""


def amount_at(document: Document, *place: str | int) -> Decimal | None:
    """The amount at a place; None if there is none, or an impossible one.

    >>> amount_at({"usage": {"cost": 0.35}}, "usage", "cost")
    Decimal('0.35')
    """
    value = value_at(document, *place) if place else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount < MOST_AMOUNT else None


def job_id_at(document: Document, *place: str | int) -> str:
    """The id at a place; raises MalformedAnswerError if it cannot be one."""
    job_id = text_at(document, *place)
    if not _JOB_ID.fullmatch(job_id):
        where = ".".join(map(str, place))
        raise MalformedAnswerError(f"{where} is {_shown(job_id)}; expected the id of a job")
    return job_id


def _shown(value: object) -> str:
    return repr(value)[:_SHOWN_CHARACTERS]
