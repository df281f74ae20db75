"""Find the correction types by their modules."""

from functools import cache

from annotation.engine.modules import offered
from generation.engine import correction_kinds as kinds
from generation.engine.corrections.correction_situation import CorrectionKind
from generation.engine.planner.taxonomy import CorrectionType


@cache
def correction_kinds() -> dict[CorrectionType, CorrectionKind]:
    """Return every correction type of the package, in the order of the taxonomy."""
    found = {kind.facts.correction_type: kind for kind in offered(kinds, "KIND").values()}
    return {name: found[name] for name in CorrectionType.known() if name in found}
