"""The pause that a server asks for in its `retry-after-ms` or `Retry-After` header."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str], *, now_s: float | None = None) -> float | None:
    """The pause that the server asks for, None if it asks for none.

    The header in milliseconds is more exact; the other one has seconds or a date.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        moment_s = parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
    return max(0.0, moment_s - (time.time() if now_s is None else now_s))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None
