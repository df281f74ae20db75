"""Find the format modules of this package by file name."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from annotation.engine.corpus.formats.folders import files_in
from annotation.engine.corpus.formats.lengths import check_lengths
from annotation.engine.corpus.formats.reading import read_json, read_text
from annotation.engine.corpus.procedure import Reading
from annotation.engine.modules import modules_of

# Pages of whole data sets show the same few hundred texts thousands of times.
REMEMBERED_TEXTS = 10_000


@dataclass(frozen=True, slots=True)
class Format:
    """One importable format: its name on the command line, its words, its reader."""

    name: str
    title: str
    description: str
    is_verified: bool
    read_file: Callable[[Path], Reading]
    # How people read the texts of its steps; stored and exported they stay as the source has them.
    shown_text: Callable[[str], str] = str
    # The licence of the published files, "" where these have none or it is not known here.
    licence: str = ""

    def read(self, path: Path) -> Reading:
        return check_lengths(self.read_file(path), path)


@cache
def available_formats() -> dict[str, Format]:
    """Every format by name, in alphabetical order."""
    return {
        name: Format(
            name=name,
            title=module.TITLE,
            description=module.DESCRIPTION,
            is_verified=module.IS_VERIFIED,
            read_file=module.read,
            shown_text=lru_cache(REMEMBERED_TEXTS)(getattr(module, "shown_text", str)),
            licence=getattr(module, "LICENCE", ""),
        )
        for name, module in modules_of(__package__).items()
        if hasattr(module, "TITLE")  # the others hold what several formats share
    }


def shown_text_of(name: str) -> Callable[[str], str]:
    """How texts of a format are shown; as they are where no file format has that name."""
    known = available_formats().get(name)
    return known.shown_text if known else str


def fitting_formats(path: Path) -> tuple[Format, ...]:
    """The formats that read the file or folder without a fault and find something in it.

    Every reader tries the whole of it: each refuses what is not of its format, so of all published
    files that are known here exactly one accepts each.
    """
    fitting = []
    for item in available_formats().values():
        with suppress(FormatError):
            reading = item.read(path)
            if reading.takes or reading.traces:
                fitting.append(item)
    return tuple(fitting)


def recognised_format(path: Path) -> Format:
    """The one format that fits.

    Raises `FormatError` where none does, with what is wrong where that is so for every format, or
    where several do.
    """
    if not path.exists():
        raise fault_of_file(path.name, "No such file or directory", "a file that can be read")
    fitting = fitting_formats(path)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        named = " and as ".join(item.title for item in fitting)
        sentence = f"These files can be read as {named}. Choose one."
    else:
        # What is no JSON or no text at all is read by none of them.
        for file in files_in(path) if path.is_dir() else [path]:
            if file.suffix == ".json":
                read_json(file)
            elif file.suffix == ".csv":
                read_text(file)
        sentence = (
            "No format can read these files. Choose the format that they should have to"
            " see what is wrong with them."
        )
    expected = "files of one format"
    raise fault_of_file(path.name, "unknown", expected, sentence=sentence)
