"""What the verdicts on one text come to: two agree, or a third decides."""

from collections.abc import Mapping
from dataclasses import dataclass

# The places of verdicts on a text: so many independent ones at most, then the one that decides.
MOST_INDEPENDENT = 2
DECIDING_PLACE = 3


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """One person's verdict; `text` and `answer` are what the person would have instead.

    `reasons` are in the order of the vocabulary.
    """

    verdict: str
    reasons: tuple[str, ...] = ()
    text: str = ""
    answer: str = ""

    @property
    def outcome(self) -> tuple[str, str, str]:
        """What two verdicts must share to agree; people may differ on why."""
        return self.verdict, self.text, self.answer


def differ(given: Mapping[int, GivenVerdict]) -> bool:
    """Whether two independent verdicts, by their places, come to different outcomes."""
    independent = [item for place, item in given.items() if place < DECIDING_PLACE]
    return len(independent) > 1 and len({item.outcome for item in independent}) > 1


def decided(given: Mapping[int, GivenVerdict], overlap: int) -> GivenVerdict | None:
    """The verdict that counts; None while one is missing or the deciding one is not given.

    >>> decided({1: GivenVerdict("accept"), 2: GivenVerdict("accept")}, 2).verdict
    'accept'
    >>> decided({1: GivenVerdict("accept"), 2: GivenVerdict("reject")}, 2) is None
    True
    """
    if DECIDING_PLACE in given:
        return given[DECIDING_PLACE]
    if len(given) < overlap or differ(given):
        return None
    return given[min(given)] if given else None
