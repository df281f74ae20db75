"""Find the error types by their modules."""

import importlib
import pkgutil
from functools import cache

from annotation.engine.taxonomy import ErrorType
from generation.engine import error_types
from generation.engine.planner.situation import ErrorKind


@cache
def error_kinds() -> dict[ErrorType, ErrorKind]:
    """Return every error type of the package, in the order of the taxonomy."""
    names = [info.name for info in pkgutil.iter_modules(error_types.__path__)]
    modules = [importlib.import_module(f"{error_types.__name__}.{name}") for name in names]
    found = {module.KIND.error_type: module.KIND for module in modules if hasattr(module, "KIND")}
    return {error_type: found[error_type] for error_type in ErrorType if error_type in found}
