"""Find the format modules of this package by file name."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from annotation.engine import formats
from annotation.engine.formats.lengths import check_lengths
from annotation.engine.procedure import Reading


@dataclass(frozen=True, slots=True)
class Format:
    """One importable format: its name on the command line, its words, its reader."""

    name: str
    title: str
    description: str
    is_verified: bool
    read: Callable[[Path], Reading]


def _format_of(name: str, module: ModuleType) -> Format:
    def read(path: Path) -> Reading:
        return check_lengths(module.read(path), path)

    return Format(
        name=name,
        title=module.TITLE,
        description=module.DESCRIPTION,
        is_verified=module.IS_VERIFIED,
        read=read,
    )


@cache
def available_formats() -> dict[str, Format]:
    """Return every format by name, in alphabetical order."""
    modules = {
        info.name: importlib.import_module(f"{formats.__name__}.{info.name}")
        for info in pkgutil.iter_modules(formats.__path__)
    }
    # Modules without a title hold what several formats share.
    return {
        name: _format_of(name, module)
        for name, module in sorted(modules.items())
        if hasattr(module, "TITLE")
    }
