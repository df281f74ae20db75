import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Reading, Trace
from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import Mod
from annotation.models import (
    AuditEntry,
    Dataset,
    Event,
    RatingEvent,
    Step,
    Take,
    TaskGraph,
    TraceStep,
    User,
    Video,
)
from annotation.models import Trace as TraceRow
from annotation.selectors.corpus import corpus
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import ImportOutcome, ImportTarget, import_reading
from annotation.services.ratings.saving import save_changes
from tests.annotation.readings import STEP_TEXTS, make_reading, make_take, make_trace
from tests.factories import AssignmentFactory, TraceFactory, VideoFactory

pytestmark = pytest.mark.django_db

RATING = RatingChange(
    sequence=1,
    key=RatingKey(0, Metric.ERROR_VALIDITY),
    answer=Answer("yes"),
    base_revision=0,
    rated_at=datetime(2026, 1, 1, tzinfo=UTC),
)
TABLES = (Dataset, Take, Step, TraceRow, TraceStep, Event, TaskGraph, AuditEntry)


def table_sizes() -> list[int]:
    return [table.objects.count() for table in TABLES]


def import_tea(reading: Reading, **options: object) -> ImportOutcome:
    return import_reading(reading, target=ImportTarget("Tea", "egooops"), **options)


def rate(trace: TraceRow, rater: User) -> None:
    assignment = AssignmentFactory(trace=trace, rater=rater)
    RatingEvent.objects.create(
        assignment=assignment,
        event=trace.events.first(),
        metric="error_validity",
        value="yes",
        revision=1,
        client_id="tab",
        client_sequence=1,
        rated_at="2026-01-01T00:00:00Z",
    )


def read_back(uid: str) -> Trace:
    return corpus.trace_of(TraceRow.objects.get(uid=uid))


def test_import_reading_writes_what_was_read(owner: User) -> None:
    target = ImportTarget("Tea", "egooops", owner=owner)

    outcome = import_reading(make_reading(), target=target, actor=owner)

    dataset = Dataset.objects.get()
    assert corpus.procedure_of(Take.objects.get()) == make_take()
    assert read_back("bad") == make_trace()
    assert (dataset.owner, dataset.is_shared) == (owner, False)
    assert dataset.native_labels == {"Other": 1}
    assert TaskGraph.objects.get().edges == [["1", "2"]]
    assert outcome.to_dict() == {
        "takes": 1,
        "steps": 3,
        "traces": 1,
        "trace_steps": 5,
        "events": 3,
        "native_labels": {"Other": 1},
        "derived": {"missing": 1},
        "created": 2,
        "updated": 0,
        "unchanged": 0,
        "warnings": [{"where": "recording bad", "message": "was cut at the end"}],
    }


def test_import_reading_records_who_imported_what(owner: User) -> None:
    target = ImportTarget("Tea", "egooops", owner=owner)

    import_reading(make_reading(), target=target, actor=owner)

    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action) == (owner, "dataset.import")
    assert entry.detail == {"name": "Tea", "format": "egooops", "takes": 1, "traces": 1}


def test_import_reading_of_the_same_file_changes_nothing() -> None:
    import_tea(make_reading())
    before = table_sizes()
    row_ids = set(TraceStep.objects.values_list("pk", flat=True))

    outcome = import_tea(make_reading())

    assert (outcome.created, outcome.updated, outcome.unchanged) == (0, 0, 2)
    assert table_sizes() == before
    assert set(TraceStep.objects.values_list("pk", flat=True)) == row_ids


def test_import_reading_dry_run_says_the_same_and_writes_nothing() -> None:
    dry = import_tea(make_reading(), is_dry_run=True)
    sizes_after_dry_run = table_sizes()
    real = import_tea(make_reading())

    assert sizes_after_dry_run == [0] * len(TABLES)
    assert dry.to_dict() == real.to_dict()
    assert (dry.takes, dry.traces) == (real.takes, real.traces)


def test_import_reading_updates_only_the_trace_that_changed() -> None:
    two = make_reading(traces=(make_trace("bad"), make_trace("worse")))
    import_tea(two)
    renamed = replace(make_trace("worse"), name="much worse")

    outcome = import_tea(replace(two, traces=(make_trace("bad"), renamed)))

    assert outcome.traces.updated == ("worse",)
    assert outcome.unchanged == 2
    assert read_back("worse") == renamed


@pytest.mark.parametrize(
    "texts",
    [
        ("Boil water", "Put a tea bag into the mug", "Pour the water into the cup"),
        (*STEP_TEXTS, "Drink"),
    ],
)
def test_import_reading_updates_a_take_and_the_traces_read_against_it(
    texts: tuple[str, ...],
) -> None:
    import_tea(make_reading())
    changed = make_reading(takes=(make_take(texts=texts),))

    outcome = import_tea(changed)

    assert (outcome.takes.updated, outcome.traces.updated) == (("good",), ("bad",))
    assert corpus.procedure_of(Take.objects.get()) == make_take(texts=texts)
    assert read_back("bad") == make_trace()


def test_import_reading_shortens_a_take() -> None:
    long_take = make_take(texts=(*STEP_TEXTS, "Drink"))
    import_tea(make_reading(takes=(long_take,)))

    import_tea(make_reading())

    assert corpus.procedure_of(Take.objects.get()) == make_take()


def test_import_reading_refuses_to_change_a_rated_trace(annotator: User) -> None:
    import_tea(make_reading(traces=(make_trace("bad"), make_trace("worse"))))
    rate(TraceRow.objects.get(uid="bad"), annotator)
    before = table_sizes()
    changed = tuple(replace(make_trace(uid), name="new") for uid in ("bad", "worse"))

    with pytest.raises(ImportRefusedError) as caught:
        import_tea(make_reading(traces=changed))

    assert [item.place for item in caught.value.problems] == ["trace bad"]
    assert "has 1 rating," in str(caught.value)
    assert table_sizes() == before
    assert read_back("worse") == make_trace("worse")


@pytest.mark.django_db(transaction=True)
def test_import_reading_waits_for_a_rating_that_is_being_saved() -> None:
    """Otherwise it would not see the rating, and take away what the rater has just rated."""
    import_tea(make_reading())
    assignment = AssignmentFactory(trace=TraceRow.objects.get())
    outcomes: list[str] = []

    def import_changed_file() -> None:
        try:
            import_tea(make_reading(traces=(replace(make_trace(), name="new"),)))
            outcomes.append("imported")
        except ImportRefusedError as error:
            outcomes.append(str(error))
        finally:
            connection.close()

    importer = threading.Thread(target=import_changed_file)
    with transaction.atomic():
        save_changes(
            public_id=assignment.public_id,
            client_id="tab",
            changes=[RATING],
            actor=assignment.rater,
        )
        importer.start()
        importer.join(timeout=1)
    importer.join()

    assert ["has 1 rating," in outcome for outcome in outcomes] == [True]
    assert read_back("bad") == make_trace()


def test_import_reading_refuses_to_change_the_reference_of_a_rated_trace(annotator: User) -> None:
    import_tea(make_reading())
    rate(TraceRow.objects.get(), annotator)

    with pytest.raises(ImportRefusedError, match="trace bad"):
        import_tea(make_reading(takes=(make_take(texts=("a", "b", "c")),)))

    assert corpus.procedure_of(Take.objects.get()) == make_take()


def test_import_reading_adds_beside_rated_traces(annotator: User) -> None:
    import_tea(make_reading())
    rate(TraceRow.objects.get(), annotator)

    outcome = import_tea(make_reading(traces=(make_trace("bad"), make_trace("new"))))

    assert (outcome.traces.created, outcome.traces.unchanged) == (("new",), ("bad",))


def test_import_reading_refuses_to_change_a_take_that_other_traces_use() -> None:
    import_tea(make_reading())
    TraceFactory(uid="generated", take=Take.objects.get())

    with pytest.raises(ImportRefusedError, match="trace generated: has take good as its reference"):
        import_tea(make_reading(takes=(make_take(texts=("a", "b", "c")),)))


def test_import_reading_keeps_what_the_file_does_not_mention() -> None:
    import_tea(make_reading())

    outcome = import_tea(Reading(takes=(make_take("other"),)))

    assert (outcome.created, outcome.kept_count) == (1, 2)
    assert Take.objects.count() == 2


def test_import_reading_keeps_the_video_of_an_updated_take_with_the_same_stem() -> None:
    import_tea(make_reading())
    take = Take.objects.get()
    take.video = VideoFactory(dataset=take.dataset, stem="good")
    take.save()

    import_tea(make_reading(takes=(replace(make_take(), name="renamed"),)))

    assert Take.objects.get().video == Video.objects.get()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (ImportTarget("Tea", "assembly101"), "format is 'assembly101'; expected egooops"),
        (ImportTarget("", "egooops"), "blank"),
    ],
)
def test_import_reading_refuses_an_unfit_target(target: ImportTarget, message: str) -> None:
    import_tea(make_reading())

    with pytest.raises(Exception, match=message):
        import_reading(make_reading(), target=target)

    assert Dataset.objects.count() == 1


def test_import_reading_into_the_dataset_of_somebody_else_is_refused(
    owner: User, outsider: User
) -> None:
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops", owner=owner))

    with pytest.raises(ImportRefusedError, match="a name that no other data set has"):
        import_reading(
            make_reading(traces=()), target=ImportTarget("Tea", "egooops"), actor=outsider
        )


def test_import_reading_checks_the_rules_of_the_tables_first() -> None:
    trace = make_trace()
    broken = replace(trace, steps=(replace(trace.steps[0], mod=Mod.ERROR), *trace.steps[1:]))

    with pytest.raises(FormatError, match="trace bad row 0: event_id is None"):
        import_tea(make_reading(traces=(broken,)))

    assert table_sizes() == [0] * len(TABLES)
