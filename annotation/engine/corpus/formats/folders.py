"""The files of a data set: which are in a folder, and which one is meant."""

import os
from pathlib import Path

from annotation.engine.corpus.formats.errors import fault_of_file


def files_in(folder: Path) -> list[Path]:
    """The files below a folder, sorted; none where there is no such folder.

    A folder that somebody removes meanwhile ends the listing of `Path.rglob` with an error, up to
    Python 3.12, and that of `os.walk` not.
    """
    paths = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return sorted(path for path in paths if path.is_file())


def files_under(path: Path, suffix: str) -> list[Path]:
    """The files below the folder `path` that end in `suffix`, or `path` itself, sorted."""
    if path.is_dir():
        return [item for item in files_in(path) if item.name.endswith(suffix)]
    return [path]


def files_named(path: Path, name: str) -> list[Path]:
    """The files called `name` below the folder `path`; none where that is a file."""
    return [item for item in files_in(path) if item.name == name]


def find_file(path: Path, name: str) -> Path:
    """`path` if it is a file, else the one file called `name` below it."""
    if not path.is_dir():
        return path
    found = files_named(path, name)
    if len(found) == 1:
        return found[0]
    expected = f"one file {name} in this folder"
    if not found:
        sentence = f"No {name} in these files."
        raise fault_of_file(path.name, "no such file", expected, sentence=sentence)
    raise fault_of_file(path.name, [str(item.relative_to(path)) for item in found], expected)
