from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.situation import correction_kinds
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.taxonomy import CorrectionType
from tests.engine.corrections.plans import FIVE


def test_every_correction_type_has_its_module():
    found = correction_kinds()

    assert list(found) == list(CorrectionType.registered())
    assert all(kind.facts.correction_type is name for name, kind in found.items())


def test_every_error_type_has_its_module():
    assert set(FIVE) <= set(error_kinds()) == set(ErrorType.registered())
