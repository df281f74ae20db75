"""The long table of ratings: written and read back the same, whatever the ids look like."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.csv_cells import csv_lines
from annotation.engine.ratings.columns import COLUMNS, NEEDED_COLUMNS, WRITTEN_COLUMNS
from annotation.engine.ratings.table import RatingRow, read_table
from annotation.engine.rubric.rubric import Metric, rubrics

IDS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=30
).filter(str.strip)
TIMES = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 (hypothesis adds the zone)
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=30))]),
)

NOW = datetime(9999, 12, 31, tzinfo=UTC)


def row(**fields) -> RatingRow:
    values = {
        "dataset": "Tea",
        "take": "take",
        "trace": "trace",
        "event": "e1",
        "rater": "rater",
        "metric": Metric.PROCEDURE_LOGIC,
        "value": "no",
        "confidence": 2,
        "implied": False,
        "guideline_version": "1",
        "rated_at": datetime(2026, 1, 31, 9, 30, tzinfo=UTC),
    }
    return RatingRow(**(values | fields))


def table_lines(rows, columns=WRITTEN_COLUMNS):
    """Return the table as an export writes it; the database has times as text already."""
    written = [column for column in COLUMNS if column.name in columns]
    cells = (
        [
            item.rated_at.astimezone(UTC).isoformat()
            if column.name == "rated_at"
            else column.write(getattr(item, column.name))
            for column in written
        ]
        for item in rows
    )
    return csv_lines([[column.name for column in written], *cells])


def test_table_lines_write_one_line_per_answer():
    rows = [
        row(),
        row(
            event="",
            metric=Metric.TEXT_VIDEO_GROUNDING,
            value="4",
            confidence=None,
            dataset='=A "b", c',
        ),
    ]

    assert "".join(table_lines(rows)) == (
        ",".join(WRITTEN_COLUMNS) + "\n"
        "Tea,take,trace,e1,rater,procedure_logic,no,2,no,1,,2026-01-31T09:30:00+00:00\n"
        '"\'=A ""b"", c",take,trace,,rater,text_video_grounding,4,,no,1,,'
        "2026-01-31T09:30:00+00:00\n"
    )


@given(IDS, IDS, IDS, IDS, TIMES)
def test_read_table_gives_back_what_was_written(dataset, take, trace, event, rated_at):
    written = row(dataset=dataset, take=take, trace=trace, event=event, rated_at=rated_at)
    content = "".join(table_lines([written])).encode()

    [(_, found)] = read_table(content, file="ratings.csv", now=NOW).rows

    assert found == written
    assert "".join(table_lines([found])).encode() == content


def test_read_table_collects_the_problems_of_all_rows():
    rows = [row(), row(take="other", event="e2"), row(value="5", event="e3")]
    content = "".join(table_lines(rows)).encode()

    with pytest.raises(FormatError) as caught:
        read_table(content, file="ratings.csv", now=NOW)

    assert [str(item) for item in caught.value.problems] == [
        "ratings.csv, row 4: value is '5'; expected one of no, yes",
        "ratings.csv, row 3: take is 'other'; expected 'take' again",
    ]


@pytest.mark.parametrize(
    ("metric", "value", "is_accepted"),
    [
        (Metric.SEQUENCE_CONSISTENCY, "5", True),
        (Metric.STATE_CHANGE_COHERENCE, "no", True),
        (Metric.SEQUENCE_CONSISTENCY, "4", False),
        (Metric.CONFUSABILITY, "5", False),
    ],
)
def test_read_table_takes_as_implied_only_what_a_skip_rule_gives(metric, value, is_accepted):
    item = row(metric=metric, value=value, confidence=None, implied=True)
    content = "".join(table_lines([item])).encode()

    if is_accepted:
        assert read_table(content, file="x", now=NOW).rows == ((2, item),)
    else:
        with pytest.raises(FormatError, match="no skip rule gives"):
            read_table(content, file="x", now=NOW)


@pytest.mark.parametrize(("minutes", "is_accepted"), [(-1, True), (4, True), (6, False)])
def test_read_table_takes_no_rating_of_the_future(minutes, is_accepted):
    now = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
    item = row(rated_at=now + timedelta(minutes=minutes))
    content = "".join(table_lines([row(event="e0"), item])).encode()

    if is_accepted:
        assert read_table(content, file="x", now=now).rows[1] == (3, item)
    else:
        with pytest.raises(FormatError) as caught:
            read_table(content, file="x", now=now)
        assert [str(item) for item in caught.value.problems] == [
            "x, row 3: rated_at is '2026-05-01T12:06:00+00:00';"
            " expected a time that is not in the future; it is 2026-05-01T12:00:00+00:00"
        ]


def test_read_table_knows_the_rubric_where_the_table_tells_it():
    columns = [*WRITTEN_COLUMNS, "rubric_version"]
    told = "".join(
        table_lines([row(rubric_version="2"), row(event="e2", rubric_version="2.0")], columns)
    )
    silent = "".join(table_lines([row()]))

    rows = [read_table(text.encode(), file="x", now=NOW).rows for text in (told, silent)]

    assert [[found.rubric_version for _, found in table] for table in rows] == [["2", "2"], [""]]


def test_read_table_refuses_an_unknown_rubric():
    columns = [*WRITTEN_COLUMNS, "rubric_version"]
    content = "".join(table_lines([row(rubric_version="9")], columns)).encode()

    with pytest.raises(FormatError) as caught:
        read_table(content, file="x", now=NOW)

    assert str(caught.value) == "x, row 2: rubric_version is '9'; expected one of " + ", ".join(
        rubrics()
    )


def test_read_table_needs_five_columns_in_any_order():
    content = b"value,Metric,rater,event,trace,notes\n4,confusability,anna,7.0,v-1,hard\n"

    table = read_table(content, file="r.csv", now=NOW)

    assert table.rows == ((2, RatingRow("", "", "v-1", "7.0", "anna", Metric.CONFUSABILITY, "4")),)
    assert [str(item.message) for item in table.warnings] == ["columns left out: notes"]


@pytest.mark.parametrize(
    "column", ["dataset", "take", "confidence", "implied", "guideline_version"]
)
def test_read_table_takes_an_empty_cell_where_it_needs_none(column):
    item = row(metric=Metric.CONFUSABILITY, value="4", confidence=None)
    lines = "".join(table_lines([item])).splitlines()
    at = lines[0].split(",").index(column)
    cells = lines[1].split(",")
    cells[at] = ""

    [(_, found)] = read_table(
        f"{lines[0]}\n{','.join(cells)}\n".encode(), file="r.csv", now=NOW
    ).rows

    absent = {"confidence": None, "implied": False}.get(column, "")
    assert found == replace(item, **{column: absent})


@pytest.mark.parametrize("column", NEEDED_COLUMNS)
def test_read_table_refuses_a_table_without_a_needed_column(column):
    header = ",".join(name for name in NEEDED_COLUMNS if name != column)

    with pytest.raises(FormatError, match="expected the columns trace, event, rater, metric, val"):
        read_table(header.encode(), file="r.csv", now=NOW)


def test_read_table_refuses_a_column_that_is_there_twice():
    header = ",".join([*NEEDED_COLUMNS, "trace"])

    with pytest.raises(FormatError, match="and each once"):
        read_table(header.encode(), file="r.csv", now=NOW)


def test_columns_stay_where_they_are_and_new_ones_come_after_them():
    """Scripts of other people may go by position."""
    assert [column.name for column in COLUMNS][:17] == [
        "dataset", "take", "trace", "event", "rater", "metric", "value", "confidence", "implied",
        "guideline_version", "round", "rated_at", "reference_watched_s", "trace_watched_s",
        "informed", "rubric_version", "purpose",
    ]  # fmt: skip
