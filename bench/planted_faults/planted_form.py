"""Planters of faults against form and plan: marks, ids, places, verbatim texts, corrections."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from annotation.engine.taxonomy import Mod
from bench.planted_faults.planting import (
    Planter,
    inserted,
    positions_of,
    substituted,
    unchanged_positions,
    with_row,
    with_rows,
)
from generation.engine.judging.case import Case
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

_Options = Iterator[tuple[Case, int | None]]
_WRITTEN = (Mod.ERROR, Mod.INSERTION, Mod.CORRECTION, Mod.CASCADE)


def _without(case: Case, position: int) -> Case:
    return with_rows(case, case.rows[:position] + case.rows[position + 1 :])


def _added(case: Case, position: int, row: RewriteRow) -> Case:
    return with_rows(case, (*case.rows[:position], row, *case.rows[position:]))


def source_missing(case: Case) -> _Options:
    for position in unchanged_positions(case):
        yield _without(case, position), None


def source_repeated(case: Case) -> _Options:
    for position in unchanged_positions(case):
        yield _added(case, position, case.rows[position]), position + 1


def source_mismatch(case: Case) -> _Options:
    for position in positions_of(case, Mod.INSERTION, Mod.CORRECTION):
        yield with_row(case, position, replace(case.rows[position], old_index=0)), position
    for position in unchanged_positions(case):
        beyond = len(case.take.texts)
        yield with_row(case, position, replace(case.rows[position], old_index=beyond)), position


def error_type_mismatch(case: Case) -> _Options:
    for position in positions_of(case, Mod.ERROR, Mod.INSERTION, Mod.CASCADE):
        row = replace(case.rows[position], error_type="deletion")
        yield with_row(case, position, row), position


def event_id_missing(case: Case) -> _Options:
    for position in positions_of(case, *_WRITTEN, Mod.DELETION, Mod.MOVED_SOURCE):
        row = replace(case.rows[position], event_id=None, correction_id=None)
        yield with_row(case, position, row), position


def event_unplanned(case: Case) -> _Options:
    for position in positions_of(case, *_WRITTEN, Mod.DELETION):
        row = replace(case.rows[position], event_id="E_UNKNOWN")
        yield with_row(case, position, row), position


def text_malformed(case: Case) -> _Options:
    for position in positions_of(case, *_WRITTEN):
        text = case.rows[position].text or ""
        for harmed in (text.replace(" ", "_"), "", f"{text}\n"):
            yield with_row(case, position, replace(case.rows[position], text=harmed)), position


def order_changed(case: Case) -> _Options:
    for first, second in pairwise(range(len(case.rows))):
        if {case.rows[first].mod, case.rows[second].mod} == {Mod.UNCHANGED}:
            rows = list(case.rows)
            rows[first], rows[second] = rows[second], rows[first]
            yield with_rows(case, rows), second


def not_verbatim(case: Case) -> _Options:
    for position in positions_of(case, Mod.UNCHANGED, Mod.MOVED_SOURCE, Mod.MOVED_TARGET):
        row = case.rows[position]
        for harmed in (f"{row.text} now", (row.text or "").upper()):
            yield with_row(case, position, replace(row, text=harmed)), position


def error_without_change(case: Case) -> _Options:
    for position in positions_of(case, Mod.ERROR):
        row = case.rows[position]
        yield with_row(case, position, replace(row, text=case.original_of(row))), position


def event_missing(case: Case) -> _Options:
    for error in case.plan.errors:
        for position in case.positions_by_event.get(error.event_id, ()):
            row = case.rows[position]
            if row.mod not in facts_of(error).row_mods:
                continue
            if row.old_index is None:
                yield _without(case, position), None
            else:
                plain = RewriteRow(Mod.UNCHANGED, case.original_of(row), row.old_index)
                yield with_row(case, position, plain), None


def event_repeated(case: Case) -> _Options:
    for position in positions_of(case, Mod.INSERTION, Mod.ERROR):
        yield _added(case, position, case.rows[position]), position + 1


def event_misplaced(case: Case) -> _Options:
    for error in case.plan.errors:
        if Mod.INSERTION not in facts_of(error).row_mods:
            continue
        for position in case.positions_by_event.get(error.event_id, ()):
            row, rest = case.rows[position], _without(case, position)
            for target in unchanged_positions(rest):
                if rest.rows[target].old_index != error.step_index:
                    yield _added(rest, target, row), target


def deletion_healed(case: Case) -> _Options:
    for position in positions_of(case, Mod.DELETION):
        row = case.rows[position]
        text = case.original_of(row)
        following = [p for p in unchanged_positions(case) if p > position]
        if following and following[0] == position + 1 and text is not None:
            yield inserted(case, following[0], text), position


def transposition_order(case: Case) -> _Options:
    for first in positions_of(case, Mod.MOVED_SOURCE):
        event_id = case.rows[first].event_id
        for second in positions_of(case, Mod.MOVED_TARGET):
            if case.rows[second].event_id == event_id:
                rows = list(case.rows)
                rows[first], rows[second] = rows[second], rows[first]
                yield with_rows(case, rows), min(first, second)


def correction_missing(case: Case) -> _Options:
    for position in positions_of(case, Mod.CORRECTION):
        yield _without(case, position), None


def correction_repeated(case: Case) -> _Options:
    for position in positions_of(case, Mod.CORRECTION):
        yield _added(case, position, case.rows[position]), position + 1


def correction_misplaced(case: Case) -> _Options:
    for position in positions_of(case, Mod.CORRECTION):
        row, rest = case.rows[position], _without(case, position)
        for target in unchanged_positions(rest):
            moved = _added(rest, target, row)
            if moved.slot_before[target] != case.slot_before[position]:
                yield moved, target


def correction_filler(case: Case) -> _Options:
    for position in positions_of(case, Mod.CORRECTION):
        for text in ("Continue with the procedure", "Proceed as planned", "Oh well", "Go on then"):
            yield with_row(case, position, replace(case.rows[position], text=text)), position


def correction_unrelated(case: Case) -> _Options:
    for position in positions_of(case, Mod.CORRECTION):
        for text in ("Feed the goldfish some flakes", "Polish the trumpet in the hallway"):
            yield with_row(case, position, replace(case.rows[position], text=text)), position


def cascade_without_change(case: Case) -> _Options:
    for position in unchanged_positions(case):
        causes = [row.event_id for row in case.rows[:position] if row.mod is Mod.ERROR]
        if causes:
            row = replace(case.rows[position], mod=Mod.CASCADE, event_id=causes[-1])
            yield with_row(case, position, row), position


def cascade_before_cause(case: Case) -> _Options:
    for position in unchanged_positions(case):
        later = [row.event_id for row in case.rows[position:] if row.mod is Mod.ERROR]
        if later:
            text = f"{case.rows[position].text} with care"
            row = RewriteRow(Mod.CASCADE, text, case.rows[position].old_index, None, later[0])
            yield with_row(case, position, row), position


def substitution_copies_step(case: Case) -> _Options:
    for position in unchanged_positions(case):
        neighbours = [p for p in (position - 1, position + 1) if 0 <= p < len(case.rows)]
        for neighbour in neighbours:
            text = case.rows[neighbour].text
            if text is not None and text != case.rows[position].text:
                yield substituted(case, position, text), position


def substitution_too_close(case: Case) -> _Options:
    for position in unchanged_positions(case):
        text = (case.rows[position].text or "").rstrip(" .")
        yield substituted(case, position, f"{text} again"), position


def claim_count(case: Case) -> _Options:
    """The original, handed in as a text that made up its own mistakes."""
    bare = replace(case.plan, errors=(), corrections=())
    rows = [RewriteRow(Mod.UNCHANGED, text, index) for index, text in enumerate(case.take.texts)]
    yield Case(replace(case.take, plan=bare, is_claimed=True), Rewrite(tuple(rows))), None


PLANTERS: dict[str, Planter] = {
    planter.__name__.upper(): planter
    for planter in (
        source_missing, source_repeated, source_mismatch, error_type_mismatch, event_id_missing,
        event_unplanned, text_malformed, order_changed, not_verbatim, error_without_change,
        event_missing, event_repeated, event_misplaced, deletion_healed, transposition_order,
        correction_missing, correction_repeated, correction_misplaced, correction_filler,
        correction_unrelated, cascade_without_change, cascade_before_cause,
        substitution_copies_step, substitution_too_close, claim_count,
    )
}  # fmt: skip
