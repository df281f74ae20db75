"""Read assessments: who may see which, their progress, cost and answers."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Count, Prefetch, Q, QuerySet, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import JobStatus, JobStop, User
from benchmarks.engine import task as engine
from benchmarks.engine.scoring import tally_with_missing
from benchmarks.models import (
    AgentCall,
    Answer,
    AnswerStage,
    Assessment,
    Item,
    ItemSet,
    ParticipantKind,
)
from benchmarks.selectors.item_sets import (
    item_sets_hidden_from,
    may_change_item_set,
    visible_item_sets,
)
from benchmarks.selectors.judging import with_grades
from benchmarks.selectors.stored_items import StoredItems
from generation.models import TextCall
from generation.selectors.calls.spending import Spending, paid_by, spending_of

# So many of the answers took at most as long as what is shown as slow.
SLOW = 0.95


def get_assessment_for_user(user: User, public_id: str) -> Assessment:
    """An assessment of a visible item set, or the user's own as a person; raises Http404.

    The user's own is hidden too while they rate the data in an open campaign: its figures reveal
    the truth.
    """
    rated_now = Q(item_set__in=item_sets_hidden_from(user).values("pk"))
    visible = Q(person=user) & ~rated_now | Q(item_set__in=visible_item_sets(user))
    related = ("item_set", "job", "endpoint", "agent", "owner", "person")
    rows = Assessment.objects.select_related(*related)
    return get_object_or_404(rows.filter(visible), public_id=public_id)


def get_changeable_assessment(user: User, public_id: str) -> Assessment:
    """An assessment that the user may cancel, resume and delete; raises Http404."""
    assessment = get_assessment_for_user(user, public_id)
    owns = user.is_researcher and assessment.owner_id == user.pk
    if not owns and not may_change_item_set(user, assessment.item_set):
        raise Http404
    return assessment


def get_own_answering(user: User, public_id: str) -> Assessment:
    """The user's own assessment as a person; raises Http404."""
    rows = Assessment.objects.select_related("item_set").filter(person=user)
    return get_object_or_404(rows, public_id=public_id)


def get_participant(user: User, item_set: ItemSet, username: str = "") -> User:
    """The person who is to answer: the user, or another whom somebody who may change the set names.

    Raises Http404, and ValidationError where there is no such account.
    """
    if username in {"", user.get_username()}:
        return user
    if not may_change_item_set(user, item_set):
        raise Http404
    person = User.objects.filter(username=username, is_active=True).first()
    if person is None:
        raise ValidationError({"username": f"There is no account {username!r}."})
    return person


def state_of(assessment: Assessment) -> str:
    """The state in a word; a run that met its budget did what it was told, and is "stopped"."""
    job = assessment.job
    if job is not None and job.stop_reason == JobStop.BUDGET_SPENT:
        return "stopped"
    if job is not None and job.status != JobStatus.DONE:
        return str(job.status)
    return "done" if assessment.frozen_at else "answering"


def spending_on(assessment: Assessment) -> Spending:
    """What the calls of an assessment cost (three queries, six where an agent was asked)."""
    kinds = (TextCall, AgentCall) if assessment.kind == ParticipantKind.AGENT else (TextCall,)
    sums = [spending_of(*paid_by(kind, assessment.payer_key)) for kind in kinds]
    return Spending(**{name: sum(one[name] for one in sums) for name in sums[0]})


def usage_of(assessment: Assessment) -> dict[str, Any]:
    """The `Assessment.usage` as stored, or so far while answers are not final (one query)."""
    if assessment.frozen_at is not None:
        return dict(assessment.usage)
    return usage_so_far(assessment)


def usage_so_far(assessment: Assessment) -> dict[str, Any]:
    """The usage of the stored answers (three queries, none where no model was asked)."""
    if assessment.kind not in {ParticipantKind.ENDPOINT, ParticipantKind.AGENT}:
        return {}
    call = "agent_call" if assessment.kind == ParticipantKind.AGENT else "call"
    usage: Counter[str] = Counter()
    usd: list[Decimal] = []
    last = Answer.objects.filter(assessment=assessment)
    for rows in (last, AnswerStage.objects.filter(answer__assessment=assessment)):
        sums = rows.filter(**{f"{call}__isnull": False}).aggregate(
            usd=Sum(f"{call}__price"),
            tokens_in=Sum(f"{call}__tokens_in"),
            tokens_out=Sum(f"{call}__tokens_out"),
            seconds=Sum(f"{call}__seconds"),
        )
        if sums["seconds"] is not None:
            usd += filter(None, [sums.pop("usd")])
            usage.update(sums)
    if not usage:
        return {}
    each = [seconds for (seconds,) in last.values_list("seconds") if seconds is not None]
    middle, slow = map(float, np.quantile(each, (0.5, SLOW))) if each else (None, None)
    roles = _usage_of_roles(assessment) if assessment.settings.get("roles") else {}
    return {
        **usage,
        "usd": float(sum(usd)) if usd else None,
        "seconds_median": middle,
        "seconds_p95": slow,
        **({"roles": roles} if roles else {}),
    }


def _usage_of_roles(assessment: Assessment) -> dict[str, dict[str, Any]]:
    """What each role beside the participant cost, which is in the sums, too (one query)."""
    stages = AnswerStage.objects.filter(answer__assessment=assessment, call__isnull=False)
    rows = stages.exclude(role="").order_by("role").values_list("role")
    columns = ("price", "tokens_in", "tokens_out", "seconds")
    usage = {}
    for role, price, *numbers in rows.annotate(*(Sum(f"call__{column}") for column in columns)):
        sums = dict(zip(columns[1:], numbers, strict=True))
        usage[role] = {"usd": None if price is None else float(price), **sums}
    return usage


def answers_without_role(assessment: Assessment) -> QuerySet[Answer]:
    """The answers for which somebody beside the participant, such as a planner, gave no reply."""
    failed = {"stages__status": engine.AnswerStatus.FAILED, "stages__role__gt": ""}
    return Answer.objects.filter(assessment=assessment, **failed).distinct()


def status_counts(assessment: Assessment) -> dict[str, int]:
    """The number of answers by status; items without an answer are missing (one query)."""
    rows = Answer.objects.filter(assessment=assessment).order_by().values_list("status")
    counts = {status.value: 0 for status in engine.AnswerStatus}
    counts.update(dict(rows.annotate(count=Count("pk"))))
    expected = assessment.item_set.item_count * repeats_of(assessment)
    counts[engine.AnswerStatus.MISSING] += max(0, expected - sum(counts.values()))
    return counts


def reading_versions(assessment: Assessment) -> list[int]:
    """The versions of the rule by which a model's answers were read."""
    return list(assessment.settings.get("reading_versions", [1]))


def asked_count(assessment: Assessment) -> int:
    """How many items a participant is asked about: all, or those of its sample."""
    return int(assessment.settings.get("sampled", assessment.item_set.item_count))


def sampled(item_set: ItemSet, limit: int | None) -> Iterator[list[Item]]:
    """The items to ask about in turn: a single one, or a whole sequence, without their truth.

    With a `limit` the first of them, up to so many items, but at least one sequence. Their names
    are hashes, so their order is as good as drawn, and the same for every participant.
    """
    rows = item_set.test_items.defer("truth", "groups").select_related("video__dataset")
    order = rows.order_by("sequence", "sequence_position", "position").prefetch_related("shared")
    count = 0
    for sequence, group in groupby(order.iterator(chunk_size=2000), key=lambda item: item.sequence):
        for unit in [list(group)] if sequence else ([item] for item in group):
            if limit is not None and count and count + len(unit) > limit:
                return
            count += len(unit)
            yield unit
            if limit is not None and count >= limit:
                return


def variant_of(assessment: Assessment, task: engine.Task) -> engine.Variant:
    """The way in which a model is asked; raises ValueError where its task has it no more."""
    return task.variant(assessment.settings.get("variant", ""))


def repeats_of(assessment: Assessment) -> int:
    return int(assessment.settings.get("repeats", 1))


@dataclass(frozen=True, slots=True)
class AnswerSheet:
    """What a task scores: the items, once for each repeat, and their answers in the same order."""

    items: Sequence[engine.Item]
    answers: Sequence[engine.Answered]


def tallies_of(assessment: Assessment, task: engine.Task, sheet: AnswerSheet) -> list[engine.Tally]:
    """The tally of all answers, or for a trained model one tally per seed.

    Repeats are answers of the same model, but each seed is a model of its own. Of an upload that
    counts its missing answers, these are wrong answers in every figure.
    """
    if assessment.settings.get("counts_missing"):
        return [tally_with_missing(task, sheet.items, sheet.answers)]
    is_trained = assessment.kind == ParticipantKind.TRAINED
    count = repeats_of(assessment) if is_trained else 1
    if count == 1:
        return [task.tally(sheet.items, sheet.answers)]
    length = len(sheet.items) // count
    parts = [slice(length * place, length * (place + 1)) for place in range(count)]
    return [task.tally(sheet.items[part], sheet.answers[part]) for part in parts]


STATUSES = {status.value: status for status in engine.AnswerStatus}
# Plain SQL: a million answers through the ORM take minutes.
ANSWERS_SQL = """
SELECT item_id, repeat, status, CAST(value AS text), CAST(judged AS text),
  status <> 'read' AND TRIM(raw) = '' FROM benchmarks_answer
WHERE assessment_id = %s
"""
ROWS_AT_ONCE = 100_000


def answers_of(assessment: Assessment) -> AnswerSheet:
    """The items and answers of an assessment (two queries).

    Equal answers are parsed once and share one object: there may be a million.
    """
    items = StoredItems(assessment.item_set.test_items)
    repeats, count = repeats_of(assessment), len(items)
    answers = [engine.MISSING] * (count * repeats)
    order = {pk: place for place, pk in enumerate(items.row_ids)}
    with connection.cursor() as cursor:
        cursor.execute(ANSWERS_SQL, [assessment.pk])
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            different = list({row[2:] for row in rows})
            # Parsed as one document, which takes a fifth of the time.
            values = json.loads(f"[{','.join(value or 'null' for _, value, *_ in different)}]")
            read = {
                text: engine.Answered(
                    STATUSES[text[0]], value, _judged_values(text[2]), bool(text[3])
                )
                for text, value in zip(different, values, strict=True)
            }
            for row in rows:
                answers[row[1] * count + order[row[0]]] = read[row[2:]]
    return AnswerSheet(items if repeats == 1 else list(items) * repeats, answers)


def _judged_values(judged: str) -> dict[str, engine.Value]:
    values = {name: judgement.get("value") for name, judgement in json.loads(judged).items()}
    return {name: value for name, value in values.items() if value is not None}


def with_requests(answers: QuerySet[Answer]) -> QuerySet[Answer]:
    """Answers with the requests behind them (one more query for those before their last)."""
    stages = AnswerStage.objects.select_related("call", "agent_call")
    rows = answers.select_related("call", "agent_call")
    return rows.prefetch_related(Prefetch("stages", stages))


def answers_to_items(
    assessments: Iterable[Assessment], item_ids: Iterable[int]
) -> dict[int, list[Answer]]:
    """The answers of all these assessments by the items' row ids (a few queries)."""
    rows = Answer.objects.filter(assessment__in=list(assessments), item__in=list(item_ids))
    answers = defaultdict(list)
    rows = with_grades(with_requests(rows.select_related("assessment")))
    for answer in rows.order_by("assessment", "repeat"):
        answers[answer.item_id].append(answer)
    return answers
