"""Judge one rewrite: check it, repair it within bounds, say what is left (PIE-V, section 4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from generation.engine.judging.case import TakeInQuestion
from generation.engine.judging.check import checks_not_applied
from generation.engine.judging.findings import Finding, FindingSeverity
from generation.engine.judging.model import FrameSource, Repairer
from generation.engine.judging.reading import UNREADABLE, HandedIn, read_rewrite
from generation.engine.judging.repair.loop import RepairLoop
from generation.engine.judging.report import JudgeReport
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.rewriting.freeform_reading import FreeformReading
from generation.engine.rewriting.rewrite import Rewrite

SHOWN_PROBLEMS = 5
# The code of what no check asks for: the best of the answers of a freeform writer was no valid one.
CONTRACT_BROKEN = "CONTRACT_BROKEN"


class JudgedStatus(StrEnum):
    """The two outcomes of the published judged files."""

    OK = "ok"
    WITH_FINDINGS = "judged_with_findings"


@dataclass(frozen=True, slots=True)
class Judged:
    """The rewrite as the judge leaves it, and how it came to that."""

    rewrite: Rewrite
    status: JudgedStatus
    report: JudgeReport


def judge_rewrite(
    procedure: Procedure,
    plan: Plan,
    rewrite: Rewrite,
    *,
    ask: Repairer | None = None,
    frames: FrameSource | None = None,
) -> Judged:
    """The best version of a rewrite that rules and, where given, a model arrive at.

    Without `ask` the rules work alone. A take is `ok` when no finding is left, hard or soft.
    Raises ValueError where plan and procedure are not of the same steps.
    """
    return _judged(TakeInQuestion(procedure, plan), HandedIn(rewrite), ask, frames)


def judge_document(
    procedure: Procedure,
    plan: Plan,
    document: Mapping[str, Any],
    *,
    ask: Repairer | None = None,
) -> Judged:
    """Judge a rewrite in its published form, as far as that can be read.

    Where it cannot be read in full, the report's first finding says why.
    """
    return _judged(TakeInQuestion(procedure, plan), read_rewrite(document), ask, None)


def judge_claims(
    procedure: Procedure,
    plan: Plan,
    reading: FreeformReading,
    *,
    broken: Sequence[str] = (),
    ask: Repairer | None = None,
    frames: FrameSource | None = None,
) -> Judged:
    """Judge a freeform text by `plan`, which is what it claims of itself (`claims.claimed_plan`).

    What of its form cannot be read, or of its contract was `broken` when it was written, is the
    report's first finding. Checks that need a real plan are not applied, and the report names them.
    """
    take = TakeInQuestion(procedure, plan, is_claimed=True)
    finding = None
    if broken or reading.problems:
        code = CONTRACT_BROKEN if broken else UNREADABLE
        detail = "; ".join((broken or reading.problems)[:SHOWN_PROBLEMS])
        finding = Finding(code, FindingSeverity.HARD, None, detail)
    return _judged(take, HandedIn(reading.rewrite, finding), ask, frames)


def _judged(
    take: TakeInQuestion, reading: HandedIn, ask: Repairer | None, frames: FrameSource | None
) -> Judged:
    procedure, plan = take.procedure, take.plan
    if len(plan.steps) != len(procedure.steps):
        raise ValueError(
            f"take {procedure.take_uid}: the plan has {len(plan.steps)} steps and the procedure "
            f"{len(procedure.steps)}; expected as many"
        )
    loop = RepairLoop(take, reading.rewrite)
    start = loop.version_of(reading.rewrite)
    best = start if start.counts.is_clean else loop.by_rules(start)
    if ask is not None:
        best = loop.by_model(best, ask, frames)
    status = JudgedStatus.OK if best.counts.is_clean else JudgedStatus.WITH_FINDINGS
    unread = () if reading.finding is None else (reading.finding,)
    report = JudgeReport(
        found=(*unread, *start.findings),
        remaining=best.findings,
        attempts=tuple(loop.attempts),
        changed_words=best.changed_words,
        not_applied=checks_not_applied(is_claimed=take.is_claimed),
    )
    return Judged(best.case.rewrite, status, report)
