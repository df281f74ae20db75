"""Find the format modules of this package by file name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType

from annotation.engine.formats.errors import FormatError, problem
from annotation.engine.formats.lengths import check_lengths
from annotation.engine.modules import modules_of
from annotation.engine.procedure import Reading


@dataclass(frozen=True, slots=True)
class Format:
    """One importable format: its name on the command line, its words, its reader."""

    name: str
    title: str
    description: str
    is_verified: bool
    read: Callable[[Path], Reading]
    # How people read the texts of its steps; stored and exported they stay as the source has them.
    shown_text: Callable[[str], str] = str


def _format_of(name: str, module: ModuleType) -> Format:
    def read(path: Path) -> Reading:
        return check_lengths(module.read(path), path)

    return Format(
        name=name,
        title=module.TITLE,
        description=module.DESCRIPTION,
        is_verified=module.IS_VERIFIED,
        read=read,
        shown_text=getattr(module, "shown_text", str),
    )


@cache
def available_formats() -> dict[str, Format]:
    """Every format by name, in alphabetical order."""
    # Modules without a title hold what several formats share.
    return {
        name: _format_of(name, module)
        for name, module in modules_of(__package__).items()
        if hasattr(module, "TITLE")
    }


def shown_text_of(name: str) -> Callable[[str], str]:
    """Return how texts of a format are shown; as they are where no file format has that name."""
    known = available_formats().get(name)
    return known.shown_text if known else str


def fitting_formats(path: Path) -> tuple[Format, ...]:
    """Return the formats that read the file or folder without a fault and find something in it.

    Every reader tries the whole of it: each refuses what is not of its format, so of all published
    files that are known here exactly one accepts each.
    """
    return tuple(item for item in available_formats().values() if _fits(item, path))


def recognised_format(path: Path) -> Format:
    """Return the one format that fits; raises `FormatError` where none does, or several do."""
    fitting = fitting_formats(path)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        named = " and as ".join(item.title for item in fitting)
        sentence = f"These files can be read as {named}. Choose one."
    else:
        sentence = (
            "No format can read these files. Choose the format that they should have to"
            " see what is wrong with them."
        )
    expected = "files of one format"
    found = problem(file=path.name, place="", field="", value="unknown", expected=expected)
    raise FormatError([replace(found, sentence=sentence)])


def _fits(item: Format, path: Path) -> bool:
    try:
        reading = item.read(path)
    except FormatError:
        return False
    return bool(reading.takes or reading.traces)
