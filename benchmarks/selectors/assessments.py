"""Read assessments: who may see which, how far they are, what they cost, what was answered."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum, TextField
from django.db.models.functions import Cast
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import JobStatus, User
from annotation.selectors.blinding import hidden_datasets
from benchmarks.engine import task as engine
from benchmarks.models import Answer, Assessment, Item, ItemSet, ParticipantKind
from benchmarks.selectors.item_sets import may_change_item_set, visible_item_sets
from generation.models import TextCall
from generation.selectors.calls.spending import Spending, paid_by, spending_of


def get_assessment_for_user(user: User, public_id: str) -> Assessment:
    """One of a visible item set, or one's own as a person; raises Http404.

    One's own figures too tell of data that one rates in an open campaign.
    """
    rated_now = Q(item_set__dataset__in=hidden_datasets(user).values("pk"))
    visible = Q(person=user) & ~rated_now | Q(item_set__in=visible_item_sets(user))
    rows = Assessment.objects.select_related("item_set", "job", "endpoint", "owner", "person")
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
    """Who shall answer as a person: without a name oneself; who may change the set names others.

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
    """Where an assessment stands, in a word."""
    if assessment.job is not None and assessment.job.status != JobStatus.DONE:
        return str(assessment.job.status)
    return "done" if assessment.frozen_at else "answering"


def spending_on(assessment: Assessment) -> Spending:
    """What asking cost (three queries)."""
    return Spending(**spending_of(*paid_by(TextCall, assessment.payer_key)))


def usage_of(assessment: Assessment) -> dict[str, Any]:
    """What the answers took (see `Assessment.usage`): as stored, else so far (one query)."""
    if assessment.frozen_at is not None:
        return dict(assessment.usage)
    return usage_so_far(assessment)


def usage_so_far(assessment: Assessment) -> dict[str, Any]:
    """What the answers that are there took (one query, none where nobody was asked)."""
    if assessment.kind != ParticipantKind.ENDPOINT:
        return {}
    sums = Answer.objects.filter(assessment=assessment, call__isnull=False).aggregate(
        usd=Sum("call__price"),
        tokens_in=Sum("call__tokens_in"),
        tokens_out=Sum("call__tokens_out"),
        seconds=Sum("call__seconds"),
    )
    if sums["seconds"] is None:
        return {}
    return {**sums, "usd": None if sums["usd"] is None else float(sums["usd"])}


def status_counts(assessment: Assessment) -> dict[str, int]:
    """How many answers of each status there are (one query); what is not there is missing."""
    rows = Answer.objects.filter(assessment=assessment).order_by().values_list("status")
    counts = {status.value: 0 for status in engine.AnswerStatus}
    counts.update(dict(rows.annotate(count=Count("pk"))))
    expected = assessment.item_set.item_count * repeats_of(assessment)
    counts[engine.AnswerStatus.MISSING] += max(0, expected - sum(counts.values()))
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


# What tasks know of an item, as `engine.Item` calls it; rows of the ORM take twice as long. Columns
# of JSON come as text, and each is read as one document.
ITEM_COLUMNS = {
    "source_key": "key", "source_recording": "recording", "sequence_position": "position",
    **{
        name: name
        for name in (
            "question", "start_s", "moment_s", "sequence", "part", "take", "procedure", "person",
        )
    },
}  # fmt: skip
JSON_COLUMNS = ("payload", "truth", "groups", "choices")


def truth_of(rows: QuerySet[Item]) -> list[tuple[int, str, engine.Item]]:
    """Items as their task knows them, with row ids and the keys that are shown (one query)."""
    as_text = {f"{name}_text": Cast(name, TextField()) for name in JSON_COLUMNS}
    found_rows = list(
        rows.order_by("position")
        .annotate(**as_text)
        .values_list("pk", "key", *ITEM_COLUMNS, *as_text)
    )
    documents = [_json_column([row[place] for row in found_rows]) for place in (-4, -3, -2, -1)]
    names = tuple(ITEM_COLUMNS.values())
    found = []
    for row, payload, truth, groups, choices in zip(found_rows, *documents, strict=True):
        known = dict(zip(names, row[2:-4], strict=True))
        known |= {"payload": payload, "truth": truth, "groups": groups, "choices": tuple(choices)}
        found.append((row[0], row[1], engine.Item(**known)))
    return found


def tallies_of(assessment: Assessment, task: engine.Task, whole: Answers) -> list[engine.Tally]:
    """What is scored of answers: of a trained model a tally for each seed, else one of all.

    Repeats are answers of the same model, seeds are models of their own.
    """
    is_trained = assessment.kind == ParticipantKind.TRAINED
    count = repeats_of(assessment) if is_trained else 1
    length = len(whole.items) // count
    parts = [slice(length * place, length * (place + 1)) for place in range(count)]
    return [task.tally(whole.items[part], whole.answers[part]) for part in parts]


STATUSES = {status.value: status for status in engine.AnswerStatus}
# Plain SQL: a million answers through the ORM take minutes.
ANSWERS_SQL = """
SELECT item_id, repeat, status, CAST(value AS text), CAST(judged AS text) FROM benchmarks_answer
WHERE assessment_id = %s
"""
ROWS_AT_ONCE = 100_000


def answers_of(assessment: Assessment) -> Answers:
    """All that is to be scored of an assessment (two queries).

    Answers that are written alike are read once, and are one object.
    """
    items = truth_of(assessment.item_set.asked)
    repeats, count = repeats_of(assessment), len(items)
    answers = [engine.MISSING] * (count * repeats)
    order = {pk: place for place, (pk, _, _) in enumerate(items)}
    with connection.cursor() as cursor:
        cursor.execute(ANSWERS_SQL, [assessment.pk])
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            different = list({row[2:] for row in rows})
            values = _json_column([value for _, value, _ in different])
            read = {
                written: engine.Answered(STATUSES[written[0]], value, _judged_values(written[2]))
                for written, value in zip(different, values, strict=True)
            }
            for row in rows:
                answers[row[1] * count + order[row[0]]] = read[row[2:]]
    return Answers([item for _, _, item in items] * repeats, answers)


def _json_column(written: list[str | None]) -> list[Any]:
    """A column of JSON, read as one document: that takes a fifth of the time."""
    return list(json.loads("[" + ",".join(text or "null" for text in written) + "]"))


def _judged_values(judged: str) -> dict[str, engine.Value]:
    found = json.loads(judged).items()
    return {name: said["value"] for name, said in found if said.get("value") is not None}


def answers_to_items(
    assessments: Iterable[Assessment], item_ids: Iterable[int]
) -> dict[int, list[Answer]]:
    """Everybody's answers to items, by the items' row ids (one query)."""
    rows = Answer.objects.filter(assessment__in=list(assessments), item__in=list(item_ids))
    found = defaultdict(list)
    for answer in rows.select_related("assessment", "call").order_by("assessment", "repeat"):
        found[answer.item_id].append(answer)
    return found
