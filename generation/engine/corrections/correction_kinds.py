"""Find the correction types by their modules."""

import importlib
import pkgutil
from functools import cache

from generation.engine.corrections import kinds
from generation.engine.corrections.situation import CorrectionKind
from generation.engine.planner.taxonomy import CorrectionType


@cache
def correction_kinds() -> dict[CorrectionType, CorrectionKind]:
    """Return every correction type of the package, in the order of the taxonomy."""
    names = [info.name for info in pkgutil.iter_modules(kinds.__path__)]
    modules = [importlib.import_module(f"{kinds.__name__}.{name}") for name in names]
    found = {module.KIND.correction_type: module.KIND for module in modules}
    return {name: found[name] for name in CorrectionType if name in found}
