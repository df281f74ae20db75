"""Changes that a browser tab numbers: one that arrives twice counts once.

A tab sends a change again until it hears that it is stored: after a lost connection, an expired
login, a restart of the server. The log keeps its number and the tab's id, so that the second time
is known. Under a number that was used, another change is refused: one of the two would be lost.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

# The highest number of a tab that has sent nothing yet.
NO_SEQUENCE = -1
NOT_USED = "a number that this client has not used for another {}"


class Numbered(Protocol):
    """A change as a tab sends it; `sequence` counts the changes of the tab."""

    @property
    def sequence(self) -> int: ...


Change = TypeVar("Change", bound=Numbered)
Logged = TypeVar("Logged")


@dataclass(frozen=True, slots=True)
class Arrived(Generic[Change, Logged]):
    """The changes of a request: `fresh` are to be applied in order, `saved` are stored already.

    `logged` is what the log has of those, by their numbers.
    """

    fresh: tuple[Change, ...]
    saved: tuple[int, ...]
    logged: Mapping[int, Logged]


def sort_arrived(
    changes: Sequence[Change],
    *,
    logged_under: Callable[[Sequence[int]], Mapping[int, Logged]],
    is_logged: Callable[[Change, Logged], bool],
    refusal: Callable[[Change], Exception],
    last_sequence: int | None = None,
) -> Arrived[Change, Logged]:
    """The changes that have not arrived before, and those that have.

    `logged_under` reads what the log of the tab has under some numbers. `last_sequence` is the
    tab's highest number so far, where it is known. Raises `refusal` of the first change whose
    number was used for another one.
    """
    numbers = [change.sequence for change in changes]
    # Numbers grow, so an ordinary save need not search the log.
    may_be_logged = last_sequence is None or any(number <= last_sequence for number in numbers)
    logged = logged_under(numbers) if may_be_logged else {}
    fresh: dict[int, Change] = {}
    for change in changes:
        number = change.sequence
        if number in logged:
            is_same = is_logged(change, logged[number])
        else:
            is_same = fresh.setdefault(number, change) == change
        if not is_same:
            raise refusal(change)
    saved = tuple(number for number in numbers if number in logged)
    return Arrived(tuple(fresh.values()), saved, logged)
