"""Workbooks that raters filled in by hand: what comes in is what they typed, and nothing else."""

import io
import json
from datetime import UTC, datetime

import krippendorff
import numpy as np
import pytest
from django.core.management import CommandError, call_command

from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.rubric.rubric import Level, Metric, current_rubric
from annotation.models import (
    Assignment,
    Campaign,
    Dataset,
    Event,
    Rating,
    RatingEvent,
    Trace,
    TraceStep,
    User,
)
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from tests.factories import UserFactory
from tests.rating_books import EVENT_LINES, ROWS, VIDEO_LINES, write_book, write_csv

RATERS = ("anna", "ben", "chen", "dora", "emil")
COLUMNS = {
    "F": Metric.ERROR_VALIDITY,
    "G": Metric.HUMAN_PLAUSIBILITY,
    "H": Metric.CONFUSABILITY,
    "I": Metric.PROCEDURE_LOGIC,
    "K": Metric.SEQUENCE_CONSISTENCY,
    "L": Metric.STATE_CHANGE_COHERENCE,
    "M": Metric.TAXONOMY_FIT,
    "N": Metric.VIDEO_PLAUSIBILITY,
    "O": Metric.TEXT_VIDEO_GROUNDING,
}
TYPED = {"yes": "Yes", "no": "No"}


def import_corpus(path, name="Tea from the workbook"):
    reading = read_files(available_formats()["template"], path)
    import_reading(reading, target=ImportTarget(name, "template", is_shared=True))


def run(*arguments):
    output = io.StringIO()
    call_command("import_ratings", *map(str, arguments), stdout=output, stderr=output)
    return output.getvalue()


def stored():
    return sorted(
        Rating.objects.values_list(
            "assignment__rater__username", "assignment__trace__uid", "event__event_id", "metric",
            "value", "confidence",
        ),
        key=lambda row: [str(item) for item in row],
    )  # fmt: skip


@pytest.fixture
def corpus(db, tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    import_corpus(write_book(folder / "tea.xlsx", {}))
    return Dataset.objects.get()


def filled_in(rng):
    """What one rater types: by line and column, with a cell left empty here and there."""
    cells = {line: {"O": int(rng.integers(1, 6))} for line in VIDEO_LINES.values()}
    for line in EVENT_LINES.values():
        cells[line] = {"J": int(rng.integers(1, 4))}
        for column, metric in COLUMNS.items():
            if column == "O" or (column != "I" and rng.random() < 0.15):
                continue
            value = rng.choice(current_rubric().definition(metric).values)
            cells[line][column] = int(value) if value.isdigit() else TYPED.get(value, str(value))
    return cells


def alpha_by_the_package(books, metric, column):
    """Krippendorff's alpha of what was typed, by the package, from the cells of the workbooks."""
    definition = current_rubric().definition(metric)
    lines = VIDEO_LINES.values() if column == "O" else EVENT_LINES.values()
    codes = {
        int(value) if value.isdigit() else TYPED.get(value, value): number
        for number, value in enumerate(definition.values)
    }
    table = [
        [codes.get(books[rater].get(line, {}).get(column), np.nan) for line in lines]
        for rater in RATERS
    ]
    return krippendorff.alpha(
        reliability_data=np.array(table, dtype=float),
        value_domain=sorted(codes.values()),
        level_of_measurement="ordinal" if definition.level is Level.ORDINAL else "nominal",
    )


def test_five_raters_workbooks_come_in_and_agree_as_the_package_says(corpus, tmp_path):
    rng = np.random.default_rng(11)
    books = {rater: filled_in(rng) for rater in RATERS}
    paths = [write_book(tmp_path / f"{rater}.xlsx", cells) for rater, cells in books.items()]

    said = run(*paths, "--campaign", "By hand")

    typed = sum(
        len([column for column in cells if column != "J"])
        for book in books.values()
        for cells in book.values()
    )
    assert f"ratings: {typed} new, 0 changed, 0 unchanged" in said
    assert len(stored()) == typed
    assert set(Rating.objects.values_list("is_implied", "rated_at")) == {(False, None)}
    output = io.StringIO()
    call_command(
        "agreement", "--dataset", corpus.name, "--campaign", "By hand", "--json", stdout=output
    )
    found = {row["metric"]: row["alpha"] for row in json.loads(output.getvalue())}
    expected = {
        metric.value: alpha_by_the_package(books, metric, column)
        for column, metric in COLUMNS.items()
    }
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_same_workbooks_again_change_nothing_and_say_so(corpus, tmp_path):
    rng = np.random.default_rng(3)
    paths = [write_book(tmp_path / f"{rater}.xlsx", filled_in(rng)) for rater in RATERS[:2]]
    run(*paths)
    before = (stored(), RatingEvent.objects.count(), Campaign.objects.count())

    said = run(*paths)

    assert "Nothing changed: all of this is already there." in said
    assert (stored(), RatingEvent.objects.count(), Campaign.objects.count()) == before


def test_what_is_not_told_is_recorded_as_unknown_and_can_be_told(corpus, tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}})

    said = run(path)
    told = run(path, "--guideline", "pilot 2", "--rated-at", "2026-01-31T09:30:00Z")

    assert "no file says the guideline version of 1 rating: recorded as unknown" in said
    assert "no file says the time of 1 rating: recorded as unknown" in said
    assert "unknown" not in told
    assert set(Rating.objects.values_list("guideline__name", "rated_at")) == {
        (None, None),
        ("pilot 2", datetime(2026, 1, 31, 9, 30, tzinfo=UTC)),
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rated-at", "yesterday"], "rated_at is 'yesterday'; expected a time with its zone"),
        (["--rated-at", "2999-01-01T00:00:00Z"], "expected a time that is not in the future"),
        (["--guideline", "x" * 33], "expected at most 32 characters"),
        (["--dataset", "Milk"], "dataset is 'Milk'; expected a data set that was imported before"),
        (["--rater", "a b"], "rater is 'a b'; expected a user name"),
    ],
)
def test_wrong_options_are_refused_and_write_nothing(corpus, tmp_path, options, message):
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}})

    with pytest.raises(CommandError) as caught:
        run(path, *options)

    assert message in str(caught.value)
    assert not Rating.objects.exists()
    assert not Campaign.objects.exists()


def test_dry_run_says_the_same_and_writes_nothing(corpus, tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {2: {"O": 4}, 4: {"F": "Yes"}})

    output = json.loads(run(path, "--dry-run", "--json"))

    assert (output["created"], output["files"], output["new_raters"], output["submitted"]) == (
        2,
        [{"file": "anna.xlsx", "sheet": "Ratings", "raters": ["anna"], "traces": 1, "ratings": 2}],
        ["anna"],
        None,
    )
    assert output["metrics"] == {"error_validity": 1, "text_video_grounding": 1}
    tables = (Rating, RatingEvent, Campaign, Assignment, User)
    assert [model.objects.count() for model in tables] == [0] * 5


def test_table_of_floats_lands_on_the_same_events(corpus, tmp_path):
    """Step ids 1.0 and 2.0 were dropped, events counted from 0, and ratings landed on others."""
    cells = {4: {"F": "Yes", "G": 4}, 5: {"F": "No"}, 8: {"H": 2}}
    run(write_book(tmp_path / "anna.xlsx", cells))
    wanted = stored()
    path = write_csv(tmp_path / "anna.csv", cells)
    lines = path.read_text().replace("v-1,0,", "v-1,0.0,").replace("v-1,1,", "v-1,1.0,")
    path.write_text(lines.replace("v-1,2,", "v-1,2.0,").replace(",4,,", ",4.0,,"))

    assert "Nothing changed" in run(path)
    assert stored() == wanted


def test_workbook_whose_words_are_those_of_another_event_is_refused(corpus, tmp_path):
    """Ids that shifted by one name events, but not those that the rater saw."""
    rows = [(*row[:2], row[2] + 1 if row[2] else row[2], *row[3:]) for row in ROWS]
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}, 8: {"F": "Yes"}}, rows=rows)

    with pytest.raises(CommandError) as caught:
        run(path)

    assert (
        "anna.xlsx, sheet Ratings, row 4: Procedure with mistake is 'Boil water / Boil milk'; "
        "expected 'Rinse it', as event 2 of trace 'v-1' says"
    ) in str(caught.value)
    assert not Rating.objects.exists()


def test_step_is_found_where_the_data_set_calls_its_event_otherwise(corpus, tmp_path):
    """Formats of data sets number events on their own; a workbook only knows the step."""
    for event in Event.objects.all():
        Event.objects.filter(pk=event.pk).update(event_id=f"e{event.event_id}")
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}, 5: {"F": "No"}})

    run(path)

    assert [(row[2], row[4]) for row in stored()] == [("e1", "yes"), ("e2", "no")]


def test_row_that_is_no_event_is_refused(corpus, tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {3: {"F": "Yes"}})

    with pytest.raises(CommandError, match=r"row 3: event is '0'; expected an event of trace 'v-1"):
        run(path)


def test_data_set_is_the_only_one_with_these_traces_or_has_to_be_named(corpus, tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}})

    assert f"read as ratings of {corpus.name}, the only data set" in run(path)
    other = Dataset.objects.create(name="Tea again", format="template", is_shared=True)
    Trace.objects.create(dataset=other, take=corpus.takes.first(), uid="v-1", name="v-1")
    with pytest.raises(CommandError) as caught:
        run(path)
    assert (
        f"dataset is 'Tea'; expected one of Tea again, {corpus.name}: name it, as all of them"
    ) in str(caught.value)
    assert "Nothing changed" in run(path, "--dataset", corpus.name)


def test_workbook_without_its_data_set_is_refused_with_what_to_do(db, tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}})

    with pytest.raises(CommandError, match="a workbook is one itself: import it as a data set"):
        run(path)
    assert not Dataset.objects.exists()


def test_long_table_of_five_columns_comes_in(corpus, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(
        "trace,event,rater,metric,value\nv-1,1.0,anna,confusability,4\nv-2,0,anna,confusability,2\n"
        "v-2,NA,anna,text_video_grounding,3\n"
    )

    run(path)

    assert stored() == [
        ("anna", "v-1", "1", "confusability", "4", None),
        ("anna", "v-2", "0", "confusability", "2", None),
        ("anna", "v-2", None, "text_video_grounding", "3", None),
    ]
    assert "Nothing changed" in run(path)


def test_complete_answers_without_a_time_are_submitted(corpus, tmp_path):
    """No video is linked, so the metrics of the video are not due."""
    full = {"F": "Yes", "G": 1, "H": 2, "I": "No", "J": 3, "K": 4, "L": "No", "M": "S"}

    run(write_book(tmp_path / "anna.xlsx", {8: full}))

    assignment = Assignment.objects.get()
    assert (assignment.trace.uid, assignment.status) == ("v-2", "submitted")
    assert assignment.submitted_at is not None
    assert assignment.started_at is not None


def test_rater_who_has_an_account_keeps_it(corpus, tmp_path):
    anna = UserFactory(username="anna")

    said = run(write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}}))

    assert "new annotators" not in said
    assert Assignment.objects.get().rater == anna


@pytest.mark.shared_data
def test_published_template_comes_in_by_five_raters(db, shared_data, tmp_path):
    path = shared_data / "piev" / "PIE-V_Annotation_Template.xlsx"
    import_corpus(path, "Template")

    for rater in RATERS:
        run(path, "--rater", rater)

    rows = stored()
    assert len(rows) == 17 * len(RATERS)
    assert {row[2] for row in rows} == {"1", "2", None}
    assert ("anna", "Generated video_1  name + link", "2", "procedure_logic", "no", 3) in rows
    words = dict(
        TraceStep.objects.filter(event__isnull=False).values_list(
            "event__event_id", "reference_step__text"
        )
    )
    assert (words["1"], words["2"]) == ("Step_2 description", "Step_3 description")
