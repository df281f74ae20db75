import math

import pytest

from annotation.analytics.tables.table import Best, Cell, Column, Row, RowGroup, Table, lay_out

SCORE = Column("score", "Score", decimals=2, best=Best.HIGHEST)


def make_table(rows, columns=(SCORE,), **changes):
    group = RowGroup("", tuple(rows))
    return Table("1", "Scores", "Name", tuple(columns), (group,), **changes)


def make_row(label, is_compared=True, **cells):
    return Row(Cell(label), {key: Cell(value) for key, value in cells.items()}, is_compared)


def best_of(table, column=0):
    return [row.cells[column].is_best for group in lay_out(table).groups for row in group.rows]


def test_best_values_are_those_that_print_alike():
    table = make_table([make_row("a", score=0.714), make_row("b", score=0.709), make_row("c")])

    texts = [row.cells[0].text for row in lay_out(table).groups[0].rows]

    assert texts == ["0.71", "0.71", "–"]
    assert best_of(table) == [True, True, False]


def test_best_value_is_the_lowest_where_lower_is_better():
    column = Column("error", "Error", best=Best.LOWEST)
    rows = [make_row("a", error=3), make_row("b", error=0), make_row("c", error=7)]

    assert best_of(make_table(rows, [column])) == [False, True, False]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([make_row("a", score=0.7), make_row("b")], id="one value has no rival"),
        pytest.param(
            [make_row("a", score=0.7), make_row("b", score=0.9, is_compared=False)],
            id="a second reading of a row does not compete",
        ),
    ],
)
def test_best_value_needs_two_that_are_compared(rows):
    assert best_of(make_table(rows)) == [False, False]


def test_column_without_direction_has_no_best_value():
    rows = [make_row("a", score=0.7), make_row("b", score=0.9)]

    assert best_of(make_table(rows, [Column("score", "Score", decimals=2)])) == [False, False]


def test_footnotes_get_marks_in_reading_order_and_share_them():
    column = Column("score", "Score", decimals=1, notes=("as printed",))
    rows = [
        Row(Cell("a", notes=("no video",)), {"score": Cell(notes=("as printed",))}),
        Row(Cell("b"), {"score": Cell(0.5, notes=("no video", "few"))}),
    ]

    shown = lay_out(make_table(rows, [column], notes=("Ours.",)))

    marks = [shown.heads[1].marks]
    marks += [cell.marks for row in shown.groups[0].rows for cell in (row.label, *row.cells)]
    assert marks == [("a",), ("b",), ("a",), (), ("b", "c")]
    assert shown.footnotes == (("", "Ours."), ("a", "as printed"), ("b", "no video"), ("c", "few"))


def test_footnotes_have_marks_beyond_z():
    rows = [Row(Cell(str(n), notes=(f"note {n}",)), {}) for n in range(30)]

    shown = lay_out(make_table(rows))

    marks = [mark for mark, _ in shown.footnotes]
    assert marks[24:29] == ["y", "z", "aa", "ab", "ac"]
    assert len(set(marks)) == 30


def test_interval_stands_behind_its_value_where_it_is_shown():
    rows = [Row(Cell("a"), {"score": Cell(-0.001, -0.25, 0.5)})]

    shown, hidden = (
        lay_out(make_table(rows, shows_intervals=flag)).groups[0].rows[0].cells[0].text
        for flag in (True, False)
    )

    assert (shown, hidden) == ("0.00 [−0.25, 0.50]", "0.00")


def test_cell_of_an_unknown_column_is_refused():
    with pytest.raises(ValueError, match="row 'a' has cells of scroe; expected some of score"):
        make_table([make_row("a", scroe=1)])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_cell_without_a_finite_number_is_refused(value):
    with pytest.raises(ValueError, match="expected a finite number, or None"):
        Cell(value)


def test_interval_with_one_end_is_refused():
    with pytest.raises(ValueError, match="expected both ends"):
        Cell(0.5, 0.1, None)
