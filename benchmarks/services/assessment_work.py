"""The work behind assessments: claim the job, ask item by item or train, let judges judge, score.

Every answer is stored under the claim of the job, together with the claim of what the same thread
asks next: a worker that has lost the job asks nothing more. A reply whose answer was not stored yet
is in the record of paid calls and is read from there.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from threading import Event, Lock
from typing import Any

from django.conf import settings
from django.db import transaction

from annotation.models import Job, JobStatus, JobStop
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    cancel_jobs,
    extend_lease,
    fail_job,
    finish_job,
    work_on_jobs,
)
from annotation.services.records.parallel import each_done
from benchmarks.engine.task import AnswerStatus, Earlier, Task
from benchmarks.engine.training.course import UntrainableError
from benchmarks.models import (
    AgentEndpoint,
    Answer,
    AnswerStage,
    Assessment,
    Item,
    ParticipantKind,
)
from benchmarks.selectors.assessments import (
    answers_of,
    asked_count,
    repeats_of,
    sampled,
    variant_of,
)
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.agents import AgentAsker
from benchmarks.services.askable import untrusted_judges, usable_agents, usable_endpoints
from benchmarks.services.asking import Asking, ask_item, ask_judge, needs_judge
from benchmarks.services.assessments import (
    ASKED_KINDS,
    UPLOAD,
    record_assessment,
)
from benchmarks.services.conversing import converse_about
from benchmarks.services.examples import example_pool
from benchmarks.services.figures import figures_of_answers, store_figures
from benchmarks.services.training_work import train
from benchmarks.services.uploads import take_away_upload
from generation.backends.exceptions import BudgetSpentError, CancelledError, StoppedError
from generation.models import Endpoint, TextEndpoint
from generation.services.calls.payer import NOTHING, Payer, WithClaims
from generation.services.calls.plain_rows import put_row
from generation.services.calls.shared_transactions import write_together
from generation.services.texts.asker import PromptAsker, TextAsker

# If this many items fail in a row before any is answered, the rest would fail too.
HOPELESS = 20
READ_AT_ONCE = 500
# How long an answer to whether the owner may use an endpoint is taken as given.
RIGHTS_LAST_S = 1.0


class HopelessError(Exception):
    """The endpoint answers nothing; the message has its last error."""


def work_on_assessments(*, job_ids: Sequence[int], watch: Progress | None = None) -> None:
    """Work on the assessments behind these jobs; safe to call twice with the same ids.

    `watch` is told of the progress too; it raises CancelledError to have the work cancelled.
    """
    work_on_jobs(job_ids=job_ids, handler=partial(_work, watch=watch))


def _work(claim: Claim, watch: Progress | None) -> None:
    related = ("item_set", "endpoint", "agent", "owner")
    assessment = Assessment.objects.select_related(*related).get(job_id=claim.job_id)
    if claim.payload.get(UPLOAD):
        take_away_upload(claim, assessment)
        return
    task = task_of(assessment.item_set)
    try:
        with beating(claim) as is_lost:
            work = _Work(claim, is_lost, assessment, task, watch)
            summary = {}
            if assessment.kind in ASKED_KINDS:
                _ask_items(work)
            elif assessment.kind == ParticipantKind.TRAINED:
                summary = train(claim, assessment, task, work.check)
            _ask_judges(work)
            answers = answers_of(assessment)
            figures = figures_of_answers(assessment, answers)
    except CancelledError as error:
        if not is_lost.is_set():
            cancel_jobs(job_ids=[claim.job_id])
        raise LostClaimError(str(error)) from error
    except (StoppedError, HopelessError, UntrainableError) as error:
        with transaction.atomic():
            is_spent = isinstance(error, BudgetSpentError)
            stop_reason = JobStop.BUDGET_SPENT if is_spent else ""
            fail_job(claim=claim, error=f"It was stopped: {error}", stop_reason=stop_reason)
            detail = {"reason": str(error), "attempt": claim.attempt}
            record_assessment(assessment, None, "stop", detail)
        return
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result={"answers": len(answers.answers), **summary})
        store_figures(assessment, figures)
        detail = {"attempt": claim.attempt, **assessment.counts}
        record_assessment(assessment, None, "finish", detail)


@dataclass(slots=True)
class _Work:
    """One assessment in a worker; used by several threads."""

    claim: Claim
    is_lost: Event
    assessment: Assessment
    task: Task
    watch: Progress | None = None
    lock: Lock = field(default_factory=Lock)
    done_count: int = 0
    total_count: int = 0
    failed_in_row: int = 0
    has_answer: bool = False
    # Whether an item may take several requests.
    has_stages: bool = False
    # By kind and key of an endpoint: when it was asked whether it may be used, and the answer.
    rights: dict[tuple[type[Endpoint], int], tuple[float, bool]] = field(default_factory=dict)
    # Those that no thread is using.
    resting: list["_Unstored"] = field(default_factory=list)

    def check(self) -> None:
        if self.is_lost.is_set():
            raise CancelledError("the assessment was cancelled, or another worker has it")
        if self.watch is not None:
            with self.lock:
                self.watch(self.done_count, self.total_count)

    def asker(
        self,
        endpoint: TextEndpoint | AgentEndpoint,
        position: int,
        with_claims: WithClaims = NOTHING,
    ) -> "PromptAsker[Any]":
        """A client that asks about the item at a position, paid for by the assessment."""
        row = self.assessment
        budget = row.settings.get("budget_usd")
        payer = Payer(
            key=row.payer_key,
            part=position,
            name=f"the assessment of {row.name!r}",
            budget=None if budget is None else Decimal(str(budget)),
            check=self.check,
            # An agent may take minutes over an answer that nobody wants any more.
            hang_up=self.check if isinstance(endpoint, AgentEndpoint) else None,
            may_ask=self._may_ask,
            is_cancelled=self._is_cancelled,
            with_claims=with_claims,
        )
        if isinstance(endpoint, AgentEndpoint):
            return AgentAsker(endpoint, payer)
        return TextAsker(endpoint, payer)

    def _is_cancelled(self) -> bool:
        return Job.objects.filter(pk=self.claim.job_id, status=JobStatus.CANCELLED).exists()

    def _may_ask(self, endpoint: Endpoint) -> bool:
        kind, now_s = type(endpoint), time.monotonic()
        known_at_s, may = self.rights.get((kind, endpoint.pk), (-RIGHTS_LAST_S, False))
        if now_s - known_at_s >= RIGHTS_LAST_S:
            of_kind = usable_agents if kind is AgentEndpoint else usable_endpoints
            may = of_kind(self.assessment.owner).filter(pk=endpoint.pk).exists()
            self.rights[kind, endpoint.pk] = now_s, may
        return may

    def store(self, mine: "_Unstored", answer: Answer, stages: Sequence[AnswerStage]) -> None:
        """Store an answer with the next claim of its thread, or else with its next answer."""
        with self.lock:
            self.done_count += 1
            is_failed = answer.status == AnswerStatus.FAILED
            self.has_answer = self.has_answer or not is_failed
            self.failed_in_row = self.failed_in_row + 1 if is_failed else 0
            done_count, is_hopeless = self.done_count, self.failed_in_row >= HOPELESS
        mine.answers.append((answer, stages))
        if len(mine.answers) > 1:
            write_together(mine.write)
            mine.written()
        if is_hopeless and not self.has_answer:
            raise HopelessError(f"the first {done_count} items all failed: {answer.reason}")

    def each(self, jobs: Sequence[Callable[["_Unstored"], None]], at_once: int) -> None:
        """Do what asks and stores, `at_once` of it at a time, and store what is left at the end."""

        def do(job: Callable[["_Unstored"], None]) -> None:
            with self.lock:
                mine = self.resting.pop() if self.resting else _Unstored(self)
            try:
                job(mine)
            finally:
                with self.lock:
                    self.resting.append(mine)

        try:
            _each([partial(do, job) for job in jobs], at_once)
        finally:
            for one in self.resting:
                if one.answers:
                    write_together(one.write)
                    one.written()


class _Unstored:
    """Answers of one thread that are stored with what it claims next; see `WithClaims`."""

    def __init__(self, work: _Work) -> None:
        self.answers: list[tuple[Answer, Sequence[AnswerStage]]] = []
        self._work = work

    def write(self) -> None:
        work = self._work
        extend_lease(claim=work.claim, done_count=work.done_count, total_count=work.total_count)
        for answer, stages in self.answers:
            answer.pk = put_row(answer, ("assessment", "item", "repeat"))
            if work.has_stages:
                # One that failed may have been asked in other stages.
                AnswerStage.objects.filter(answer=answer).delete()
                for stage in stages:
                    # Of a transaction that was undone.
                    stage.pk = None
                AnswerStage.objects.bulk_create(stages)

    def written(self) -> None:
        self.answers.clear()


def _ask_items(work: _Work) -> None:
    """Ask about every item that has no answer yet, those of a sequence in their order."""
    assessment = work.assessment
    endpoint = assessment.asked
    if endpoint is None:
        raise HopelessError(f"its {assessment.get_kind_display().lower()} was deleted")
    endpoints = {"": endpoint, **_endpoints_of_roles(assessment)}
    # The detail is part of a request's key, so it must be the assessment's and not the endpoint's
    # current one, else recorded replies would not be found.
    for one in endpoints.values():
        if isinstance(one, TextEndpoint):
            one.image_detail = assessment.settings.get("picture_detail", one.image_detail)
    endpoint.timeout_s = assessment.settings.get("timeout_s", endpoint.timeout_s)
    at_once = min(
        endpoint.concurrency, assessment.settings.get("concurrency", endpoint.concurrency)
    )
    stored = Answer.objects.filter(assessment=assessment).exclude(status=AnswerStatus.FAILED)
    values = {
        (item_id, repeat): value
        for item_id, repeat, value in stored.values_list("item_id", "repeat", "value")
    }
    work.total_count = asked_count(assessment) * repeats_of(assessment)
    work.done_count = len(values)
    try:
        variant = variant_of(assessment, work.task)
    except ValueError as error:
        # The installation is another than when it was started.
        raise HopelessError(str(error)) from error
    pool = example_pool(assessment.item_set, variant)
    asking = Asking(assessment, work.task, variant, pool)
    work.has_stages = work.task.converses or variant.request_count > 1

    def ask_in_turn(items: Sequence[Item], repeat: int, mine: _Unstored) -> None:
        earlier: list[Earlier] = []
        is_changed = False
        state: Mapping[str, Any] = {}
        for place, item in enumerate(items):
            work.check()
            value = values.get((item.pk, repeat))
            # Later prompts of a sequence contain this answer: after a new one, ask them again too.
            if is_changed or (item.pk, repeat) not in values:
                askers = {
                    role: work.asker(one, item.position, mine) for role, one in endpoints.items()
                }
                if work.task.converses:
                    if not is_changed and place:
                        state = _state_after(assessment, items[place - 1], repeat)
                    answer, stages = converse_about(asking, askers, item, repeat, state)
                    state = answer.state
                else:
                    answer, stages = ask_item(asking, askers[""], item, repeat, tuple(earlier))
                is_changed = True
                work.store(mine, answer, stages)
                value = answer.value
            earlier.append(Earlier(engine_item(item, with_truth=False), value))

    unfinished = [
        (unit, repeat)
        # Truth is not even read where models are asked.
        for unit in sampled(assessment.item_set, assessment.settings.get("limit"))
        for repeat in range(repeats_of(assessment))
        if any((item.pk, repeat) not in values for item in unit)
    ]
    work.each([partial(ask_in_turn, *pair) for pair in unfinished], at_once)


def _endpoints_of_roles(assessment: Assessment) -> dict[str, TextEndpoint]:
    """Who is asked beside the participant, by the role; raises HopelessError where one is gone."""
    ids: Mapping[str, str] = assessment.settings.get("roles", {})
    rows = {one.public_id: one for one in TextEndpoint.objects.filter(public_id__in=ids.values())}
    if gone := [role for role, public_id in ids.items() if public_id not in rows]:
        raise HopelessError(f"the text model of its {', '.join(gone)} was deleted")
    return {role: rows[public_id] for role, public_id in ids.items()}


def _state_after(assessment: Assessment, item: Item, repeat: int) -> Mapping[str, Any]:
    """What the conversation about an item left, {} where it has no answer."""
    rows = Answer.objects.filter(assessment=assessment, item=item, repeat=repeat)
    state: Mapping[str, Any] | None = rows.values_list("state", flat=True).first()
    return state or {}


def _ask_judges(work: _Work) -> None:
    """Have every judge judge every answer that it has not judged yet."""
    assessment, task = work.assessment, work.task
    judge_ids = assessment.settings.get("judges", [])
    judges = list(TextEndpoint.objects.filter(public_id__in=judge_ids).order_by("pk"))
    if not judge_ids:
        return
    if len(judges) < len(judge_ids):
        raise HopelessError("a judge's text model was deleted")
    # Its owner may have given it another server since it was chosen.
    for endpoint in untrusted_judges(assessment, judges):
        raise HopelessError(
            f"{endpoint.name} is no judge that the set's owner named, or has another server since"
        )
    read = Answer.objects.filter(assessment=assessment, status=AnswerStatus.READ)

    def judge(answer: Answer) -> None:
        work.check()
        if answer.value is None:
            return
        item = engine_item(answer.item)
        if not task.judge_prompts(item, answer.value):
            return
        for endpoint in judges:
            if needs_judge(answer.judged, endpoint.name):
                asker = work.asker(endpoint, answer.item.position)
                answer.judged = {
                    **answer.judged,
                    endpoint.name: ask_judge(asker, task, item, answer.value),
                }
        with work.lock:
            work.done_count += 1
            done_count = work.done_count
        with transaction.atomic():
            extend_lease(claim=work.claim, done_count=done_count, total_count=work.total_count)
            answer.save(update_fields=["judged"])

    unjudged = [
        answer
        for answer in read.order_by("pk").prefetch_related("item__shared").iterator(READ_AT_ONCE)
        if any(needs_judge(answer.judged, endpoint.name) for endpoint in judges)
    ]
    work.total_count = read.count()
    work.done_count = work.total_count - len(unjudged)
    at_once = min(endpoint.concurrency for endpoint in judges)
    _each([partial(judge, answer) for answer in unjudged], at_once)


def _each(jobs: Sequence[Callable[[], None]], at_once: int) -> None:
    """Run the jobs, at most `at_once` at a time; the first exception ends the others."""
    for _ in each_done(jobs, lambda job: job(), at_once=min(at_once, settings.TAKES_AT_ONCE)):
        pass
