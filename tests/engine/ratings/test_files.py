"""Several files of ratings at once, tables and workbooks, with what they do not tell."""

from datetime import UTC, datetime

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.ratings.files import named_raters, read_rating_files
from annotation.engine.ratings.table import TableDefaults
from tests.rating_books import write_book, write_csv

NOW = datetime(2026, 5, 1, tzinfo=UTC)
AT = datetime(2026, 4, 1, tzinfo=UTC)


def read(path, raters=None, defaults=None):
    return read_rating_files(
        [path], raters=raters or {}, defaults=defaults or TableDefaults(), now=NOW
    )


def test_folder_holds_workbooks_and_tables(tmp_path):
    write_book(tmp_path / "anna.xlsx", {4: {"F": "Yes"}})
    write_csv(tmp_path / "second.csv", {4: {"F": "No"}})
    (tmp_path / "zoe.csv").write_text(
        "dataset,trace,event,rater,metric,value,guideline_version\n"
        "Milk,v-1,1,zoe,error_validity,yes,2\n"
    )
    defaults = TableDefaults("Green tea", "1", AT)

    tables = read(tmp_path, {"second.csv": "ben"}, defaults)

    assert [
        (table.file, table.sheet, row.dataset, row.rater, row.value, row.guideline_version)
        for table in tables
        for _, row in table.rows
    ] == [
        ("anna.xlsx", "Ratings", "Green tea", "anna", "yes", "1"),
        ("second.csv", "", "Green tea", "ben", "no", "1"),
        ("zoe.csv", "", "Milk", "zoe", "yes", "2"),
    ]
    assert {row.rated_at for table in tables for _, row in table.rows} == {AT}


def test_problems_of_all_files_come_at_once(tmp_path):
    write_book(tmp_path / "anna.xlsx", {4: {"F": "maybe"}})
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "zoe.csv").write_text("trace,event,rater,metric,value\nv-1,1,zoe,confusability,9\n")

    with pytest.raises(FormatError) as caught:
        read(tmp_path, {"none.xlsx": "ben"})

    assert [str(item) for item in caught.value.problems] == [
        "none.xlsx: a rater is named for it; expected one of anna.xlsx, notes.txt, zoe.csv",
        "anna.xlsx, sheet Ratings, row 4: Error Validity is 'maybe'; expected one of no, yes",
        "notes.txt is neither a table (.csv) nor a workbook (.xlsx).",
        "zoe.csv, row 2: value is '9'; expected one of 1, 2, 3, 4, 5",
    ]


def test_one_rater_in_two_workbooks_is_refused(tmp_path):
    for name in ("first.xlsx", "second.xlsx"):
        write_book(tmp_path / name, {4: {"F": "Yes"}})

    with pytest.raises(FormatError) as caught:
        read(tmp_path, {"": "anna"})

    assert str(caught.value) == (
        "second.xlsx, sheet Ratings, row 4: a second rating of anna, v-1, 1, error_validity; "
        "expected only that of sheet Ratings, row 4 of first.xlsx"
    )


@pytest.mark.parametrize(
    ("words", "raters"),
    [
        ("", {}),
        ("anna", {"": "anna"}),
        ("a=b.xlsx = anna \r\n\nc.xlsx=ben", {"a=b.xlsx": "anna", "c.xlsx": "ben"}),
    ],
)
def test_raters_are_named_for_all_files_or_each(words, raters):
    assert named_raters(words) == raters
