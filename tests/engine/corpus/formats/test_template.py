import csv
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import PatternFill
from openpyxl.worksheet.datavalidation import DataValidation

from annotation.engine.corpus.formats import template, template_sheets
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, Step, Take, Trace, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_storable
from tests.rating_books import HEADERS

ROWS = (
    ("Tea", "v-1", 0, "clean https://host/clean.mp4", "spoiled https://host/spoiled.mp4"),
    ("Tea", "v-1", 0, "Get a cup", "Get a cup"),
    ("Tea", "v-1", 1, "Boil water", "Boil milk", "Yes", 4),
    ("Tea", "v-1", 2, "Rinse it", "", "Yes"),
    ("Tea", "v-1", 3, None, "Wipe the table", "No"),
    ("Tea", "v-1", 4, "Pour it", "Pour milk"),
    ("Tea", "v-2", 0, "clean", "spoiled 2"),
    ("Tea", "v-2", 0, "Stir", "Deleted stir"),
)


def _write_csv(folder: Path, rows=ROWS, *, headers=HEADERS, name="ratings.csv") -> Path:
    path = folder / name
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([headers, *rows])
    return path


def _write_workbook(folder: Path, rows=ROWS, *, rated=(), deleted=(), episodes=()) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (HEADERS, *rows):
        sheet.append(row)
    for cells, choices in ((rated, '"No,Yes"'), (episodes, '"1,2,3,4,5"')):
        menu = DataValidation(type="list", formula1=choices)
        for cell in cells:
            menu.add(cell)
        sheet.add_data_validation(menu)
    for cell in deleted:
        sheet[cell].fill = PatternFill("solid", fgColor="FFFF0000")
    path = folder / "ratings.xlsx"
    book.save(path)
    return path


def _without_ratings(rows=ROWS):
    return [row[:5] for row in rows]


@pytest.mark.shared_data
def test_published_template_is_read(shared_data):
    reading = template.read(shared_data / "piev" / "PIE-V_Annotation_Template.xlsx")

    mods = [[step.mod for step in trace.steps] for trace in reading.traces]
    assert mods == [[Mod.UNCHANGED, Mod.ERROR, Mod.DELETION, Mod.ERROR], [Mod.UNCHANGED]]
    assert [trace.uid for trace in reading.traces] == [
        "Generated video_1  name + link",
        "Generated video_3  name + link",
    ]
    assert [event.event_id for event in reading.traces[0].events] == ["1", "2", "3"]
    assert {take.scenario for take in reading.takes} == {"EgoPER-Coffee"}
    assert [item.message for item in reading.warnings] == [
        "19 ratings in columns F to O: import as ratings",
        "column B holds no ids: videos are called by their names",
        "Step ID counts on from the video before: counted from 0 instead",
    ]


def test_read_table_makes_takes_traces_and_events(tmp_path):
    reading = template.read(_write_csv(tmp_path))

    assert reading.takes == (
        Take(
            uid="v-1:reference",
            name="clean",
            scenario="Tea",
            steps=(
                Step("Get a cup", "0"),
                Step("Boil water", "1"),
                Step("Rinse it", "2"),
                Step("Pour it", "4"),
            ),
            video_stem="clean",
        ),
        Take("v-2:reference", "clean", "Tea", (Step("Stir", "0"),), "clean"),
    )
    assert reading.traces[0] == Trace(
        uid="v-1",
        name="spoiled",
        take_uid="v-1:reference",
        steps=(
            TraceStep(Mod.UNCHANGED, "Get a cup", 0, None, "0"),
            TraceStep(Mod.ERROR, "Boil milk", 1, "1", "1"),
            TraceStep(Mod.DELETION, "", 2, "2", "2"),
            TraceStep(Mod.INSERTION, "Wipe the table", None, "3", "3"),
            TraceStep(Mod.CASCADE, "Pour milk", 3, None, "4"),
        ),
        events=(
            Event("1", EventKind.MISTAKE, None),
            Event("2", EventKind.MISTAKE, TaxonomyLabel.DELETION),
            Event("3", EventKind.MISTAKE, None),
        ),
        video_stem="spoiled",
        reference_reason="The workbook sets this procedure beside the one with mistakes.",
        provenance={"file": "ratings"},
    )
    assert reading.traces[1].steps == (TraceStep(Mod.DELETION, "", 0, "0", "0"),)
    assert reading.derived == {"rows_to_rate": 4}
    assert [(item.where, item.message) for item in reading.warnings] == [
        ("ratings.csv", "4 ratings in columns F to O: import as ratings"),
        ("ratings.csv line 7", "differs but is not marked to be rated: read as a cascade edit"),
        (
            "ratings.csv",
            "rows without a correct step may be corrections: the workbook does not say",
        ),
    ]
    assert_storable(reading)


def test_read_workbook_gives_the_same_as_the_table(tmp_path):
    table, workbook = template.read(_write_csv(tmp_path)), template.read(_write_workbook(tmp_path))

    assert workbook.takes == table.takes
    assert workbook.traces == table.traces


def test_drop_downs_mark_the_rows_to_rate(tmp_path):
    path = _write_workbook(tmp_path, _without_ratings(), rated=("F4:F6",))

    trace = template.read(path).traces[0]

    assert [event.event_id for event in trace.events] == ["1", "2", "3"]


def test_changed_rows_are_events_where_nothing_is_marked(tmp_path):
    trace = template.read(_write_csv(tmp_path, _without_ratings())).traces[0]

    assert [step.mod for step in trace.steps] == [
        Mod.UNCHANGED,
        Mod.ERROR,
        Mod.DELETION,
        Mod.INSERTION,
        Mod.ERROR,
    ]


def test_step_shown_in_red_is_deleted(tmp_path):
    rows = [*ROWS[:3], ("Tea", "v-1", 2, "Rinse it", "Rinse it", "Yes")]

    trace = template.read(_write_workbook(tmp_path, rows, deleted=("E5",))).traces[0]

    assert trace.steps[2] == TraceStep(Mod.DELETION, "", 2, "2", "2")


def test_video_ids_may_be_missing_where_episodes_have_a_drop_down(tmp_path):
    rows = [(row[0], "#NAME?", *row[2:5]) for row in ROWS]

    reading = template.read(_write_workbook(tmp_path, rows, episodes=("O2", "O8")))

    assert [(trace.uid, len(trace.steps)) for trace in reading.traces] == [
        ("spoiled", 5),
        ("spoiled 2", 1),
    ]


@pytest.mark.parametrize(
    ("numbers", "found", "done"),
    [
        ((0, 5, 6, 7, 8, 9), ["5", "6", "7", "8", "9"], "kept"),
        ((0, 1, 1, 2, 3, 4), ["0", "1", "2", "3", "4"], "counted from 0 instead"),
    ],
)
def test_step_ids_that_do_not_count_from_zero(tmp_path, numbers, found, done):
    rows = [(*row[:2], number, *row[3:]) for row, number in zip(ROWS, numbers, strict=False)]

    reading = template.read(_write_csv(tmp_path, rows))

    assert [step.step_id for step in reading.traces[0].steps] == found
    assert reading.warnings[1].message == f"Step ID does not count 0, 1, 2...: {done}"


@pytest.mark.parametrize("spelling", ["{}.0", "{}.", "{}e0", " {} ", "+{}"])
def test_step_ids_are_whole_numbers_in_any_spelling(tmp_path, spelling):
    """A program that took the column for floats wrote them so, and they were counted anew."""
    rows = [
        (*row[:2], spelling.format(number), *row[3:])
        for row, number in zip(ROWS, (0, 2, 7, 8, 11, 12, 0, 5), strict=True)
    ]

    reading = template.read(_write_csv(tmp_path, rows))

    assert [step.step_id for step in reading.traces[0].steps] == ["2", "7", "8", "11", "12"]
    assert [event.event_id for event in reading.traces[0].events] == ["7", "8", "11"]
    assert [step.step_id for step in reading.traces[1].steps] == ["5"]


@pytest.mark.parametrize("wrong", ["third", "2.5", "-1", "step 2", ""])
def test_step_id_that_is_none_is_refused_by_its_row(tmp_path, wrong):
    rows = [*ROWS[:3], (*ROWS[3][:2], wrong, *ROWS[3][3:]), *ROWS[4:]]

    with pytest.raises(FormatError) as caught:
        template.read(_write_csv(tmp_path, rows))

    assert str(caught.value) == (
        f"ratings.csv, line 5: Step ID is {wrong!r}; "
        "expected a whole number, as each step of video v-1 needs one"
    )


def test_step_ids_that_are_made_up_are_said(tmp_path):
    rows = [(*row[:2], "", *row[3:]) for row in ROWS]

    reading = template.read(_write_csv(tmp_path, rows))

    assert [event.event_id for event in reading.traces[0].events] == ["1", "2", "3"]
    assert [(item.where, item.message) for item in reading.warnings[1:3]] == [
        ("ratings.csv video v-1", "Step ID is empty: counted from 0 instead"),
        ("ratings.csv line 7", "differs but is not marked to be rated: read as a cascade edit"),
    ]


def test_column_of_row_numbers_is_passed_over(tmp_path):
    rows = [(number, *row) for number, row in enumerate(ROWS)]

    reading = template.read(_write_csv(tmp_path, rows, headers=("", *HEADERS)))

    assert reading.traces == template.read(_write_csv(tmp_path)).traces


def test_folder_of_workbooks_is_read_together(tmp_path):
    _write_csv(tmp_path, ROWS[:6], name="a.csv")
    _write_csv(tmp_path, ROWS[6:], name="b.csv")

    assert [trace.uid for trace in template.read(tmp_path).traces] == ["v-1", "v-2"]


@pytest.mark.parametrize(
    ("rows", "headers", "shown"),
    [
        (ROWS, ("Dataset", "Step ID"), "ratings.csv, row 1: ['Dataset', 'Step ID']; expected the"),
        ((), HEADERS, "ratings.csv: 'no videos'; expected a row that names two videos"),
        (ROWS[:1], HEADERS, "line 2: Correct Procedure is 'no steps'; expected at least one step"),
        ((("Tea", "", 0, "a", "b"), ROWS[0]), HEADERS, "line 2: Video with mistake ID is ''"),
        ((*ROWS, *ROWS[:2]), HEADERS, "line 10: Video with mistake ID is 'v-1'; expected each"),
    ],
)
def test_wrong_table_is_refused_with_its_place(tmp_path, rows, headers, shown):
    with pytest.raises(FormatError) as caught:
        template.read(_write_csv(tmp_path, rows, headers=headers))

    assert shown in str(caught.value)


def test_workbook_that_is_none_is_refused(tmp_path):
    path = tmp_path / "ratings.xlsx"
    path.write_bytes(b"PK\x03\x04 not a workbook")

    with pytest.raises(FormatError, match=r"ratings.xlsx: .* expected a workbook .xlsx"):
        template.read(path)


def test_archive_of_a_later_version_is_refused(tmp_path):
    path = _write_workbook(tmp_path)
    content = bytearray(path.read_bytes())
    directory = content.index(b"PK\x01\x02")
    content[directory + 6] = 64  # the version that is needed to extract the first member: 6.4
    path.write_bytes(content)

    with pytest.raises(FormatError, match=r"zip file version 6.4.* expected a workbook .xlsx"):
        template.read(path)


def test_archive_without_a_workbook_is_refused(tmp_path):
    path = tmp_path / "ratings.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")

    with pytest.raises(FormatError, match=r"expected a workbook .xlsx that opens"):
        template.read(path)


def test_workbook_that_unpacks_beyond_the_limit_is_refused(tmp_path, monkeypatch):
    path = _write_workbook(tmp_path)
    monkeypatch.setattr(template_sheets, "MAX_UNPACKED_BYTES", 1000)

    with pytest.raises(FormatError, match=r"expected at most 1000 bytes when unpacked"):
        template.read(path)


@pytest.mark.parametrize(
    "ranges", [["A1:XFD1048576"], ["A1:A100001"], ["A1:A60000", "B1:B60000"], ["A:XFD"]]
)
def test_workbook_with_endless_merged_cells_is_refused(tmp_path, ranges):
    """openpyxl makes an object of every cell of them: a file of 8 KB filled the memory."""
    merged = "".join(f'<mergeCell ref="{cells}"/>' for cells in ranges)
    path = _write_workbook(tmp_path)
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    sheet = contents["xl/worksheets/sheet1.xml"]
    end = b"</sheetData>"
    contents["xl/worksheets/sheet1.xml"] = sheet.replace(
        end, end + f"<mergeCells>{merged}</mergeCells>".encode()
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(name, content)

    with pytest.raises(FormatError, match=r"merged cells: .*; expected at most 100000 of them"):
        template.read(path)


def test_workbook_may_have_merged_cells(tmp_path):
    path = _write_workbook(tmp_path)
    book = openpyxl.load_workbook(path)
    book.active.merge_cells("P1:Q9")
    book.save(path)

    assert len(template.read(path).traces) == 2


def test_workbook_formatted_to_its_end_is_refused(tmp_path, monkeypatch):
    path = _write_workbook(tmp_path)
    monkeypatch.setattr(template_sheets, "MAX_ROWS", 5)

    with pytest.raises(FormatError, match=r"ratings.xlsx, rows: 9; expected at most 5 rows"):
        template.read(path)


def test_other_kinds_of_file_are_refused(tmp_path):
    with pytest.raises(FormatError, match=r"ratings.ods is not a workbook \(.xlsx or .csv\)"):
        template.read(tmp_path / "ratings.ods")


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.lists(
            st.sampled_from(["", "v-1", "v-2", "0", "1", "Stir", "Deleted stir", "#REF!", "Yes"]),
            max_size=16,
        ),
        max_size=8,
    )
)
def test_any_table_is_read_or_refused(tmp_path_factory, rows):
    path = _write_csv(tmp_path_factory.mktemp("table"), rows)
    try:
        reading = template.read(path)
    except FormatError:
        return
    assert_storable(reading)


@settings(max_examples=60, deadline=None)
@given(position=st.floats(0, 1), noise=st.binary(min_size=1, max_size=40))
def test_damaged_workbook_is_read_or_refused(tmp_path_factory, position, noise):
    path = _write_workbook(tmp_path_factory.mktemp("book"))
    content = bytearray(path.read_bytes())
    start = int(position * (len(content) - len(noise)))
    content[start : start + len(noise)] = noise
    path.write_bytes(content)
    try:
        reading = template.read(path)
    except FormatError:
        return
    assert_storable(reading)
