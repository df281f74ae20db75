"""Reading fields of parsed JSON, with problems that name file, place, field and value."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem


def read_json(path: Path) -> Any:
    """The parsed file; raises FormatError where it cannot be opened or is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        value, expected = str(error), "JSON"
        if isinstance(error, OSError):
            value, expected = str(path), "a file that can be read"
        fault = problem(file=path.name, place="", field="", value=value, expected=expected)
        raise FormatError([fault]) from error


def as_mapping(value: object, *, file: str, place: str, field: str) -> Mapping[str, Any]:
    """The value if it is an object; raises FormatError otherwise."""
    if isinstance(value, Mapping):
        return value
    raise FormatError(
        [problem(file=file, place=place, field=field, value=value, expected="an object")]
    )


class FieldReader:
    """Reads the fields of one object and keeps every problem it meets.

    For a faulty field a getter returns a stand-in of the right type, so that all faults of a file
    are reported together; whoever reads has to raise `problems` before a stand-in is used. Raises
    FormatError at once if `data` is no object.
    """

    def __init__(self, data: object, *, file: str, place: str, problems: list[Problem]) -> None:
        self.data = as_mapping(data, file=file, place=place, field="")
        self.file, self.place, self.problems = file, place, problems

    def fault(self, field: str, expected: str, value: object = None) -> None:
        """Note a problem with a field; `value` is what to show for it if not the field itself."""
        value = self.data.get(field) if value is None else value
        self.problems.append(
            problem(file=self.file, place=self.place, field=field, value=value, expected=expected)
        )

    def text(self, field: str) -> str:
        value = self.data.get(field)
        if isinstance(value, str) and value.strip():
            return value
        self.fault(field, "a text that is not empty")
        return ""

    def whole_number(self, field: str) -> int:
        value = self.data.get(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.fault(field, "a whole number")
        return 0

    def seconds(self, field: str) -> float | None:
        """A time in seconds, finite and not negative; None where it is faulty."""
        value = self.data.get(field)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        seconds = float(value) if is_number and value is not None else math.nan
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
        self.fault(field, "seconds: a finite number, 0 or more")
        return None

    def flag(self, field: str) -> bool | None:
        """True or false, or None where the field is absent."""
        value = self.data.get(field)
        if value is None or isinstance(value, bool):
            return value
        self.fault(field, "true or false")
        return None
