"""Folders that change while somebody looks into them, at the worst moment, each time the same."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def done_before_listing(folder: Path, act: Callable[[], object]) -> Iterator[None]:
    """Act once, just before somebody lists the folder, which was found to be there."""
    with pytest.MonkeyPatch.context() as patch:

        def before(listing):
            def changed(path="."):
                if path == folder or path == str(folder):
                    patch.undo()
                    act()
                return listing(path)

            return changed

        patch.setattr(os, "scandir", before(os.scandir))
        patch.setattr(os, "listdir", before(os.listdir))
        yield


@contextmanager
def removed_once_seen(path: Path) -> Iterator[None]:
    """Remove the file as soon as somebody has seen that it is one."""
    is_file = Path.is_file

    def seen(self):
        is_there = is_file(self)
        if self == path:
            path.unlink(missing_ok=True)
        return is_there

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "is_file", seen)
        yield
