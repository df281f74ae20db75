"""What stands at the head of an event: both sides of its rows, quoted and not classified.

"6 ground coffee → cocoa powder" is a step of which two words differ, "6 Add salt → –" one that the
trace does not have, "– → Stir again" one that the reference does not have, and "5, 6 → 6, 5" the
order in which the trace has the steps of the reference.
"""

from collections.abc import Iterator, Sequence

from annotation.engine.corpus.alignment import Relation, WordKind, Words
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.corpus.timeline import PieceKind
from annotation.engine.ratings.audit_table import AuditTable, EventLabel, TableRow

NOTHING = "–"
NO_ROWS = "its steps are not in the table"
# An event of many rows is quoted in part: the table below has all.
MOST_PARTS = 3
# As many neighbours in a row, or more, are written by their first and last.
LONG_RUN = 3


def heading(table: AuditTable, event: EventLabel) -> str:
    """The words at the head of an event, with the mistake that a correction repairs."""
    rows = [
        row
        for row in table.rows
        if row.event_index == event.index and row.mark is not PieceKind.CASCADE
    ]
    if table.step_words is StepWords.WORDS:
        parts = [_said(rows[0])] if rows else []
    else:
        parts = list(_quoted(table.rows, rows))
    more = len(parts) - MOST_PARTS
    text = "; ".join(parts[:MOST_PARTS]) or NO_ROWS
    if more > 0:
        text += f"; and {more} more below"
    return f"Corrects {event.target.lower()}: {text}" if event.target else text


def _said(row: TableRow) -> str:
    """The first row of an event as the table says it in words."""
    if row.trace is None or not row.trace.is_missing:
        return (_text(row.trace.words) if row.trace else "") or row.trace_note
    left_out = _text(row.reference.words) if row.reference else ""
    note = row.trace_note.capitalize()
    return f"{note}: {left_out}" if left_out else note


def _quoted(rows: Sequence[TableRow], own: Sequence[TableRow]) -> Iterator[str]:
    order = [_reference_number(row) for row in rows if _is_done(row)]
    moved = [row for row in own if row.relation is Relation.MOVED and row.trace]
    numbers = {_reference_number(row) for row in moved}
    fixed = {_reference_number(row) for row in rows if row.reference and row.trace} | numbers
    window = {
        other
        for number in numbers
        for other in {number, *_overtaken(number, order)}
        if other in fixed
    }
    shown = []
    if len(window) > 1:
        kinds = {Relation.MOVED, Relation.SAME}
        shown = [row for row in own if row.relation in kinds and _reference_number(row) in window]
        texts = ", ".join(f"“{_text(row.trace.words)}”" for row in shown if row.trace)
        before, after = sorted(window), [number for number in order if number in window]
        yield f"{_runs(before)} → {_runs(after)}: {texts}"
    for row in own:
        if row not in shown:
            yield _both_sides(row)


def _is_done(row: TableRow) -> bool:
    """Whether the trace does a step of the reference here for the first time."""
    is_there = row.trace is not None and not row.trace.is_missing
    return is_there and row.relation is not Relation.INSERTED


def _reference_number(row: TableRow) -> int:
    return row.reference.number if row.reference else row.elsewhere or 0


def _overtaken(number: int, order: Sequence[int]) -> set[int]:
    """The steps that the trace has on the other side of this one."""
    place = order.index(number)
    return {
        other
        for at, other in enumerate(order)
        if other and other != number and (other < number) == (at > place)
    }


def _runs(numbers: Sequence[int]) -> str:
    """Numbers as text; three and more that follow each other by their ends.

    >>> _runs([6, 5]), _runs([7, 3, 4, 5, 6])
    ('6, 5', '7, 3–6')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) >= LONG_RUN else ", ".join(map(str, run)) for run in runs
    )


def _both_sides(row: TableRow) -> str:
    old_words = row.reference.words if row.reference else row.reference_echo
    is_missing = row.trace is not None and row.trace.is_missing
    new_words: tuple[Words, ...] = row.trace.words if row.trace else ()
    old, new = _text(old_words), _text(new_words)
    if is_missing:
        old, new = old or new, ""
    elif row.relation is Relation.INSERTED:
        old = ""
    if old and new:
        shorter = _differing(old_words, WordKind.REMOVED), _differing(new_words, WordKind.ADDED)
        old, new = shorter if all(shorter) else (old, new)
    number = _reference_number(row)
    left = f"{number} {old}" if number and old else old
    return f"{left or NOTHING} → {new or NOTHING}"


def _differing(words: Sequence[Words], kind: WordKind) -> str:
    """The one run of differing words; nothing where there is none, or more than one."""
    runs = [run.text.strip() for run in words if run.kind is kind]
    return runs[0] if len(runs) == 1 else ""


def _text(words: Sequence[Words] | None) -> str:
    return "".join(run.text for run in words or ()).strip()
