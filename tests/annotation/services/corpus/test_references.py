import pytest
from django.http import Http404

from annotation.models import AuditEntry, RatingEvent, Take, Trace, User
from annotation.selectors.corpus import corpus
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.corpus.references import ReferenceRefusedError, change_reference
from tests.annotation.readings import STEP_TEXTS, make_reading, make_take
from tests.factories import AssignmentFactory, TakeFactory

pytestmark = pytest.mark.django_db

# Another person fetches the cup first and has no tea bag left out.
OTHER_TEXTS = ("Fetch a cup", *STEP_TEXTS)


def import_tea(**changes: object):
    takes = (make_take("good"), make_take("other", OTHER_TEXTS))
    # Step ids would pair different texts here, as both takes count from 1.
    reading = make_reading(**({"takes": takes} | changes))
    return import_reading(reading, target=ImportTarget("Tea", "egooops"))


@pytest.fixture
def trace() -> Trace:
    import_tea()
    return Trace.objects.get()


def reference_indexes() -> list[int | None]:
    content = corpus.trace_of(Trace.objects.get())
    return [row.reference_index for row in content.steps]


def test_change_reference_aligns_the_rows_anew(trace: Trace, owner: User) -> None:
    other = Take.objects.get(uid="other")
    other.steps.update(step_id="")

    change_reference(trace=trace, take=other, actor=owner)

    changed = Trace.objects.get()
    assert (changed.take, changed.is_reference_manual) == (other, True)
    assert changed.reference_reason == "Chosen by owner."
    assert reference_indexes() == [1, None, 2, None, 3]
    entry = AuditEntry.objects.first()
    assert (entry.actor, entry.action) == (owner, "trace.change_reference")
    assert entry.detail == {"from": "good", "to": "other"}


def test_change_reference_is_kept_by_the_next_import(trace: Trace, owner: User) -> None:
    change_reference(trace=trace, take=Take.objects.get(uid="other"), actor=owner)
    indexes = reference_indexes()

    outcome = import_tea()

    assert (outcome.updated, outcome.unchanged) == (0, 3)
    assert (Trace.objects.get().take.uid, reference_indexes()) == ("other", indexes)


def test_change_reference_is_kept_when_the_file_changes_that_take(
    trace: Trace, owner: User
) -> None:
    change_reference(trace=trace, take=Take.objects.get(uid="other"), actor=owner)

    outcome = import_tea(takes=(make_take("good"), make_take("other", (*OTHER_TEXTS, "Drink"))))

    assert (outcome.takes.updated, outcome.traces.updated) == (("other",), ("bad",))
    assert Trace.objects.get().take.uid == "other"


def test_change_reference_to_the_present_one_changes_nothing(trace: Trace, owner: User) -> None:
    change_reference(trace=trace, take=trace.take, actor=owner)

    assert Trace.objects.get().is_reference_manual is False
    assert not AuditEntry.objects.filter(action="trace.change_reference").exists()


def test_a_trace_deleted_meanwhile_is_not_there(trace: Trace, owner: User) -> None:
    other = Take.objects.get(uid="other")
    delete_dataset(dataset=trace.dataset, actor=owner)

    with pytest.raises(Http404):
        change_reference(trace=trace, take=other, actor=owner)


def test_change_reference_refuses_a_rated_trace(trace: Trace, owner: User, annotator: User) -> None:
    assignment = AssignmentFactory(trace=trace, rater=annotator)
    RatingEvent.objects.create(
        assignment=assignment,
        metric="text_video_grounding",
        value="3",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at="2026-01-01T00:00:00Z",
    )

    with pytest.raises(ReferenceRefusedError, match="This trace has been rated"):
        change_reference(trace=trace, take=Take.objects.get(uid="other"), actor=owner)

    assert Trace.objects.get().take.uid == "good"


def test_change_reference_refuses_a_take_of_another_dataset(trace: Trace, owner: User) -> None:
    with pytest.raises(ReferenceRefusedError, match="is not a take of Tea in the same data set"):
        change_reference(trace=trace, take=TakeFactory(scenario="Tea"), actor=owner)


def test_change_reference_refuses_a_take_without_the_deleted_step(
    trace: Trace, owner: User
) -> None:
    short = TakeFactory(dataset=trace.dataset, uid="short", scenario="Tea")

    with pytest.raises(ReferenceRefusedError, match="short cannot be the reference: row 2 leaves"):
        change_reference(trace=trace, take=short, actor=owner)

    assert reference_indexes() == [0, None, 1, None, 2]
