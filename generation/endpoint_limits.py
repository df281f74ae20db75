"""How large the numbers of an endpoint may be, and how forms and the API say it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Limits:
    """The range of one number; one that may be empty is not set then."""

    least: int
    most: int
    may_be_empty: bool = False

    @property
    def error_messages(self) -> dict[str, Any]:
        """Return what is said of a value out of range; Django and DRF put the value in."""
        expected = f"{self.least:,} to {self.most:,}{', or nothing' if self.may_be_empty else ''}"
        words = f"%(show_value)s is out of range; expected {expected}."
        return {"min_value": words, "max_value": words}


CONCURRENCY = Limits(1, 256)
REQUESTS_PER_MINUTE = Limits(1, 100_000, may_be_empty=True)
TIMEOUT_S = Limits(1, 900)
# A provider may queue a clip for hours.
JOB_TIMEOUT_S = Limits(1, 6 * 60 * 60)
# US dollars per million tokens, or per second of clip; the columns hold no more.
PRICE = Limits(0, 999_999, may_be_empty=True)
PRICE_DIGITS, PRICE_DECIMALS = 10, 4
BOTH_PRICES = "Give both prices, or neither."
