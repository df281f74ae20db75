"""Reader of shelf lists: a title, then a step a line as "seconds text"."""

from pathlib import Path

from annotation.engine.corpus.formats.errors import FormatError, problem
from annotation.engine.corpus.procedure import Reading, Step, Take

TITLE = "Shelf lists"
DESCRIPTION = "One text file whose name ends in .shelf."
IS_VERIFIED = True


def read(path: Path) -> Reading:
    file = path if path.is_file() else next(path.glob("*.shelf"), path / "list.shelf")
    if file.suffix != ".shelf" or not file.is_file():
        expected = "a .shelf file in these files"
        raise FormatError(
            [problem(file=file.name, place="", field="", value=file.suffix, expected=expected)]
        )
    title, *lines = file.read_text(encoding="utf-8").splitlines()
    steps = []
    for number, line in enumerate(lines, start=2):
        start, _, text = line.partition(" ")
        if not start.isdigit() or not text:
            raise FormatError(
                [
                    problem(
                        file=file.name, place=f"line {number}", field="", value=line,
                        expected="seconds and a text",
                    )
                ]
            )  # fmt: skip
        steps.append(Step(text, str(number - 1), float(start), float(start) + 1))
    return Reading(takes=(Take(file.stem, title, title, tuple(steps)),))
