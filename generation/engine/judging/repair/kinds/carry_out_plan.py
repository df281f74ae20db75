"""Carry out a planned deletion or swap, or what else needs no words to be found."""

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case, place_of_insertion
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import first_position, left_out_row, with_row_before
from generation.engine.judging.repair.repair import Repair
from generation.engine.planner.error_kind import facts_of, kind_of
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


def propose(case: Case, finding: Finding) -> Rewrite | None:
    error = case.take.errors.get(finding.event_id or "")
    if error is None:
        return None
    facts, rewrite = facts_of(error), case.rewrite
    if error.spec.swapped:
        # Both halves are marked, the later step first.
        source, target = error.spec.swapped
        first, second = _only_row(case, source), _only_row(case, target)
        if first is None or second is None:
            return None
        rows, name = list(case.rows), error.error_type.name
        moved = sorted((source, target), reverse=True)
        for at, index in zip(sorted((first, second)), moved, strict=True):
            mod = Mod.MOVED_SOURCE if index == source else Mod.MOVED_TARGET
            rows[at] = RewriteRow(mod, case.take.texts[index], index, name, error.event_id)
        return Rewrite(tuple(rows))
    if facts.leaves_out:
        position = _only_row(case, error.step_index)
        return None if position is None else rewrite.with_row(position, left_out_row(error))
    text = kind_of(error).known_text(case.plan, error)
    if text is None or facts.row_mods != {Mod.INSERTION}:
        return None
    row = RewriteRow(Mod.INSERTION, text, None, error.error_type.name, error.event_id)
    wanted = place_of_insertion(error)
    return with_row_before(rewrite, first_position(case, lambda slot: slot >= wanted), row)


def _only_row(case: Case, source: int) -> int | None:
    positions = case.positions_by_source.get(source, ())
    return positions[0] if len(positions) == 1 else None


REPAIR = Repair(
    name="carry_out_plan",
    codes=frozenset({"EVENT_MISSING", "TRANSPOSITION_ORDER"}),
    propose=propose,
)
