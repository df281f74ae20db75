"""Find what the modules of a package offer, so that a new part is a new file and in no list."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def modules_of(package: ModuleType) -> dict[str, ModuleType]:
    """The modules that lie in a package, by name in alphabetical order."""
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


def offered(package: ModuleType, name: str) -> dict[str, Any]:
    """What the modules hold under a name; those that lack it hold what the others share."""
    modules = modules_of(package).items()
    return {item: getattr(module, name) for item, module in modules if hasattr(module, name)}
