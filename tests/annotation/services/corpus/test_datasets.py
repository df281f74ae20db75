import threading
from collections.abc import Callable

import pytest
from django.db import connection
from django.http import Http404

from annotation.models import Assignment, AuditEntry, Dataset, RatingEvent, Take, Trace, User
from annotation.services.campaigns.campaigns import add_datasets, add_raters
from annotation.services.corpus.datasets import DatasetInUseError, delete_dataset, share_dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.readings import make_reading
from tests.factories import AssignmentFactory, CampaignFactory, TraceFactory, UserFactory
from tests.segments.campaigns import opened, segment_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))
    return Dataset.objects.get()


def test_delete_dataset_deletes_everything_in_it(dataset: Dataset, owner: User) -> None:
    delete_dataset(dataset=dataset, actor=owner)

    assert (Dataset.objects.count(), Take.objects.count(), Trace.objects.count()) == (0, 0, 0)
    entry = AuditEntry.objects.first()
    assert (entry.action, entry.detail) == ("dataset.delete", {"name": "Tea", "format": "egooops"})


def test_delete_dataset_refuses_when_it_has_ratings(dataset: Dataset, annotator: User) -> None:
    assignment = AssignmentFactory(trace=Trace.objects.get(), rater=annotator)
    RatingEvent.objects.create(
        assignment=assignment,
        metric="text_video_grounding",
        value="3",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at="2026-01-01T00:00:00Z",
    )

    with pytest.raises(DatasetInUseError, match="Tea has 1 saved rating, so it cannot be deleted"):
        delete_dataset(dataset=dataset, actor=None)

    assert Trace.objects.count() == 1


def test_delete_dataset_refuses_when_raters_wait_for_it(dataset: Dataset) -> None:
    AssignmentFactory(trace=Trace.objects.get())

    with pytest.raises(DatasetInUseError, match="Tea has 1 assignment of raters"):
        delete_dataset(dataset=dataset, actor=None)


def test_delete_dataset_refuses_when_another_dataset_reads_its_takes(dataset: Dataset) -> None:
    foreign = TraceFactory(take=Take.objects.get(), dataset__name="Generated")

    with pytest.raises(DatasetInUseError, match="Traces of Generated have takes of"):
        delete_dataset(dataset=dataset, actor=None)

    assert Trace.objects.filter(pk=foreign.pk).exists()


def test_share_dataset_is_recorded_once(dataset: Dataset, owner: User) -> None:
    AuditEntry.objects.all().delete()

    share_dataset(dataset=dataset, is_shared=True, actor=owner)
    share_dataset(dataset=dataset, is_shared=True, actor=owner)

    assert [entry.action for entry in AuditEntry.objects.all()] == ["dataset.share"]


def test_delete_dataset_twice_is_once(dataset: Dataset, owner: User) -> None:
    delete_dataset(dataset=Dataset.objects.get(), actor=owner)
    delete_dataset(dataset=dataset, actor=owner)

    assert AuditEntry.objects.filter(action="dataset.delete").count() == 1


def raised_at_once(*works: Callable[[], object]) -> list[type[BaseException] | None]:
    """Run each in a thread of its own, all begun at one moment; return what each raised."""
    barrier = threading.Barrier(len(works))
    raised: list[type[BaseException] | None] = [None] * len(works)

    def run(place: int) -> None:
        barrier.wait()
        try:
            works[place]()
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            raised[place] = type(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("turn", range(5))
def test_deleting_while_a_campaign_takes_the_dataset_ends_in_one_of_two_ways(turn: int) -> None:
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))
    dataset = Dataset.objects.get()
    campaign = CampaignFactory(overlap=1)
    add_raters(campaign=campaign, raters=[UserFactory()], actor=None)

    deleting, adding = raised_at_once(
        lambda: delete_dataset(dataset=dataset, actor=None),
        lambda: add_datasets(campaign=campaign, datasets=[dataset], actor=None),
    )

    if Dataset.objects.exists():
        assert (deleting, adding) == (DatasetInUseError, None)
        assert Assignment.objects.filter(round__campaign=campaign).count() == 1
    else:
        assert (deleting, adding) == (None, Http404)


def test_a_data_set_whose_recordings_are_labelled_is_not_deleted(owner):
    campaign, _ = segment_campaign(owner)
    opened(campaign, owner, stage="label", scheme="egooops")
    dataset = campaign.datasets.get()

    with pytest.raises(DatasetInUseError, match="are in a round of segments"):
        delete_dataset(dataset=dataset, actor=owner)

    assert dataset.takes.count() == 3
