import pytest
from django.http import Http404

from annotation.models import Dataset, Take, Trace, User
from annotation.selectors.corpus import corpus
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.readings import make_reading, make_take, make_trace
from tests.factories import DatasetFactory, TakeFactory, TraceFactory, UserFactory

pytestmark = pytest.mark.django_db


def visible_names(user: User) -> list[str]:
    return [dataset.name for dataset in corpus.visible_datasets(user)]


@pytest.fixture
def datasets(owner: User) -> None:
    DatasetFactory(name="mine", owner=owner)
    DatasetFactory(name="other", owner=UserFactory())
    DatasetFactory(name="shared", is_shared=True)


@pytest.mark.usefixtures("datasets")
def test_visible_datasets_of_a_researcher_are_own_and_shared(owner: User, outsider: User) -> None:
    assert visible_names(owner) == ["mine", "shared"]
    assert visible_names(outsider) == ["shared"]


@pytest.mark.usefixtures("datasets")
def test_visible_datasets_of_an_administrator_are_all(administrator: User) -> None:
    assert visible_names(administrator) == ["mine", "other", "shared"]


@pytest.mark.usefixtures("datasets")
def test_visible_datasets_of_an_annotator_are_none(annotator: User) -> None:
    assert visible_names(annotator) == []


@pytest.mark.usefixtures("datasets")
def test_get_changeable_dataset_is_for_owner_and_administrator(
    owner: User, administrator: User, outsider: User
) -> None:
    mine, shared = (Dataset.objects.get(name=name) for name in ("mine", "shared"))

    assert corpus.get_changeable_dataset(owner, mine.public_id) == mine
    assert corpus.get_changeable_dataset(administrator, shared.public_id) == shared
    for user, dataset in ((outsider, mine), (outsider, shared), (owner, shared)):
        with pytest.raises(Http404):
            corpus.get_changeable_dataset(user, dataset.public_id)


def test_lookups_by_id_are_not_found_for_an_outsider(owner: User, outsider: User) -> None:
    trace = TraceFactory(dataset__owner=owner)

    assert corpus.get_dataset_for_user(owner, trace.dataset.public_id) == trace.dataset
    assert corpus.get_take_for_user(owner, trace.take.public_id) == trace.take
    assert corpus.get_trace_for_user(owner, trace.public_id) == trace
    for lookup, row in (
        (corpus.get_dataset_for_user, trace.dataset),
        (corpus.get_take_for_user, trace.take),
        (corpus.get_trace_for_user, trace),
        (corpus.get_changeable_trace, trace),
    ):
        with pytest.raises(Http404):
            lookup(outsider, row.public_id)


def test_rows_turn_back_into_what_was_imported(django_assert_num_queries) -> None:
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))
    take, trace = Take.objects.get(), Trace.objects.select_related("take").get()

    with django_assert_num_queries(1):
        assert corpus.procedure_of(take) == make_take()
    with django_assert_num_queries(2):
        assert corpus.trace_of(trace) == make_trace()


def test_reference_candidates_are_takes_of_the_same_procedure_best_first() -> None:
    trace = TraceFactory(take__uid="now", take__order_deviations=2)
    TakeFactory(dataset=trace.dataset, uid="worse", order_deviations=3)
    TakeFactory(dataset=trace.dataset, uid="better", order_deviations=1)
    TakeFactory(dataset=trace.dataset, uid="coffee", scenario="Making coffee")
    TakeFactory(uid="elsewhere")

    candidates = corpus.reference_candidates(trace)

    assert [take.uid for take in candidates] == ["better", "now", "worse"]
