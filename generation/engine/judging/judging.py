"""Judge one rewrite: check it, repair it within bounds, say what is left (PIE-V, section 4.3)."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from generation.engine.judging.case import TakeInQuestion
from generation.engine.judging.check import checks_not_applied
from generation.engine.judging.model import FrameSource, Repairer
from generation.engine.judging.reading import HandedIn
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
    """The rewrite as the judge leaves it, and how it came to that."""

    rewrite: Rewrite
    status: JudgedStatus
    report: JudgeReport


def judge(
    plan: Plan,
    handed_in: HandedIn,
    *,
    others: Iterable[Rewrite] = (),
    ask: Repairer | None = None,
    frames: FrameSource | None = None,
) -> Judged:
    """The best version of a rewrite that rules and, where given, a model arrive at.

    `others` are further texts for the same plan, each looked at only while findings are left: the
    rules' writer can draw again. Without `ask` the rules work alone. A take is `ok` when no
    finding is left, hard or soft.

    What could not be read is the report's first finding. A freeform text is judged by what it
    claims of itself (`claims.claimed_plan`): checks that need a real plan are not applied, and the
    report names them.
    """
    loop = RepairLoop(TakeInQuestion(plan, handed_in.is_claimed), handed_in.rewrite)
    start = loop.version_of(handed_in.rewrite)
    best = loop.by_rules(start)
    versions = iter(others)
    while not best.counts.is_clean and (rewrite := next(versions, None)) is not None:
        best = loop.by_another_version(best, rewrite)
    if ask is not None:
        best = loop.by_model(best, ask, frames)
    unread = () if handed_in.finding is None else (handed_in.finding,)
    report = JudgeReport(
        found=(*unread, *start.findings),
        remaining=best.findings,
        attempts=tuple(loop.attempts),
        changed_words=best.changed_words,
        not_applied=checks_not_applied(is_claimed=handed_in.is_claimed),
    )
    status = JudgedStatus.OK if best.counts.is_clean else JudgedStatus.WITH_FINDINGS
    return Judged(best.case.rewrite, status, report)
