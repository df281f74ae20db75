"""What is read before a request goes out: the record of the call and others' claims.

These queries run for every request under the endpoint's lock, so they are plain SQL: building them
through the ORM took longer than the database itself. They use only what SQLite and PostgreSQL
share. One statement sees one state, so an answer that is recorded meanwhile is either seen with its
attempt ended or not at all.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.apps import apps
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.db.models import Model
from django.utils import timezone

from generation.models import Call, Endpoint

RATE_WINDOW = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that decides an answer, as stored with its call, and the hash of all that."""

    calls: type[Call]
    endpoint: Endpoint
    key: str
    columns: dict[str, Any]


def question_of(
    calls: type[Call],
    endpoint: Endpoint,
    *,
    server: list[str],
    columns: Mapping[str, Any],
    repeat: int,
) -> Question:
    """A question to a server; `repeat` tells apart questions that are asked more than once.

    `server` is what decides an answer about the endpoint: not its name, its owner or its limits.
    `columns` are those of the call with the question. The repeat number stays "sample" in
    `parameters`, since another name would change the hashes of all recorded calls.
    """
    columns = {**columns, "parameters": {**columns["parameters"], "sample": repeat}}
    written = json.dumps(
        [*server, columns], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return Question(calls, endpoint, hashlib.sha256(written.encode()).hexdigest(), columns)


def kinds_of_calls() -> tuple[type[Call], ...]:
    return _kinds_among(tuple(apps.get_models()))


@lru_cache
def _kinds_among(models: tuple[type[Model], ...]) -> tuple[type[Call], ...]:
    return tuple(model for model in models if issubclass(model, Call))


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The record of a question, without its texts."""

    call_id: int
    status: str


def call_by_key(question: Question) -> RecordedCall | None:
    """The record of a question, None if it was never asked."""
    with connection.cursor() as cursor:
        # Only names of our own tables are formatted into SQL here and below, never values.
        table = question.calls._meta.db_table
        cursor.execute(f"SELECT id, status FROM {table} WHERE key = %s", [question.key])  # noqa: S608
        row = cursor.fetchone()
    return None if row is None else RecordedCall(*row)


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a question and its endpoint at one moment.

    `is_claimed`: an attempt at the question has not ended, whether its process is alive or dead;
    `is_full`: the endpoint has as many requests, of all kinds, as it may have.
    """

    call_id: int | None
    is_claimed: bool
    is_full: bool


def standing_of(question: Question, moment: datetime) -> Standing:
    """The state of a question and its endpoint; the caller must hold the endpoint's lock."""
    adapted = connection.ops.adapt_datetimefield_value
    endpoint = question.endpoint
    sql, kind_count = _standing_sql(question.calls, type(endpoint), kinds_of_calls())
    now, minute_ago = adapted(moment), adapted(moment - RATE_WINDOW)
    values = [*[now] * kind_count, False, *[minute_ago] * kind_count, question.key, endpoint.pk]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
    if row is None:
        raise ObjectDoesNotExist(f"the {endpoint.TITLE} {endpoint.name} was deleted")
    call_id, is_claimed, has_no_place, is_too_often = row
    return Standing(call_id, bool(is_claimed), bool(has_no_place or is_too_often))


@lru_cache
def _standing_sql(
    calls: type[Call], endpoint: type[Endpoint], kinds: tuple[type[Call], ...]
) -> tuple[str, int]:
    """The statement, and how many kinds of calls use endpoints of this kind."""
    beside = [
        kind.table_of("attempts")._meta.db_table
        for kind in kinds
        if kind.table_of("endpoint") is endpoint
    ]
    at_work, lately = (
        " + ".join(
            f"(SELECT COUNT(*) FROM {table} a WHERE a.endpoint_id = e.id AND {condition})"  # noqa: S608
            for table in beside
        )
        for condition in (
            "a.ended_at IS NULL AND a.lease_until > %s",
            "a.started_at > %s AND NOT a.resumes",
        )
    )
    sql = f"""
SELECT c.id,
  EXISTS(SELECT 1 FROM {calls.table_of("attempts")._meta.db_table} a
    WHERE a.call_id = c.id AND a.ended_at IS NULL),
  {at_work} >= e.concurrency,
  CASE WHEN e.requests_per_minute IS NULL THEN %s ELSE {lately} >= e.requests_per_minute END
FROM {endpoint._meta.db_table} e LEFT JOIN {calls._meta.db_table} c ON c.key = %s
WHERE e.id = %s
"""  # noqa: S608
    return sql, len(beside)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who a question has to wait for, and until when at most.

    `asks_the_same`: they are asking this very question; else the endpoint is full, and theirs is
    the request that ends first.
    """

    name: str
    until: datetime
    asks_the_same: bool


def holder_of(question: Question) -> Holder | None:
    """Who a question has to wait for, None if nobody."""
    under_way = question.calls.table_of("attempts").objects.filter(
        ended_at__isnull=True, lease_until__gt=timezone.now()
    )
    same = under_way.filter(call__key=question.key).first()
    others = under_way.filter(endpoint=question.endpoint).order_by("lease_until")
    attempt = same or others.first()
    if attempt is None:
        return None
    return Holder(attempt.asked_by or "another process", attempt.lease_until, attempt is same)
