"""Every type of the taxonomy has a writer."""

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.registry import correction_writers, error_writers


def test_every_error_type_has_a_writer():
    assert set(error_writers()) == set(ErrorType.known())


def test_every_correction_type_has_a_writer():
    assert set(correction_writers()) == set(CorrectionType.known())
