"""How often a planner renewed the plan, and why it did not."""

from collections.abc import Mapping

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from benchmarks.engine.guiding.loop import PlannerOutcome

NOTE = "Asked at the opening and after each interrupt. What is no plan keeps the old one."


def planner_tables(outcomes: Mapping[str, int]) -> tuple[Table, ...]:
    """The table of outcomes by how often each came; none where no planner was asked."""
    if not outcomes:
        return ()
    rows = tuple(
        Row(Cell(outcome.value), {"count": Cell(outcomes.get(outcome, 0))}, is_compared=False)
        for outcome in PlannerOutcome
        if outcome is not PlannerOutcome.NOT_ASKED
    )
    columns, groups = (Column("count", "Times"),), (RowGroup("", rows),)
    return (Table("planner", "Planner", "Outcome", columns, groups, (NOTE,)),)
