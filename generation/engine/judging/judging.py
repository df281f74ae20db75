"""Judge one rewrite: check it, repair it within bounds, say what is left (PIE-V, section 4.3)."""

from dataclasses import dataclass
from enum import StrEnum

from generation.engine.judging.case import TakeInQuestion
from generation.engine.judging.limits import Limits
from generation.engine.judging.model import Ask, FrameSource
from generation.engine.judging.repair.loop import RepairLoop
from generation.engine.judging.report import JudgeReport
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure import Procedure
from generation.engine.rewriting.rewrite import Rewrite

DEFAULT_LIMITS = Limits()


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
    ask: Ask | None = None,
    frames: FrameSource | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Judged:
    """Return the best version of a rewrite that rules and, where given, a model arrive at.

    Without `ask` the rules work alone. A take is `ok` when no finding is left, hard or soft.
    Raises ValueError where plan and procedure are not of the same steps.
    """
    if len(plan.steps) != len(procedure.steps):
        raise ValueError(
            f"take {procedure.take_uid}: the plan has {len(plan.steps)} steps and the procedure "
            f"{len(procedure.steps)}; expected as many"
        )
    loop = RepairLoop(TakeInQuestion(procedure, plan), rewrite, limits)
    start = loop.version_of(rewrite)
    best = start if start.counts.is_clean else loop.by_rules(start)
    if ask is not None:
        best = loop.by_model(best, ask, frames)
    status = JudgedStatus.OK if best.counts.is_clean else JudgedStatus.WITH_FINDINGS
    report = JudgeReport(start.findings, best.findings, tuple(loop.attempts), best.changed_words)
    return Judged(best.case.rewrite, status, report)
