"""The annotators' workbook as raters fill it in: every rating, its rater, and every fault."""

import csv
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.ratings.workbook import RATING_COLUMNS, read_rating_workbook, stored_value
from annotation.engine.rubric.rubric import Metric, check_value
from tests.rating_books import HEADERS, ROWS, write_book, write_csv

FULL = ("Yes", 4, 2, "Yes", 3, 1, "Yes", "WE", 5)
# As raters fill it in: the video's own rating in its first row, those of events beside them.
RATED = {2: {"O": 4}, 4: dict(zip("FGHIJKLMN", FULL, strict=True)), 5: {"F": "No"}}


def answers(tables):
    return [
        (line, row.rater, row.trace, row.event, row.metric, row.value, row.confidence)
        for table in tables
        for line, row in table.rows
    ]


def expected_answers(rater):
    event = ("yes", "4", "2", "yes", "1", "yes", "WE", "5")
    metrics = [metric for metric, _ in RATING_COLUMNS if metric][:-1]
    return [
        (2, rater, "v-1", "", Metric.TEXT_VIDEO_GROUNDING, "4", None),
        *(
            (4, rater, "v-1", "1", metric, value, 3 if metric == "procedure_logic" else None)
            for metric, value in zip(metrics, event, strict=True)
        ),
        (5, rater, "v-1", "2", Metric.ERROR_VALIDITY, "no", None),
    ]


def problems_of(path: Path, **options) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_rating_workbook(path, **options)
    return [str(item) for item in caught.value.problems]


def test_every_rating_is_read_and_no_skip_rule_is_assumed(tmp_path):
    tables = read_rating_workbook(write_book(tmp_path / "anna.xlsx", RATED))

    assert answers(tables) == expected_answers("anna")
    [table] = tables
    assert (table.sheet, table.warnings) == ("Ratings", ())
    assert table.rows[1][1].words == ("Boil water", "Boil milk")
    assert {(row.dataset, row.implied, row.rated_at) for _, row in table.rows} == {
        ("Tea", False, None)
    }


def test_table_of_the_same_columns_is_read_alike(tmp_path):
    book = read_rating_workbook(write_book(tmp_path / "anna.xlsx", RATED))
    table = read_rating_workbook(write_csv(tmp_path / "anna.csv", RATED))

    assert answers(table) == answers(book)


def test_pandas_makes_floats_of_ids_and_ratings_and_they_are_read_as_whole(tmp_path):
    """As `DataFrame.to_csv` writes it: row numbers, floats where a column has an empty cell."""
    path = write_csv(tmp_path / "anna.csv", RATED)
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    for row in rows:
        row[2] = f"{row[2]}.0"
        row[5:] = [f"{cell}.0" if cell.isdigit() else cell for cell in row[5:]]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["", *header], *([number, *row] for number, row in enumerate(rows))]
        )

    assert answers(read_rating_workbook(path)) == expected_answers("anna")


def test_rater_is_told_or_named_by_the_file(tmp_path):
    path = write_book(tmp_path / "Copy of the template.xlsx", RATED)

    assert answers(read_rating_workbook(path, rater="ben")) == expected_answers("ben")
    assert problems_of(path) == [
        "Copy of the template.xlsx, sheet Ratings: rater is 'Copy of the template'; expected a "
        "user name of letters, digits and @ . + - _ (from the file's name, as no other rater was "
        "named)"
    ]


def test_column_names_the_raters_filled_down(tmp_path):
    rows = [row[:15] for row in ROWS[:5]] * 2
    named = {2: {"P": "anna", **RATED[2]}, 4: RATED[4], 5: RATED[5]}
    named |= {line + 5: cells for line, cells in named.items()}
    named[7] = named[7] | {"P": "ben"}
    path = write_book(tmp_path / "all.xlsx", named, rows=rows, headers=(*HEADERS, "Rater"))

    found = answers(read_rating_workbook(path))

    ben = [(line + 5, *rest) for line, *rest in expected_answers("ben")]
    assert found == [*expected_answers("anna"), *ben]
    assert problems_of(path, rater="anna") == [
        "all.xlsx, sheet Ratings, row 7: Rater is 'ben'; expected 'anna', the rater that was named"
    ]


def test_row_without_a_rater_above_it_is_refused(tmp_path):
    headers = (*HEADERS, "Annotator")
    path = write_book(tmp_path / "all.xlsx", {**RATED, 4: {"P": "ben"}}, headers=headers)

    assert problems_of(path) == [
        f"all.xlsx, sheet Ratings, row {line}: Annotator is ''; expected a user name"
        for line in (2, 3)
    ]


def test_sheets_of_one_workbook_are_by_the_raters_in_their_titles(tmp_path):
    path = write_book(tmp_path / "all.xlsx", RATED)
    book = openpyxl.load_workbook(path)
    book.active.title = "anna"
    book.copy_worksheet(book.active).title = "ben"
    book.create_sheet("Notes")
    book.save(path)

    tables = read_rating_workbook(path)

    assert answers(tables) == [*expected_answers("anna"), *expected_answers("ben")]
    assert [item.message for table in tables for item in table.warnings] == [
        "sheet 'Notes' left out: no ratings in it"
    ]


def test_every_fault_is_named_with_sheet_row_and_column(tmp_path):
    wrong = {
        2: {"F": "Yes", "O": 6},
        4: {"F": "maybe", "G": 4.5, "J": 2, "O": 3},
        5: {"I": "No", "J": 4, "M": "Z"},
        6: {"C": "third"},
    }
    path = write_book(tmp_path / "anna.xlsx", wrong)

    assert problems_of(path) == [
        f"anna.xlsx, sheet Ratings, row {line}: {rest}"
        for line, rest in (
            (6, "Step ID is 'third'; expected a whole number, as each step of video v-1 needs one"),
            (2, "Error Validity is 'Yes'; expected nothing: the first row of a video takes column "
                "O only"),
            (2, "Text–Video Grounding Consistency (episode-level) is '6'; expected one of 1, 2, 3, "
                "4, 5"),
            (4, "Procedure Logic (Annotator Confidence) is '2'; expected nothing, as Procedure "
                "Logic is empty"),
            (4, "Error Validity is 'maybe'; expected one of no, yes"),
            (4, "Text Plausibility is '4.5'; expected one of 1, 2, 3, 4, 5"),
            (4, "Text–Video Grounding Consistency (episode-level) is '3'; expected nothing: column "
                "O belongs into the first row of the video"),
            (5, "Procedure Logic (Annotator Confidence) is '4'; expected one of 1, 2, 3"),
            (5, "Taxonomy Fit (Error Type) is 'Z'; expected one of D, I, S, T, WE, C"),
        )
    ]  # fmt: skip


def test_ratings_of_a_row_without_a_step_are_refused(tmp_path):
    path = write_book(tmp_path / "anna.xlsx", {**RATED, 20: {"F": "Yes"}})

    [found] = problems_of(path)

    assert found.startswith("anna.xlsx, sheet Ratings, row 20: columns F to O is ('Yes', ''")
    assert found.endswith("expected no ratings, as the row names no step")


def test_columns_in_another_order_are_refused(tmp_path):
    headers = [*HEADERS]
    headers[5], headers[6] = headers[6], headers[5]
    path = write_book(tmp_path / "anna.xlsx", RATED, headers=headers)

    assert problems_of(path) == [
        f"anna.xlsx, sheet Ratings, row 1: column {column} is '{found}'; "
        f"expected {expected}, as in the template"
        for column, found, expected in (
            ("F", "Text Plausibility", "Error validity"),
            ("G", "Error Validity", "Text plausibility"),
        )
    ]


def test_what_is_left_out_or_incomplete_is_said(tmp_path):
    cells = {4: {"I": "No", "P": "hard to see"}}
    path = write_book(tmp_path / "anna.xlsx", cells, headers=(*HEADERS, "Comment"))

    [table] = read_rating_workbook(path)

    assert [item.message for item in table.warnings] == [
        "column 'Comment' left out",
        "1 answers to Procedure Logic have no confidence (column J)",
    ]


def test_made_up_ids_are_said(tmp_path):
    path = write_book(
        tmp_path / "anna.xlsx", RATED, rows=[(*row[:2], None, *row[3:]) for row in ROWS]
    )

    [table] = read_rating_workbook(path)

    assert answers([table]) == expected_answers("anna")
    assert [item.message for item in table.warnings] == [
        "Step ID is empty: counted from 0 instead"
    ] * 2


@pytest.mark.parametrize(
    ("metric", "text", "value"),
    [
        (Metric.ERROR_VALIDITY, "YES", "yes"),
        (Metric.ERROR_VALIDITY, "False", "no"),
        (Metric.PROCEDURE_LOGIC, "Broken", "yes"),
        (Metric.STATE_CHANGE_COHERENCE, "consistent", "no"),
        (Metric.TAXONOMY_FIT, "Wrong  Execution", "WE"),
        (Metric.CONFUSABILITY, "5.0", "5"),
        (Metric.CONFUSABILITY, "five", "five"),
    ],
)
def test_value_is_known_in_whatever_spelling(metric, text, value):
    assert stored_value(metric, text) == value


@settings(max_examples=60, deadline=None)
@given(
    cells=st.dictionaries(
        st.integers(2, 12),
        st.dictionaries(
            st.sampled_from("ABCDEFGHIJKLMNOP"),
            st.sampled_from(
                ["", 0, 1, 5, 2.0, 7.5, "Yes", "no", "NA", "WE", "v-2", "#REF!", "2.0", True, "x"]
            ),
            max_size=6,
        ),
        max_size=5,
    )
)
def test_whatever_is_typed_is_read_as_a_value_of_its_metric_or_refused(tmp_path_factory, cells):
    path = write_book(tmp_path_factory.mktemp("book") / "anna.xlsx", cells)
    try:
        tables = read_rating_workbook(path)
    except FormatError:
        return

    for _, row in tables[0].rows:
        check_value(row.metric, row.value, row.confidence)
        assert (row.event == "") is (row.metric is Metric.TEXT_VIDEO_GROUNDING)


@pytest.mark.shared_data
def test_published_template_has_its_ratings(shared_data):
    path = shared_data / "piev" / "PIE-V_Annotation_Template.xlsx"

    [table] = read_rating_workbook(path, rater="anna")

    assert [(line, row.event, row.metric.value, row.value, row.confidence)
            for line, row in table.rows if line == 5 or not row.event] == [
        (2, "", "text_video_grounding", "5", None),
        (5, "2", "error_validity", "yes", None),
        (5, "2", "human_plausibility", "5", None),
        (5, "2", "confusability", "1", None),
        (5, "2", "procedure_logic", "no", 3),
        (5, "2", "sequence_consistency", "5", None),
        (5, "2", "state_change_coherence", "no", None),
        (5, "2", "taxonomy_fit", "C", None),
        (5, "2", "video_plausibility", "5", None),
    ]  # fmt: skip
    assert len(table.rows) == 17
