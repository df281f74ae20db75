"""Find the writers of error types and correction types by their modules."""

from functools import cache

from annotation.engine.modules import offered
from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting import correction_types, error_types
from generation.engine.rewriting.draft import CorrectionWriter, ErrorWriter


@cache
def error_writers() -> dict[ErrorType, ErrorWriter]:
    return {writer.error_type: writer for writer in offered(error_types, "WRITER").values()}


@cache
def correction_writers() -> dict[CorrectionType, CorrectionWriter]:
    writers = offered(correction_types, "WRITER").values()
    return {writer.correction_type: writer for writer in writers}
