"""Files appear whole or not at all, and only in folders that are there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from annotation.backends import publishing
from annotation.backends.media.exceptions import VideoError
from annotation.backends.publishing import publish

__all__ = ["draft_of", "publish"]


@contextmanager
def draft_of(out: Path) -> Iterator[Path]:
    """Give a name beside `out` that nobody reads; what is left there afterwards is removed."""
    if not out.parent.is_dir():
        raise VideoError(f"there is no folder {out.parent}")
    with publishing.draft_of(out) as draft:
        yield draft
