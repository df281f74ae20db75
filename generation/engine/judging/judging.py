"""Judge one rewrite: check it, repair it within limits, report the rest (PIE-V, section 4.3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from generation.engine.judging.case import JudgedTake
from generation.engine.judging.check import checks_not_applied
from generation.engine.judging.model import FrameSource, Repairer
from generation.engine.judging.reading import Submission
from generation.engine.judging.repair.loop import RepairLoop
from generation.engine.judging.report import JudgeReport
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import Rewrite


class JudgedStatus(StrEnum):
    """The two outcomes of the published judged files."""

    OK = "ok"
    WITH_FINDINGS = "judged_with_findings"


@dataclass(frozen=True, slots=True)
class Judged:
    """The rewrite after judging and repairing, and a report of both."""

    rewrite: Rewrite
    status: JudgedStatus
    report: JudgeReport


def judge(
    plan: Plan,
    submission: Submission,
    *,
    others: Iterable[Rewrite] = (),
    ask: Repairer | None = None,
    frames: FrameSource | None = None,
) -> Judged:
    """The best version of a rewrite that the rules and, if there is one, a model can reach.

    `others` are further texts for the same plan, tried only while findings are left: the rules'
    writer can write again. Without `ask` the rules work alone. A take is `ok` if no finding is
    left, hard or soft.

    If a part could not be read, that is the report's first finding. A freeform text is judged by
    its own claims (`claims.claimed_plan`): checks that need a real plan are not applied, and the
    report names them.
    """
    loop = RepairLoop(JudgedTake(plan, submission.is_claimed), submission.rewrite)
    start = loop.version_of(submission.rewrite)
    best = loop.by_rules(start)
    versions = iter(others)
    while not best.counts.is_clean and (rewrite := next(versions, None)) is not None:
        best = loop.by_another_version(best, rewrite)
    if ask is not None:
        best = loop.by_model(best, ask, frames)
    unread = () if submission.finding is None else (submission.finding,)
    report = JudgeReport(
        initial=(*unread, *start.findings),
        remaining=best.findings,
        attempts=tuple(loop.attempts),
        changed_words=best.changed_words,
        not_applied=checks_not_applied(is_claimed=submission.is_claimed),
    )
    status = JudgedStatus.OK if best.counts.is_clean else JudgedStatus.WITH_FINDINGS
    return Judged(best.case.rewrite, status, report)
