"""Find what the modules of a package define, so that a new part is a new file and in no list.

The package is named by its dotted name: code below the parts can look them up without an import.
"""

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def modules_of(package: str) -> dict[str, ModuleType]:
    """The modules that lie in a package, by name in alphabetical order."""
    folders = importlib.import_module(package).__path__
    names = sorted(info.name for info in pkgutil.iter_modules(folders))
    return {name: importlib.import_module(f"{package}.{name}") for name in names}


def offered(package: str, name: str) -> dict[str, Any]:
    """What the modules hold under a name; those that lack it hold what the others share."""
    modules = modules_of(package).items()
    return {item: getattr(module, name) for item, module in modules if hasattr(module, name)}
