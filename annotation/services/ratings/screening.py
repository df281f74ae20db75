"""Screening the raters of a round: thresholds, running the rules, and what a person decides.

Rules exclude nobody. Each of the three steps has its row in the audit log.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotation.analytics.raters.screening import screen
from annotation.analytics.raters.screening_terms import Thresholds
from annotation.models import (
    JobStatus,
    Round,
    ScreeningPlan,
    ScreeningResult,
    ScreeningState,
    User,
)
from annotation.selectors.figures.rater_figures import rater_data, ratings_changes
from annotation.selectors.ratings.screening import screening_plan
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import (
    Claim,
    beating,
    enqueue_jobs,
    finish_job,
    work_on_jobs,
)

# Also the name of the Celery task.
JOB_KIND = "annotation.screening"


@transaction.atomic
def set_thresholds(*, round_: Round, thresholds: Thresholds, actor: User | None) -> ScreeningPlan:
    """Set where the rules of a round draw their lines; what they found before stays until a run."""
    plan, _ = ScreeningPlan.objects.select_for_update().get_or_create(round=round_)
    stored = asdict(thresholds)
    before = asdict(Thresholds(**plan.thresholds))
    if stored != before:
        plan.thresholds = stored
        plan.changed_at = timezone.now()
        plan.save(update_fields=["thresholds", "changed_at"])
        changed = {name: value for name, value in stored.items() if before.get(name) != value}
        _record(actor, "screening.thresholds", round_, {"thresholds": changed})
    return plan


def run_screening(*, round_: Round, actor: User | None) -> list[ScreeningResult]:
    """Run every rule over the round's answers and store what they found; decisions stay."""
    run = _run(round_, actor)
    with transaction.atomic():
        _store(run, actor)
    return run.results


def queue_screening(*, round_: Round, actor: User) -> list[int]:
    """Queue a run of the rules; none while one waits.

    One at work has read the thresholds of before, so it is taken its claim and stores nothing.
    """
    with transaction.atomic():
        ScreeningPlan.objects.get_or_create(round=round_)
        locked = ScreeningPlan.objects.select_for_update(of=("self",)).select_related("job")
        plan = locked.get(round=round_)
        if plan.job is not None:
            if plan.job.status == JobStatus.QUEUED:
                return []
            plan.job.delete()
        name = f"{plan.pk}/{timezone.now().isoformat()}"
        [job_id] = enqueue_jobs(kind=JOB_KIND, payload_by_key={name: {}}, created_by=actor)
        ScreeningPlan.objects.filter(pk=plan.pk).update(job=job_id)
        return [job_id]


def run_queued_screenings(*, job_ids: Sequence[int]) -> None:
    """Run the rules behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_work)


def _work(claim: Claim) -> None:
    plans = ScreeningPlan.objects.filter(job=claim.job_id)
    plan = plans.select_related("round", "job__created_by").first()
    if plan is None or plan.job is None:
        finish_job(claim=claim, result={"skipped": "the round is gone"})
        return
    actor = plan.job.created_by
    with beating(claim):
        run = _run(plan.round, actor)
    with transaction.atomic():
        finish_job(claim=claim, result={"results": len(run.results)})
        _store(run, actor)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the rules found in a round, and how far its ratings were before that."""

    round: Round
    at: datetime
    change_count: int
    results: list[ScreeningResult]


def _run(round_: Round, actor: User | None) -> _Run:
    thresholds = Thresholds(**screening_plan(round_).thresholds)
    # Read first: what is saved meanwhile counts as newer.
    change_count = ratings_changes(round_)
    data = rater_data(round_)
    findings = screen(data.answers, data.evidence, thresholds)
    now = timezone.now()
    results = [
        ScreeningResult(
            round=round_,
            rater_id=data.rater_ids[item.rater],
            rule=item.rule.value,
            metric=item.metric,
            value=item.value,
            threshold=item.threshold,
            state=ScreeningState(item.finding.value),
            reason=item.reason,
            made_by=actor,
            made_at=now,
        )
        for item in findings
    ]
    return _Run(round_, now, change_count, results)


def _store(run: _Run, actor: User | None) -> None:
    plan, _ = ScreeningPlan.objects.select_for_update().get_or_create(round=run.round)
    plan.run_at, plan.change_count = run.at, run.change_count
    plan.save(update_fields=["run_at", "change_count"])
    run.round.screening_results.exclude(rule=ScreeningResult.DECISION).delete()
    ScreeningResult.objects.bulk_create(run.results)
    flagged = [
        {"rater": item.rater_id, "rule": item.rule}
        for item in run.results
        if item.state == ScreeningState.FLAGGED
    ]
    _record(actor, "screening.run", run.round, {"flagged": flagged})


@transaction.atomic
def decide_on_rater(
    *, round_: Round, rater: User, is_excluded: bool, why: str, actor: User
) -> ScreeningResult:
    """Exclude a rater of a round from the figures of the accepted, or accept one; with a reason."""
    if not why.strip():
        raise ValidationError({"why": "Say why: the reason stands beside the figures."})
    state = ScreeningState.EXCLUDED if is_excluded else ScreeningState.ACCEPTED
    result, _ = ScreeningResult.objects.update_or_create(
        round=round_,
        rater=rater,
        rule=ScreeningResult.DECISION,
        defaults={
            "state": state, "reason": why.strip(), "made_by": actor, "made_at": timezone.now()
        },
    )  # fmt: skip
    detail = {"rater": rater.pk, "state": state.value, "why": why.strip()}
    _record(actor, "screening.decide", round_, detail)
    return result


def _record(actor: User | None, action: str, round_: Round, detail: dict[str, object]) -> None:
    record(actor=actor, action=action, subject=f"round:{round_.public_id}", detail=detail)
