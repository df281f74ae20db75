"""Find the writers of error types and correction types by their modules."""

from functools import cache

from annotation.engine.modules import offered
from annotation.engine.taxonomy import ErrorType
from generation.engine import correction_kinds, error_types
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import CorrectionWriter, ErrorWriter


@cache
def error_writers() -> dict[ErrorType, ErrorWriter]:
    kinds = offered(error_types, "KIND")
    writers = offered(error_types, "WRITER").items()
    return {kinds[name].facts.error_type: writer for name, writer in writers}


@cache
def correction_writers() -> dict[CorrectionType, CorrectionWriter]:
    kinds = offered(correction_kinds, "KIND")
    writers = offered(correction_kinds, "WRITER").items()
    return {kinds[name].facts.correction_type: writer for name, writer in writers}
