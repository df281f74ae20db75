"""A rewrite as a trace of the corpus, by the same rules as an imported file of rewrites."""

from collections.abc import Mapping
from functools import partial

from annotation.engine.corpus.formats import piev_rewrites
from annotation.engine.corpus.formats.piev_events import PlannedTake, Row
from annotation.engine.corpus.procedure import ReadingWarning, Take, Trace, WarningList
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import Rewrite


def trace_of_rewrite(
    take: Take, plan: Plan, rewrite: Rewrite, *, uid: str, provenance: Mapping[str, str]
) -> tuple[Trace, tuple[ReadingWarning, ...]]:
    """The trace, and warnings about steps without a row and events without a plan."""
    planned = PlannedTake(
        take=take,
        error_types={error.event_id: error.error_type.name for error in plan.errors},
        correction_targets={
            correction.correction_id: correction.target_event_id
            for correction in plan.corrections or ()
        },
    )
    rows: list[Row] = []
    shown_count = 0
    for row in rewrite.rows:
        # A model can write an index behind the last step.
        is_step = row.old_index is not None and row.old_index < len(take.steps)
        rows.append(
            Row(
                mod=row.mod,
                old=row.old_index if is_step else None,
                new=None if row.is_deleted else shown_count,
                type_name=row.error_type or "",
                error_id=row.event_id or "",
                correction_id=row.correction_id or "",
                repair_reason=row.repair_reason or "",
            )
        )
        shown_count += not row.is_deleted
    warnings = WarningList()
    trace = piev_rewrites.make_rewritten_trace(
        uid,
        piev_rewrites.Rewrite(tuple(rows), rewrite.final_steps, is_freeform=False),
        planned,
        provenance,
        partial(warnings.add, f"take {take.uid}"),
    )
    return trace, warnings.as_tuple()
