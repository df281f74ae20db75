"""The judging of text answers, a second stage that is paid for: prices, and starting it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from annotation.models import AT_WORK, User
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import requeue_jobs
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import Answer, Assessment, ItemSet
from benchmarks.selectors.assessments import spending_on
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.askable import (
    judge_settings,
    judges_open_to,
    refuse_judges,
    usable_endpoint,
    usable_endpoints,
)
from benchmarks.services.asking import needs_judge, request_of
from benchmarks.services.asking_prices import mean_price
from benchmarks.services.assessments import (
    queue_assessment,
    record_assessment,
    refuse_more,
)
from benchmarks.services.item_sets import lock_item_set
from generation.backends.text.model import TextRequest
from generation.models import TextEndpoint

# The price of more answers is extrapolated from this many.
PRICED_ANSWERS = 200


@dataclass(frozen=True, slots=True)
class JudgePrice:
    """How many answers a judge would grade, and the highest cost if each is asked once.

    `usd` is None where the model has no prices.
    """

    endpoint: TextEndpoint
    left_count: int
    usd: Decimal | None

    @property
    def words(self) -> str:
        name = f"{self.endpoint.name} ({self.endpoint.model_name})"
        if not self.left_count:
            return f"{name}: has graded every answer"
        answers = f"{self.left_count} answer{'s' * (self.left_count != 1)}"
        cost = "its prices are not known" if self.usd is None else f"at most ${self.usd:.4f}"
        return f"{name}: {answers}, {cost}"


def may_judge(assessment: Assessment) -> bool:
    at_work = assessment.job is not None and assessment.job.status in AT_WORK
    return (
        task_of(assessment.item_set).is_judged and assessment.frozen_at is not None and not at_work
    )


def judges_for(
    assessment: Assessment, actor: User | None, *, sees_truth: bool | None = None
) -> QuerySet[TextEndpoint]:
    """The text models that may judge: open to `actor`, and usable by the owner, who pays."""
    owners = usable_endpoints(assessment.owner).values("pk")
    judges = judges_open_to(actor, assessment.item_set, sees_truth=sees_truth)
    return judges.filter(pk__in=owners).order_by("name")


def judge_prices(
    assessment: Assessment, actor: User | None, *, sees_truth: bool | None = None
) -> list[JudgePrice]:
    """The price of each possible judge by name, including those that graded everything."""
    read = Answer.objects.filter(assessment=assessment, status=AnswerStatus.READ)
    endpoints = list(judges_for(assessment, actor, sees_truth=sees_truth))
    if not endpoints:
        return []
    judged = list(read.values_list("judged", flat=True))
    priced = list(islice(_requests(assessment, read), PRICED_ANSWERS))
    requests = [request for of_answer in priced for request in of_answer]
    costs = []
    for endpoint in endpoints:
        left_count = sum(needs_judge(judgements, endpoint.name) for judgements in judged)
        each = left_count / len(priced) if priced else 0
        usd = mean_price(endpoint, requests, round(each * len(requests)))
        costs.append(JudgePrice(endpoint, left_count, usd))
    return costs


def _requests(assessment: Assessment, answers: QuerySet[Answer]) -> Iterator[list[TextRequest]]:
    """What a judge is asked about each answer that has something to grade."""
    task = task_of(assessment.item_set)
    rows = answers.order_by("pk").select_related("item").prefetch_related("item__shared")
    for answer in rows.iterator(chunk_size=PRICED_ANSWERS):
        prompts = task.judge_prompts(engine_item(answer.item), answer.value or {})
        if prompts:
            yield [request_of(task, prompt) for prompt in prompts]


@transaction.atomic
def name_judges(*, item_set: ItemSet, judges: Sequence[str], actor: User | None) -> None:
    """Let everybody who may use these text models have answers to a set graded by them.

    Their servers are then sent its truth. Raises ValidationError for one that is not the actor's to
    use, and ItemSetInUseError where the set is deleted.
    """
    # Else of two who name judges at once the set would get both lists, and the servers of one.
    lock_item_set(item_set)
    usable = usable_endpoints(actor)
    named = [usable_endpoint(usable, public_id) for public_id in judges]
    item_set.judges.set(named)
    item_set.judge_servers = {judge.public_id: judge.base_url for judge in named}
    item_set.save(update_fields=["judge_servers"])
    subject = f"item_set:{item_set.public_id}"
    record(actor=actor, action="item_set.judges", subject=subject, detail={"judges": [*judges]})


@transaction.atomic
def judge_assessment(
    *,
    assessment: Assessment,
    judges: Sequence[str],
    actor: User | None,
    budget_usd: float | None = None,
) -> list[int]:
    """Have text models judge final answers; the figures are computed again afterwards.

    Judgements of earlier judges stay. `budget_usd` limits what is spent from now on. Returns the
    ids of the jobs to send; raises ValidationError.
    """
    rows = Assessment.objects.select_related("item_set", "owner", "job")
    # Locked, else of two users who name judges at once, one's judges would be lost.
    refuse_more(actor, assessment)
    assessment = rows.select_for_update(of=("self",)).get(pk=assessment.pk)
    task = task_of(assessment.item_set)
    if not task.is_judged:
        raise ValidationError(f"{task.title} has nothing to judge.")
    if not may_judge(assessment):
        raise ValidationError(f"{assessment.name} is not finished.")
    if not judges:
        raise ValidationError({"judges": "Name at least one text model."})
    refuse_judges(actor, assessment.item_set, judges)
    if budget_usd is not None and not 0 < budget_usd < 1_000_000:
        raise ValidationError({"budget_usd": f"It is {budget_usd}; expected dollars above 0."})
    before = assessment.settings
    usable = judges_for(assessment, actor)
    still_there = TextEndpoint.objects.filter(public_id__in=before.get("judges", []))
    kept_judges = still_there.values_list("public_id", flat=True)
    chosen = judge_settings(usable, judges, before.get("model", ""))
    settings = {
        **before,
        "judges": list(dict.fromkeys([*kept_judges, *chosen["judges"]])),
        "judge_names": list(
            dict.fromkeys([*before.get("judge_names", []), *chosen["judge_names"]])
        ),
        "kin_judges": list(dict.fromkeys([*before.get("kin_judges", []), *chosen["kin_judges"]])),
    }
    if budget_usd is not None:
        settings["budget_usd"] = float(spending_on(assessment).highest_price) + budget_usd
    assessment.settings = settings
    if assessment.job_id is None:
        job_ids = queue_assessment(assessment, actor)
    else:
        assessment.save(update_fields=["settings"])
        job_ids = requeue_jobs(job_ids=[assessment.job_id], with_done=True)
    detail = {"judges": chosen["judge_names"], "budget_usd": budget_usd}
    record_assessment(assessment, actor, "judge", detail)
    return job_ids
