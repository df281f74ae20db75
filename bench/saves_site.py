"""The site that `bench.saves` loads: fresh tables, 50 raters with open assignments, counts.

    python -m bench.saves_site prepare CLIENTS    rows, then their addresses and cookies as JSON
    python -m bench.saves_site record             the SQL of one save as JSON
    python -m bench.saves_site count              how many changes the log holds

It runs in a process of its own, because settings are read from the environment at the start.
"""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import django

django.setup()

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.core.management import call_command
from django.db import connection
from django.middleware.csrf import get_token
from django.test import RequestFactory

from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind
from annotation.logins import SessionStore
from annotation.models import (
    Assignment,
    Campaign,
    CampaignRater,
    Dataset,
    Event,
    Phase,
    RatingEvent,
    Take,
    Trace,
    User,
)
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.ratings.saving import save_changes
from bench.floor_app import SEQUENCE

EVENTS_PER_TRACE = 3
SENTINEL_SEQUENCE = 2**52 - 1
CSRF_HEADER = "X-CSRFToken"


def prepare(client_count: int) -> list[dict[str, str]]:
    """Make the tables and one rater with one open assignment per client."""
    call_command("migrate", verbosity=0)
    if User.objects.exists():
        sys.exit("this database has accounts in it; name an empty one with DATABASE_URL")
    dataset = Dataset.objects.create(name="Bench", format="template")
    take = Take.objects.create(dataset=dataset, uid="take", name="take", scenario="bench")
    campaign = create_campaign(new=NewCampaign(name="Bench", phase=Phase.MAIN), actor=None)
    return [_rater(number, dataset, take, campaign) for number in range(client_count)]


def _rater(number: int, dataset: Dataset, take: Take, campaign: Campaign) -> dict[str, str]:
    trace = Trace.objects.create(dataset=dataset, take=take, uid=f"trace{number}", name="trace")
    for index in range(EVENTS_PER_TRACE):
        Event.objects.create(trace=trace, index=index, event_id=f"e{index}", kind=EventKind.MISTAKE)
    user = User.objects.create_user(f"rater{number}")
    CampaignRater.objects.create(campaign=campaign, rater=user)
    assignment = Assignment.objects.create(
        round=campaign.rounds.get(), rater=user, trace=trace, position=0
    )
    return {
        "path": f"/api/v1/assignments/{assignment.public_id}/changes/",
        "headers": login_headers(user),
    }


def login_headers(user: User) -> str:
    """The lines of a request of somebody who is logged in: session and CSRF token."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "annotation.logins.AccountBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    request = RequestFactory().get("/")
    token = get_token(request)
    cookies = (
        f"{settings.SESSION_COOKIE_NAME}={session.session_key}; "
        f"{settings.CSRF_COOKIE_NAME}={request.META['CSRF_COOKIE']}"
    )
    return f"Cookie: {cookies}\r\n{CSRF_HEADER}: {token}\r\n"


def record() -> list[tuple[str, list[object]]]:
    """The SQL of one save of a value that was rated before, for `bench.floor_app`."""
    assignment = Assignment.objects.select_related("rater").first()

    def save(sequence: int) -> None:
        change = RatingChange(
            sequence=sequence,
            key=RatingKey(0, Metric.ERROR_VALIDITY),
            answer=Answer("yes"),
            base_revision=0,
            rated_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        save_changes(
            public_id=assignment.public_id,
            client_id="floor",
            changes=[change],
            actor=assignment.rater,
        )

    save(0)
    return statements_of(lambda: save(SENTINEL_SEQUENCE))


def statements_of(work: Callable[[], object]) -> list[tuple[str, list[object]]]:
    """The SQL that some work runs, for `bench.floor_app`."""
    statements: list[tuple[str, list[object]]] = []

    def note(execute, sql, parameters, many, context):  # type: ignore[no-untyped-def]
        if not sql.startswith("BEGIN"):
            for row in parameters if many else [parameters or ()]:
                filled = [SEQUENCE if item == SENTINEL_SEQUENCE else item for item in row]
                statements.append((sql.replace("%s", "?"), filled))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        work()
    return statements


def main() -> None:
    match sys.argv[1:]:
        case ["prepare", clients]:
            answer: object = prepare(int(clients))
        case ["record"]:
            answer = record()
        case ["count"]:
            answer = RatingEvent.objects.count()
        case other:
            sys.exit(f"{other} is not a command; see the top of this file")
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
