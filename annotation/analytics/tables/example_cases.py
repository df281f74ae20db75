"""Example cases of disagreement per metric, as section D.4 of the PIE-V paper tells them."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table

# The name of the table in addresses and files.
KEY = "CASES"


@dataclass(frozen=True, slots=True)
class ExampleCase:
    """One case of the desk in words, without anybody's name; what is not known is empty."""

    metric: str
    trace: str
    round: str
    event: str
    answers: str
    decision: str
    cause: str
    reason: str


# Paper, section D.4, "Binary Error Validity disagreement": the only one that names its metric.
PUBLISHED = (
    ExampleCase(
        metric="Error Validity",
        trace="indiana_bike_03_1",
        round="",
        event="– → Accidentally knock the chain lube bottle over on the floor while reaching for"
        " it",
        answers="yes and no",
        decision="",
        cause="",
        reason="A harmless deviation to some: the procedure remains executable and its outcome is"
        " not meaningfully affected.",
    ),
)


def example_table(cases: Iterable[ExampleCase]) -> Table:
    """The published case, and ours below it."""
    return Table(
        key=KEY,
        title="Example cases of disagreement per metric.",
        label_title="Metric",
        columns=(
            Column("trace", "Trace"),
            Column("round", "Round"),
            Column("event", "Event", is_long_text=True),
            Column("answers", "Answers"),
            Column("decision", "Decided"),
            Column("cause", "Cause"),
            Column("reason", "Why", is_long_text=True),
        ),
        groups=(RowGroup("Published", _rows(PUBLISHED)), RowGroup("Ours", _rows(cases))),
        notes=(
            "Of each metric the decided cases come first, those with a reason before the others,"
            " then those on which raters differed most. A decided value is no rating and enters no"
            " figure of agreement.",
        ),
    )


def _rows(cases: Iterable[ExampleCase]) -> tuple[Row, ...]:
    return tuple(
        Row(
            Cell(case.metric),
            {
                "trace": Cell(case.trace),
                "round": Cell(case.round or None),
                "event": Cell(case.event),
                "answers": Cell(case.answers),
                "decision": Cell(case.decision or None),
                "cause": Cell(case.cause or None),
                "reason": Cell(case.reason or None),
            },
        )
        for case in cases
    )
