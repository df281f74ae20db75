import pytest

from segments.selectors.segmentations import procedure_of
from tests.factories import StepFactory, TakeFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("ids", "shown"),
    [
        (("a", "b", "a"), [("a", "Do 0"), ("b", "Do 1")]),
        # Where others have an id, an action without one belongs to no instruction.
        (("3", "", "1"), [("3", "Do 0"), ("1", "Do 2")]),
        (("", "", ""), [("0", "Do 0"), ("1", "Do 1"), ("2", "Do 2")]),
        ((), []),
    ],
)
def test_a_procedure_has_each_step_once_and_goes_by_places_where_there_are_no_ids(ids, shown):
    take = TakeFactory()
    for index, step_id in enumerate(ids):
        StepFactory(take=take, index=index, step_id=step_id, text=f"Do {index}")

    assert [(step["step_id"], step["text"]) for step in procedure_of(take)] == shown
