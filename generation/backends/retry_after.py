"""The pause that a server asks for in its `Retry-After` header."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str], *, now_s: float | None = None) -> float | None:
    """Return the pause that the server asks for: seconds or a date; None where it asks for none."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment_s = parsedate_to_datetime(text).timestamp()
    except ValueError:
        return None
    return max(0.0, moment_s - (time.time() if now_s is None else now_s))
