from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Role, User
from generation.models import Run, TextAttempt, TextEndpoint
from generation.selectors.calls.admission import (
    RecordedCall,
    Standing,
    call_by_key,
    standing_of,
)
from generation.selectors.calls.endpoints import endpoints_for_user
from generation.selectors.runs import may_ask
from generation.selectors.texts.calls import question_for, text_spending_of
from tests.generation.payer_sums import spent_by
from tests.generation.services.calls.test_claims import admitted, record_answer
from tests.generation.text_endpoints import make_endpoint, question
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db


def asked(endpoint, prompt, run_take=None):
    return admitted(endpoint, prompt, run_take)


def question_to(endpoint, prompt):
    return question_for(endpoint, question(prompt))


def test_standing_tells_claim_status_and_places():
    endpoint = make_endpoint(concurrency=2)
    first = asked(endpoint, "a")
    one_place_left = standing_of(question_to(endpoint, "a"), timezone.now())
    second = asked(endpoint, "b")
    no_place_left = standing_of(question_to(endpoint, "new"), timezone.now())
    record_answer(first, endpoint)

    answered = standing_of(question_to(endpoint, "a"), timezone.now())

    assert one_place_left == Standing(first.call_id, is_claimed=True, is_full=False)
    assert no_place_left == Standing(None, is_claimed=False, is_full=True)
    assert answered == Standing(first.call_id, is_claimed=False, is_full=False)
    assert call_by_key(question_to(endpoint, "b")) == RecordedCall(second.call_id, "asking")
    assert call_by_key(question_to(endpoint, "never")) is None


def test_places_of_dead_processes_are_free_and_their_claim_is_reported():
    endpoint = make_endpoint(concurrency=1)
    claimed = asked(endpoint, "a")

    later = timezone.now() + timedelta(days=1)

    assert standing_of(question_to(endpoint, "a"), later) == Standing(
        claimed.call_id, is_claimed=True, is_full=False
    )


def test_deleted_endpoint_is_named():
    asked_before = question_to(make_endpoint(), "a")
    TextEndpoint.objects.all().delete()

    with pytest.raises(ObjectDoesNotExist, match="the text model Local was deleted"):
        standing_of(asked_before, timezone.now())


def test_spending_is_what_the_page_of_the_run_shows(tea_run):
    endpoint, run_take = make_endpoint(is_shared=True), tea_run.run_takes.first()
    record_answer(asked(endpoint, "a", run_take), endpoint)
    asked(endpoint, "b", run_take)
    asked(endpoint, "of nobody")
    lost = asked(endpoint, "c", run_take)
    TextAttempt.objects.filter(pk=lost.attempt_id).update(
        ended_at=timezone.now(), outcome="timed_out"
    )

    spent = spent_by(tea_run.payer_key)

    assert spent == text_spending_of(tea_run).highest_price > Decimal("0.013")


def test_new_question_costs_as_many_statements_whatever_was_asked_before(tea_run):
    endpoint = make_endpoint(concurrency=9)

    def counted(prompt):
        with CaptureQueriesContext(
            connection,
        ) as captured:
            record_answer(asked(endpoint, prompt), endpoint)
        return len([q for q in captured if "SAVEPOINT" not in q["sql"]])

    # Look, reserve, claim, attempt; then the end of the attempt, the answer, the price (and
    # PostgreSQL's lock).
    wanted = 8 if connection.features.has_select_for_update else 7
    assert [counted(prompt) for prompt in "abc"] == [wanted] * 3


@pytest.mark.parametrize("make", [make_endpoint, make_video_endpoint])
@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize(
    "account", [*({"role": role} for role in Role), {"role": "annotator", "is_superuser": True}]
)
def test_may_ask_agrees_with_who_may_use_an_endpoint(
    tea_run, owner, outsider, make, is_shared, is_own, account
):
    User.objects.filter(pk=owner.pk).update(**account)
    owner.refresh_from_db()
    endpoint = make(is_shared=is_shared, owner=owner if is_own else outsider)

    may_use = endpoints_for_user(owner, type(endpoint)).filter(pk=endpoint.pk).exists()

    assert may_ask(tea_run.pk, endpoint) is may_use


def test_run_without_an_owner_may_ask_every_endpoint_that_there_is(tea_run, outsider):
    Run.objects.update(owner=None)
    endpoint = make_endpoint(owner=outsider, is_shared=False)
    is_allowed = may_ask(tea_run.pk, endpoint)
    TextEndpoint.objects.all().delete()

    assert (is_allowed, may_ask(tea_run.pk, endpoint)) == (True, False)
