"""Judge the rewrite of a take and repair it within limits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from django.utils import timezone

from generation.engine.judging.check import sense_checks
from generation.engine.judging.findings import FindingCounts, count_findings
from generation.engine.judging.judging import Judged, JudgedStatus, judge
from generation.engine.judging.model import FrameSource, Repairer
from generation.engine.judging.reading import Submission, read_claims
from generation.engine.judging.report import AttemptKind, JudgeReport
from generation.engine.rewriting.freeform.reading import FreeformReading
from generation.engine.rewriting.rewrite import Rewrite, rewrite_from_dict
from generation.engine.rewriting.writer import written_again
from generation.engine.run_options import NO_MODEL, RULES
from generation.engine.stages import Stage
from generation.models import JudgeFinding, RunTake, TakeJudgement
from generation.services.stage import StageWork, TakeWork, store_row
from generation.services.stages.plan import plan_of
from generation.services.stages.write import RewriteProduct
from generation.services.texts.run_models import asker_of, model_failures, text_endpoint_by_id
from generation.services.texts.step_frames import step_frames
from generation.services.texts.writing import repairer


@dataclass(frozen=True, slots=True)
class JudgementProduct:
    """The rewrite after judging and repairing.

    `sense_left` counts the findings of sense that are left, None if there were no such checks yet.
    `report` is None if the product was loaded from its rows: only pages need the findings.
    """

    rewrite: Rewrite
    status: JudgedStatus
    model: str
    hard_left: int
    sense_left: int | None
    report: JudgeReport | None = None

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        row = TakeJudgement.objects.get(run_take=run_take)
        return cls(
            rewrite_from_dict(row.document),
            JudgedStatus(row.status),
            row.model,
            row.hard_left,
            row.sense_left if row.sense_checks else None,
        )

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        report = self._report
        at_first, left = count_findings(report.initial), count_findings(report.remaining)
        by_model = [item for item in report.attempts if item.kind is not AttemptKind.RULE]
        judgement = TakeJudgement(
            run_take=run_take,
            document=self.rewrite.to_dict(),
            status=self.status,
            model=self.model,
            prompt_versions=sorted({item.name for item in by_model if item.name}),
            attempts=[attempt.to_dict() for attempt in report.attempts],
            hard_found=at_first.hard,
            soft_found=at_first.soft,
            hard_left=left.hard,
            soft_left=left.soft,
            changed_words=report.changed_words,
            judged_at=timezone.now(),
            sense_checks=list(sense_checks()),
            sense_left=self.sense_left or 0,
        )
        findings = [
            JudgeFinding(
                judgement=judgement,
                is_left=is_left,
                code=finding.code,
                severity=finding.severity,
                position=finding.position,
                detail=finding.detail,
                event_id=finding.event_id or "",
                entity=finding.entity or "",
            )
            for is_left, findings in ((False, report.initial), (True, report.remaining))
            for finding in findings
        ]
        return partial(_write, judgement, findings)

    def summary(self) -> dict[str, object]:
        left: FindingCounts = count_findings(self._report.remaining)
        return {
            "judge": self.model,
            "hard": left.hard,
            "soft": left.soft,
            "repairs": len(self._report.adopted),
        }

    @property
    def _report(self) -> JudgeReport:
        assert self.report is not None  # noqa: S101 - only a fresh judgement is stored
        return self.report


def _write(judgement: TakeJudgement, findings: list[JudgeFinding]) -> None:
    store_row(judgement)
    JudgeFinding.objects.filter(judgement=judgement).delete()
    for finding in findings:
        # The judgement has its key only now.
        finding.judgement = judgement
    JudgeFinding.objects.bulk_create(findings)


def work(take: TakeWork) -> None:
    """Judge by rules, and let the model that the run's options name repair what is left."""
    judge = take.settings.options.judge
    if judge == NO_MODEL:
        take.hand_over(_judgement(NO_MODEL, _judged(take)))
        return
    endpoint = text_endpoint_by_id(judge)
    frames = None
    if endpoint.supports_images:
        frames = step_frames(take.run_take.take, take.procedure)
    with model_failures(endpoint):
        judged = _judged(take, ask=repairer(asker_of(take, endpoint)), frames=frames)
    take.hand_over(_judgement(endpoint.name, judged))


def _judged(
    take: TakeWork, *, ask: Repairer | None = None, frames: FrameSource | None = None
) -> Judged:
    written, plan = take.get(RewriteProduct), plan_of(take)
    submission = Submission(written.rewrite)
    if take.settings.options.is_freeform:
        submission = read_claims(FreeformReading(written.rewrite, {}), written.problems)
    others = written_again(plan, take.settings.seed) if written.model == RULES else ()
    return judge(plan, submission, others=others, ask=ask, frames=frames)


def _judgement(model: str, judged: Judged) -> JudgementProduct:
    left = judged.report.remaining
    return JudgementProduct(
        judged.rewrite,
        judged.status,
        model,
        hard_left=count_findings(left).hard,
        sense_left=sum(finding.code in sense_checks() for finding in left),
        report=judged.report,
    )


WORK = StageWork(Stage.JUDGE, work, lambda options: options.judge == NO_MODEL)
