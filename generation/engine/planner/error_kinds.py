"""Find the error types by their modules."""

from functools import cache

from annotation.engine.modules import offered
from annotation.engine.taxonomy import ErrorType
from generation.engine import error_types
from generation.engine.planner.situation import ErrorKind


@cache
def error_kinds() -> dict[ErrorType, ErrorKind]:
    """Return every error type of the package, in the order of the taxonomy."""
    found = {kind.error_type: kind for kind in offered(error_types, "KIND").values()}
    return {error_type: found[error_type] for error_type in ErrorType if error_type in found}
