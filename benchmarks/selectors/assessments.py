"""Read assessments: who may see which, how far they are, what they cost, what was answered."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import JobStatus, User
from benchmarks.engine import task as engine
from benchmarks.models import Answer, Assessment, ItemSet
from benchmarks.selectors.item_sets import may_change_item_set, visible_item_sets
from generation.models import TextCall
from generation.selectors.calls.spending import Spending, paid_by, spending_of


def visible_assessments(user: User) -> QuerySet[Assessment]:
    """Those of visible item sets, and one's own as a person."""
    own = Q(person=user)
    return Assessment.objects.filter(own | Q(item_set__in=visible_item_sets(user)))


def get_assessment_for_user(user: User, public_id: str) -> Assessment:
    """A visible assessment; raises Http404."""
    rows = visible_assessments(user).select_related(
        "item_set", "job", "endpoint", "owner", "person"
    )
    return get_object_or_404(rows, public_id=public_id)


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


def state_of(assessment: Assessment) -> str:
    """Where an assessment stands, in a word."""
    if assessment.job is not None and assessment.job.status != JobStatus.DONE:
        return str(assessment.job.status)
    return "done" if assessment.frozen_at else "answering"


def spending_on(assessment: Assessment) -> Spending:
    """What asking cost (three queries)."""
    return Spending(**spending_of(*paid_by(TextCall, assessment.payer_key)))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the answers of an assessment took: dollars where prices are known, tokens, seconds."""

    price: Decimal | None
    tokens_in: int
    tokens_out: int
    seconds: float


def usage_of(assessments: Iterable[Assessment]) -> dict[int, Usage]:
    """What the answers took, by the row ids of their assessments (one query)."""
    rows = (
        Answer.objects.filter(assessment__in=[row.pk for row in assessments], call__isnull=False)
        .order_by()
        .values("assessment_id")
        .annotate(
            price=Sum("call__price"),
            tokens_in=Sum("call__tokens_in"),
            tokens_out=Sum("call__tokens_out"),
            seconds=Sum("call__seconds"),
        )
    )
    return {
        row["assessment_id"]: Usage(
            row["price"], row["tokens_in"], row["tokens_out"], row["seconds"]
        )
        for row in rows
    }


def status_counts(assessment: Assessment) -> dict[str, int]:
    """How many answers of each status there are (one query); what is not there is missing."""
    rows = Answer.objects.filter(assessment=assessment).order_by().values_list("status")
    counts = {status.value: 0 for status in engine.AnswerStatus}
    counts.update(dict(rows.annotate(count=Count("pk"))))
    expected = assessment.item_set.item_count * repeats_of(assessment)
    counts[engine.AnswerStatus.MISSING] = max(0, expected - sum(counts.values()))
    return counts


def repeats_of(assessment: Assessment) -> int:
    return int(assessment.settings.get("repeats", 1))


@dataclass(frozen=True, slots=True)
class Answers:
    """What a task scores: items, repeated for each repeat, and what became of each.

    The two are of one length and in one order.
    """

    items: list[engine.Item]
    answers: list[engine.Answered]


# What tasks know of an item, as `engine.Item` calls it; rows of the ORM take twice as long.
ITEM_COLUMNS = {
    "source_key": "key", "source_recording": "recording", "sequence_position": "position",
    **{
        name: name
        for name in (
            "payload", "truth", "question", "choices", "start_s", "moment_s", "sequence", "groups",
            "part", "take", "procedure", "person",
        )
    },
}  # fmt: skip


def keyed_truth_of(item_set: ItemSet) -> list[tuple[int, str, engine.Item]]:
    """The asked items of a set as its task knows them, with row ids and shown keys."""
    rows = item_set.asked.order_by("position").values_list("pk", "key", *ITEM_COLUMNS)
    names = tuple(ITEM_COLUMNS.values())
    found = []
    for pk, key, *parts in rows.iterator(chunk_size=10_000):
        known: dict[str, Any] = dict(zip(names, parts, strict=True))
        known["choices"] = tuple(known["choices"])
        found.append((pk, key, engine.Item(**known)))
    return found


def truth_of(item_set: ItemSet) -> list[tuple[int, engine.Item]]:
    """The asked items of a set with their row ids, as its task knows them (one query)."""
    return [(pk, item) for pk, _, item in keyed_truth_of(item_set)]


STATUSES = {status.value: status for status in engine.AnswerStatus}
# Plain SQL, and one document for all values: a million answers through the ORM take minutes.
ANSWERS_SQL = """
SELECT item_id, status, value, judged FROM benchmarks_answer
WHERE assessment_id = %s AND repeat = %s
"""


def answers_of(assessment: Assessment, items: list[tuple[int, engine.Item]]) -> Answers:
    """All that is to be scored of an assessment (one query per repeat)."""
    scored = Answers([], [])
    order = {pk: place for place, (pk, _) in enumerate(items)}
    for repeat in range(repeats_of(assessment)):
        answers = [engine.MISSING] * len(items)
        with connection.cursor() as cursor:
            cursor.execute(ANSWERS_SQL, [assessment.pk, repeat])
            rows = cursor.fetchall()
        values = _json_column([row[2] for row in rows])
        for (item_id, status, _, judged), value in zip(rows, values, strict=True):
            said = {} if judged == "{}" else _judged_values(judged)
            answers[order[item_id]] = engine.Answered(STATUSES[status], value, said)
        scored.items.extend(item for _, item in items)
        scored.answers.extend(answers)
    return scored


def _json_column(written: list[str | None]) -> list[engine.Value | None]:
    """A column of JSON, read as one document; PostgreSQL's driver may have read it already."""
    if any(not isinstance(text, str | None) for text in written):
        return [text if isinstance(text, dict) else None for text in written]
    return list(json.loads("[" + ",".join(text or "null" for text in written) + "]"))


def _judged_values(judged: str | dict[str, dict[str, engine.Value]]) -> dict[str, engine.Value]:
    if not judged:
        return {}
    said = json.loads(judged) if isinstance(judged, str) else judged
    return {name: found["value"] for name, found in said.items() if found.get("value") is not None}


def answers_to_items(
    assessments: Iterable[Assessment], item_ids: Iterable[int]
) -> dict[int, list[Answer]]:
    """Everybody's answers to items, by the items' row ids (one query)."""
    rows = Answer.objects.filter(assessment__in=list(assessments), item__in=list(item_ids))
    found = defaultdict(list)
    for answer in rows.select_related("assessment", "call").order_by("assessment", "repeat"):
        found[answer.item_id].append(answer)
    return found
