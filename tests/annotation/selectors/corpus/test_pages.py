import pytest

from annotation.models import Dataset, Take, Trace, User
from annotation.selectors.corpus import pages
from annotation.selectors.corpus.pages import LabelCount, ReadAgainst, References
from annotation.services.corpus.imports import ImportTarget, import_reading
from tests.annotation.readings import make_reading, make_take, make_trace
from tests.factories import DatasetFactory, EventFactory, TraceFactory, VideoFactory

pytestmark = pytest.mark.django_db


def import_tea(name: str = "Tea", trace_count: int = 1) -> Dataset:
    traces = tuple(make_trace(f"bad{index}") for index in range(trace_count))
    reading = make_reading(takes=(make_take(), make_take("spare")), traces=traces)
    import_reading(reading, target=ImportTarget(name, "egooops", is_shared=True))
    return Dataset.objects.get(name=name)


def test_list_datasets_counts_each_table_by_itself(owner: User) -> None:
    VideoFactory(dataset=import_tea(trace_count=3))

    dataset = pages.list_datasets(owner).get()

    counts = (dataset.take_count, dataset.trace_count, dataset.event_count, dataset.video_count)
    assert counts == (2, 3, 9, 1)


@pytest.mark.parametrize("dataset_count", [1, 3])
def test_list_datasets_takes_one_query(
    owner: User, dataset_count: int, django_assert_num_queries
) -> None:
    for index in range(dataset_count):
        import_tea(f"Tea {index}")

    with django_assert_num_queries(1):
        rows = [(row.name, row.owner) for row in pages.list_datasets(owner)]

    assert len(rows) == dataset_count


@pytest.mark.parametrize("trace_count", [1, 3])
def test_takes_and_traces_of_dataset_take_one_query_each(
    trace_count: int, django_assert_num_queries
) -> None:
    dataset = import_tea(trace_count=trace_count)

    with django_assert_num_queries(2):
        takes = [
            (take.uid, take.step_count, take.video) for take in pages.takes_of_dataset(dataset)
        ]
        traces = [
            (trace.take.uid, trace.step_count, trace.mistake_count, trace.correction_count)
            for trace in pages.traces_of_dataset(dataset)
        ]

    assert takes == [("good", 3, None), ("spare", 3, None)]
    assert traces == [("good", 5, 2, 1)] * trace_count


@pytest.mark.parametrize("trace_count", [1, 3])
def test_references_by_take_counts_and_names_what_the_user_may_see(
    owner: User, outsider: User, trace_count: int, django_assert_num_queries
) -> None:
    dataset = import_tea(trace_count=trace_count)
    good, spare = Take.objects.order_by("uid")
    own = DatasetFactory(name="Made of tea", owner=owner)
    hidden = DatasetFactory(name="Secret", owner=outsider)
    TraceFactory.create_batch(2, dataset=own, take=good)
    TraceFactory(dataset=hidden, take=good)

    with django_assert_num_queries(1):
        references = pages.references_by_take([good, spare], owner)

    assert dataset.is_shared
    assert references == {
        good.pk: References(trace_count, (ReadAgainst(own.public_id, "Made of tea", 2),)),
        spare.pk: References(0, ()),
    }


def test_proposed_types_count_events_in_words() -> None:
    trace = TraceFactory()
    for proposed_type in ("WE", "D", "WE", "C", ""):
        EventFactory(trace=trace, proposed_type=proposed_type)
    EventFactory(proposed_type="S")

    assert pages.proposed_types(trace.dataset) == (
        LabelCount("Wrong execution", 2, 2),
        LabelCount("Correction", 1, 2),
        LabelCount("Deletion", 1, 2),
        LabelCount("To decide", 1, 2),
    )


def test_summarise_dataset_counts_everything() -> None:
    dataset = import_tea(trace_count=2)
    Trace.objects.filter(uid="bad0").update(video=VideoFactory(dataset=dataset, stem="bad0"))

    summary = pages.summarise_dataset(dataset)

    assert (summary.take_count, summary.step_count) == (2, 6)
    assert (summary.trace_count, summary.trace_step_count) == (2, 10)
    assert (summary.mistake_count, summary.correction_count) == (4, 2)
    assert (summary.recording_count, summary.linked_count, summary.missing_count) == (4, 1, 3)
    assert pages.unlinked_stems(dataset) == ["bad1", "good", "spare"]


def test_label_counts_run_from_the_most_frequent() -> None:
    assert pages.label_counts({"b": 1, "a": 1, "c": 5}) == (
        LabelCount("c", 5, 5),
        LabelCount("a", 1, 5),
        LabelCount("b", 1, 5),
    )


def test_trace_table_puts_reference_and_trace_side_by_side() -> None:
    import_tea()

    rows = pages.trace_table(Trace.objects.get())

    seen = [(row.reference_number, row.trace_number, row.kind, row.relation) for row in rows]
    assert seen == [
        (1, 1, "", "same"),
        (None, 2, "mistake", "inserted"),
        (None, 4, "correction", "inserted"),
        (2, 3, "mistake", "deleted"),
        (3, 5, "cascade", "changed"),
    ]
    assert [row.event.event_id if row.event else None for row in rows] == [
        None,
        "e1",
        "c1",
        "e2",
        "e1",
    ]
