"""The files of a data set: which are in a folder, and which one is meant."""

from pathlib import Path

from annotation.engine.corpus.formats.errors import fault_of_file


def files_under(path: Path, suffix: str) -> list[Path]:
    """The files below the folder `path` that end in `suffix`, or `path` itself, sorted."""
    if path.is_dir():
        return sorted(item for item in path.rglob(f"*{suffix}") if item.is_file())
    return [path]


def files_named(path: Path, name: str) -> list[Path]:
    """The files called `name` below the folder `path`; none where that is a file."""
    return sorted(item for item in path.rglob(name) if item.is_file())


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
