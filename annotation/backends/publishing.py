"""Files appear whole or not at all: written beside their place, then renamed in one step."""

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def draft_of(out: Path) -> Iterator[Path]:
    """Give a name beside `out` that nobody reads; what is left there afterwards is removed."""
    handle, name = tempfile.mkstemp(prefix=f".{out.name}.", suffix=".part", dir=out.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def publish(draft: Path, out: Path) -> None:
    """Put the finished draft in its place, readable as any new file of this process."""
    mask = os.umask(0)
    os.umask(mask)
    draft.chmod(0o666 & ~mask)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(out)


def write_lines(lines: Iterable[str], out: Path) -> None:
    """Write a text file that appears when it is whole; into a pipe or a device as it comes."""
    write_pieces((line.encode() for line in lines), out)


def write_pieces(pieces: Iterable[bytes], out: Path) -> None:
    """The same of a file of any kind."""
    if out.is_symlink() or (out.exists() and not out.is_file()):
        with out.open("wb") as stream:
            stream.writelines(pieces)
        return
    with draft_of(out) as draft:
        with draft.open("wb") as file:
            file.writelines(pieces)
        publish(draft, out)
