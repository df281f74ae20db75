"""Carry out a planned deletion or swap, which needs no words of its own."""

from annotation.engine.taxonomy import Mod
from generation.engine.error_types.deletion import DeletionSpec
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


def propose(case: Case, finding: Finding) -> Rewrite | None:
    error = case.take.errors.get(finding.event_id or "")
    if error is None:
        return None
    if isinstance(error.spec, DeletionSpec):
        gone = RewriteRow(Mod.DELETION, None, error.step_index, "deletion", error.event_id)
        position = _only_row(case, error.step_index)
        return None if position is None else case.rewrite.with_row(position, gone)
    if isinstance(error.spec, TranspositionSpec):
        return _swapped(case, error.event_id, error.spec)
    return None


def _swapped(case: Case, event_id: str, spec: TranspositionSpec) -> Rewrite | None:
    """Return the rewrite with both halves marked, the later step first."""
    first, second = _only_row(case, spec.source_index), _only_row(case, spec.target_index)
    if first is None or second is None:
        return None
    earlier, later = sorted((spec.source_index, spec.target_index))
    rows = list(case.rows)
    for position, source in zip(sorted((first, second)), (later, earlier), strict=True):
        mod = Mod.MOVED_SOURCE if source == spec.source_index else Mod.MOVED_TARGET
        text = case.take.texts[source]
        rows[position] = RewriteRow(mod, text, source, "transposition", event_id)
    return Rewrite(tuple(rows))


def _only_row(case: Case, source: int) -> int | None:
    positions = case.positions_by_source.get(source, ())
    return positions[0] if len(positions) == 1 else None


REPAIR = Repair(
    name="carry_out_plan",
    codes=frozenset({"EVENT_MISSING", "TRANSPOSITION_ORDER"}),
    propose=propose,
)
