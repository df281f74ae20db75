"""What a call of a model reads before it goes out: its record, the claims beside it, the money.

These queries run for every request under the endpoint's lock, so they are plain SQL: building them
through the ORM took more than the database itself. The SQL is the part that SQLite and PostgreSQL
share. One statement sees one state, so an answer that is recorded meanwhile is either seen with its
attempt ended or not at all.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection
from django.utils import timezone

from annotation.models import Role
from generation.backends.text.model import ImageDetail, TextRequest
from generation.models import Endpoint, TextAttempt, TextEndpoint
from generation.selectors.calls.text_calls import call_key, question_of

RATE_WINDOW = timedelta(minutes=1)

CALL_SQL = "SELECT id, status FROM generation_textcall WHERE key = %s"
STANDING_SQL = """
SELECT c.id, c.status,
  EXISTS(SELECT 1 FROM generation_textattempt a WHERE a.call_id = c.id AND a.ended_at IS NULL),
  (SELECT COUNT(*) FROM generation_textattempt a
    WHERE a.endpoint_id = e.id AND a.ended_at IS NULL AND a.lease_until > %s) >= e.concurrency,
  CASE WHEN e.requests_per_minute IS NULL THEN %s
    ELSE (SELECT COUNT(*) FROM generation_textattempt a
      WHERE a.endpoint_id = e.id AND a.started_at > %s) >= e.requests_per_minute END
FROM generation_textendpoint e LEFT JOIN generation_textcall c ON c.key = %s
WHERE e.id = %s
"""
# As `endpoints_for_user` says it; a run without an owner is the site's own.
MAY_ASK_SQL = """
SELECT 1 FROM generation_run r CROSS JOIN {table} e
LEFT JOIN annotation_user u ON u.id = r.owner_id
WHERE r.id = %s AND e.id = %s AND (
  u.id IS NULL OR u.is_superuser OR u.role = %s
  OR (u.role = %s AND (e.is_shared OR e.owner_id = u.id)))
"""
# Paid for texts, perhaps to be paid for texts, and clips. The condition of the second is written as
# that of the index is, or SQLite does not use it.
SPENDING_SQL = """
SELECT
  (SELECT SUM(c.price) FROM generation_textcall c
    JOIN generation_runtake r ON r.id = c.run_take_id WHERE r.run_id = %s),
  (SELECT SUM(a.reserved_price) FROM generation_textattempt a
    WHERE (a.ended_at IS NULL OR a.outcome IN ('lost', 'NoAnswerInTimeError')) AND EXISTS(
      SELECT 1 FROM generation_textcall c JOIN generation_runtake r ON r.id = c.run_take_id
      WHERE c.id = a.call_id AND r.run_id = %s)),
  (SELECT SUM(COALESCE(a.price, a.reserved_price)) FROM generation_clipattempt a
    JOIN generation_runtake r ON r.id = a.run_take_id
    WHERE r.run_id = %s AND NOT a.resumes AND NOT a.is_free)
"""


@dataclass(frozen=True, slots=True)
class Question:
    """All of a request that decides its answer, and the hash under which it is recorded."""

    key: str
    parts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A recorded question without its texts."""

    call_id: int
    status: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How a question and its endpoint stand at one moment.

    `is_claimed` tells that an attempt at the question has not ended, be its process alive or dead;
    `is_full` that the endpoint has as many requests as it may have.
    """

    call_id: int | None
    status: str
    is_claimed: bool
    is_full: bool


def question_for(endpoint: TextEndpoint, request: TextRequest) -> Question:
    """Return what a request asks an endpoint."""
    parts = question_of(request)
    # Only where they are set, so that answers recorded before there were such settings are found.
    if endpoint.reasoning_effort:
        parts["parameters"]["reasoning_effort"] = endpoint.reasoning_effort
    if request.images and endpoint.image_detail != ImageDetail.LOW:
        parts["parameters"]["image_detail"] = endpoint.image_detail
    return Question(call_key(endpoint, parts), parts)


def call_by_key(key: str) -> FoundCall | None:
    """Return the call that a question is recorded under, None where it was never asked."""
    with connection.cursor() as cursor:
        cursor.execute(CALL_SQL, [key])
        row = cursor.fetchone()
    return None if row is None else FoundCall(*row)


def standing_of(key: str, endpoint: TextEndpoint, moment: datetime) -> Standing:
    """Return how things stand for a question; needs the endpoint's lock."""
    adapted = connection.ops.adapt_datetimefield_value
    now, minute_ago = adapted(moment), adapted(moment - RATE_WINDOW)
    with connection.cursor() as cursor:
        cursor.execute(STANDING_SQL, [now, False, minute_ago, key, endpoint.pk])
        row = cursor.fetchone()
    if row is None:
        raise TextEndpoint.DoesNotExist(f"the text model {endpoint.name} was deleted")
    call_id, status, is_claimed, has_no_place, is_too_often = row
    return Standing(call_id, status or "", bool(is_claimed), bool(has_no_place or is_too_often))


@dataclass(frozen=True, slots=True)
class Holder:
    """Who is in the way of a question, and until when at most.

    `asks_the_same` tells that it is the answer to this question which is waited for; else the
    endpoint has as many requests as it takes, and this one ends first.
    """

    name: str
    until: datetime
    asks_the_same: bool


def holder_of(key: str, endpoint: TextEndpoint) -> Holder | None:
    """Return who holds the question of a key or the endpoint it goes to, None where nobody does."""
    under_way = TextAttempt.objects.filter(
        ended_at__isnull=True, lease_until__gt=timezone.now()
    ).select_related("call__run_take__run")
    same = under_way.filter(call__key=key).first()
    found = same or under_way.filter(endpoint=endpoint).order_by("lease_until").first()
    if found is None:
        return None
    run_take = found.call.run_take
    by_run = f"the run {run_take.run.name!r}" if run_take is not None else "another process"
    return Holder(found.asked_by or by_run, found.lease_until, found is same)


def may_ask(run_id: int, endpoint: Endpoint) -> bool:
    """Return whether a run may ask an endpoint, as things are now: whether its owner may use it."""
    roles = [str(Role.ADMINISTRATOR), str(Role.RESEARCHER)]
    with connection.cursor() as cursor:
        cursor.execute(
            MAY_ASK_SQL.format(table=endpoint._meta.db_table), [run_id, endpoint.pk, *roles]
        )
        return cursor.fetchone() is not None


def highest_spending_of(run_id: int) -> Decimal:
    """Return what a run has spent and may still have to pay, in US dollars, texts and clips."""
    with connection.cursor() as cursor:
        cursor.execute(SPENDING_SQL, [run_id, run_id, run_id])
        sums = cursor.fetchone()
    return sum((Decimal(str(amount)) for amount in sums if amount is not None), Decimal(0))
