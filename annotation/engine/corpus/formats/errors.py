"""What is wrong with a file: noted fault by fault, and raised with all of them.

ValueError
  FormatError        one or more `Problem`s, each with its place
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from annotation.engine.exceptions import shown_value

SHOWN_PROBLEMS = 20
# A file of another kind is wrong in every row; nobody reads more than this many of its faults.
MAX_PROBLEMS = 200


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of an input file: `value` at `field` of `place`, and what was expected there.

    `sentence` says it where these parts would not read well, as when a file is not there at all.
    """

    file: str
    place: str
    field: str
    value: str
    expected: str
    sentence: str = ""

    def __str__(self) -> str:
        if self.sentence:
            return self.sentence
        where = ", ".join(part for part in (self.file, self.place) if part)
        named = f"{self.field} is {self.value}" if self.field else self.value
        return f"{where}: {named}; expected {self.expected}"

    def to_dict(self) -> dict[str, str]:
        """The parts for a program, and `message` for a person."""
        parts = asdict(self)
        del parts["sentence"]
        return parts | {"message": str(self)}


def problem(*, file: str, place: str, field: str, value: object, expected: str) -> Problem:
    """A `Problem` whose value is shown as Python writes it, cut to a readable length."""
    return Problem(file, place, field, shown_value(value), expected)


class FormatError(ValueError):
    """The input cannot be read as this format; `problems` lists every fault that was found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(item) for item in self.problems[:SHOWN_PROBLEMS]]
        hidden_count = len(self.problems) - len(lines)
        if hidden_count > 0:
            lines.append(f"and {hidden_count} more")
        super().__init__("\n".join(lines))


class Faults:
    """The faults found so far in one file; full when `most` are noted."""

    def __init__(self, file: str, *, most: int = MAX_PROBLEMS) -> None:
        self.file = file
        self.most = most
        self.problems: list[Problem] = []

    def add(self, place: str, field: str, value: object, expected: str, sentence: str = "") -> None:
        """Note one fault; raise `FormatError` at once when the list is full."""
        self.problems.append(
            Problem(self.file, place, field, shown_value(value), expected, sentence)
        )
        if len(self.problems) >= self.most:
            raise FormatError(self.problems)

    def raise_if_any(self) -> None:
        if self.problems:
            raise FormatError(self.problems)


def fault_of_file(
    file: str,
    value: object,
    expected: str,
    *,
    place: str = "",
    field: str = "",
    sentence: str = "",
) -> FormatError:
    """The error for a file that cannot be read at all."""
    return FormatError([Problem(file, place, field, shown_value(value), expected, sentence)])
