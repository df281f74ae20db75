"""Find the writers of error types and correction types by their modules."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting import correction_types, error_types
from generation.engine.rewriting.draft import CorrectionWriter, ErrorWriter


@cache
def error_writers() -> dict[ErrorType, ErrorWriter]:
    """Return the writer of every error type that has one."""
    return {
        module.WRITER.error_type: module.WRITER
        for module in _modules(error_types)
        if hasattr(module, "WRITER")
    }


@cache
def correction_writers() -> dict[CorrectionType, CorrectionWriter]:
    """Return the writer of every correction type that has one."""
    return {
        module.WRITER.correction_type: module.WRITER
        for module in _modules(correction_types)
        if hasattr(module, "WRITER")
    }


def _modules(package: ModuleType) -> list[ModuleType]:
    names = sorted(info.name for info in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]
