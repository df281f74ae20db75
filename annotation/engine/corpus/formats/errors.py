"""What a reader raises when a file is not what it should be.

ValueError
  FormatError        one or more `Problem`s, each with its place
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from annotation.engine.exceptions import shown_value

SHOWN_PROBLEMS = 20


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
