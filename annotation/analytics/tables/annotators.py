"""The paper's table of annotators: what they said of themselves, as counts and ranges."""

from collections.abc import Iterable

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.campaigns.people_questions import LEAST_ANSWERS, AnswerTally

COLUMNS = (
    Column("answered", "Answered", decimals=0),
    Column("answers", "Answers", is_long_text=True),
    Column("range", "Range"),
)


def annotators_table(tallies: Iterable[AnswerTally], people_count: int) -> Table:
    rows = tuple(
        Row(
            Cell(item.text),
            {
                "answered": Cell(item.answered_count),
                "answers": Cell(item.words),
                "range": Cell(item.range or None),
            },
        )
        for item in tallies
    )
    people = "1 person" if people_count == 1 else f"{people_count} people"
    note = (
        f"Of {people}; each question could be left open. Answers are counted from {LEAST_ANSWERS}"
        " people on, so that none tells who gave it."
    )
    groups = (RowGroup("", rows),)
    return Table("annotators", "Annotators", "Question", COLUMNS, groups, notes=(note,))
