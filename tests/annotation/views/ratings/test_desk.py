"""The desk's pages: who sees which case of whom, by letter, and what can be done there."""

import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.engine.ratings.adjudication import Cause
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Case,
    CaseRater,
    GuidelineVersion,
    Phase,
    RatingRound,
    Round,
)
from annotation.services.ratings.desk import add_comment, decide_case
from tests.annotation.conftest import client_of
from tests.annotation.disagreements import make_pilot
from tests.annotation.stored_ratings import rate
from tests.factories import AssignmentFactory, CampaignRaterFactory, EventFactory, UserFactory

# Of the desk and of a case, for the owner and for a rater.
QUERIES = {"owner": (14, 16), "rater": (12, 15)}


@pytest.fixture
def pilot(owner):
    made = make_pilot(owner)
    made.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    made.answer(Metric.HUMAN_PLAUSIBILITY, "1", "5", "3", event=1)
    made.close()
    return made


def desk_of(client, pilot, **filters):
    return client.get(reverse("desk", args=[pilot.campaign.public_id]), filters)


def page_of(client, case, **filters):
    return client.get(reverse("case-detail", args=[case.public_id]), filters)


def case_about(metric):
    return Case.objects.get(metric=metric)


def links(answer):
    return re.findall(r'href="/cases/([^/]+)/', answer.content.decode())


def open_round(campaign, rater, trace):
    """Open a main round in which somebody rates the trace again."""
    made = Round.objects.create(
        campaign=campaign, number=2, phase=Phase.MAIN, opened_at=timezone.now(),
        guideline=campaign.guideline_versions.first(),
    )  # fmt: skip
    RatingRound.objects.create(round=made, rubric_version="2")
    return AssignmentFactory(round=made, rater=rater, trace=trace)


def test_queue_begins_with_the_widest_disagreement(owner_client, pilot):
    found = links(desk_of(owner_client, pilot))

    # Ordinal distances over 1, 3 and 5 that were given once each: .25, .25 and 1.
    assert found == [
        case_about("error_validity").public_id,
        case_about("human_plausibility").public_id,
    ]


def test_filters_narrow_the_queue(owner_client, pilot, owner):
    validity, plausibility = case_about("error_validity"), case_about("human_plausibility")
    decide_case(case=validity, actor=owner, cause=Cause.SLIP, value="no")
    dataset, made = pilot.trace.dataset.public_id, pilot.round.public_id

    narrowed = {
        name: links(desk_of(owner_client, pilot, **{f"cases-{key}": value}))
        for name, key, value in (
            ("metric", "metric", "human_plausibility"),
            ("cause", "cause", "slip"),
            ("open", "state", "open"),
            ("same", "pair", "ben,cleo"),
            ("differ", "pair", "ana,ben"),
            ("dataset", "dataset", dataset),
            ("round", "round", made),
            ("flagged", "flagged", "yes"),
        )
    }

    both = [validity.public_id, plausibility.public_id]
    assert narrowed == {
        "metric": [plausibility.public_id],
        "cause": [validity.public_id],
        "open": [plausibility.public_id],
        "same": [plausibility.public_id],
        "differ": both,
        "dataset": both,
        "round": both,
        "flagged": [],
    }


def test_pairs_are_found_for_the_whole_trace_as_well(owner_client, owner):
    pilot = make_pilot(owner, names=("dora", "emil"))
    pilot.answer(Metric.TEXT_VIDEO_GROUNDING, "2", "4", event=None)
    pilot.close()

    found = desk_of(owner_client, pilot, **{"cases-pair": "dora,emil"})

    assert links(found) == [Case.objects.get(round=pilot.round).public_id]


def test_nobody_is_named_before_the_decision_and_raters_never(owner_client, owner, pilot):
    case = case_about("error_validity")
    add_comment(case=case, author=pilot.raters[1], text="Nothing is spoiled")
    ana = client_of(pilot.raters[0])
    before = [page_of(owner_client, case).content.decode(), page_of(ana, case).content.decode()]
    before += [desk_of(ana, pilot).content.decode()]

    decide_case(case=case, actor=owner, cause=Cause.SLIP, value="no")

    assert [name for name in ("ben", "cleo") if any(f">{name}" in page for page in before)] == []
    letter = "ABC"[CaseRater.objects.get(case=case, rater=pilot.raters[1]).place]
    after = page_of(owner_client, case)
    assert f'<b>{letter}</b> <span class="small">ben</span>' in after.content.decode()
    assert after.context["payload"]["comments"][0]["author"] == f"{letter} (ben)"
    rated = page_of(ana, case)
    assert rated.context["payload"]["comments"][0]["author"] == letter
    # As a word: tokens and ids hold any three letters now and then.
    assert not re.search(r"\bben\b", rated.content.decode())


def test_a_rater_sees_the_own_answer_marked_and_letters_stay(pilot):
    case = case_about("error_validity")
    seen = {}
    for rater in pilot.raters:
        answers = page_of(client_of(rater), case).context["discussion"].answers
        seen[rater.username] = [(item.letter, item.is_own, item.value) for item in answers]

    places = {named.rater.username: named.place for named in CaseRater.objects.filter(case=case)}
    for name, answers in seen.items():
        assert [letter for letter, _, _ in answers] == ["A", "B", "C"]
        assert [is_own for _, is_own, _ in answers].index(True) == places[name]
    assert len({tuple(value for _, _, value in answers) for answers in seen.values()}) == 1


def test_a_remark_is_shown_to_researchers_and_to_who_wrote_it(owner, owner_client):
    pilot = make_pilot(owner)
    pilot.remark(0, "Is a rag a tool?")
    pilot.close()
    case = Case.objects.get()

    shown = {
        "owner": "Is a rag a tool?" in page_of(owner_client, case).content.decode(),
        "ana": "Is a rag a tool?" in page_of(client_of(pilot.raters[0]), case).content.decode(),
        "ben": "Is a rag a tool?" in page_of(client_of(pilot.raters[1]), case).content.decode(),
    }

    assert shown == {"owner": True, "ana": True, "ben": False}


def test_raters_reach_their_cases_from_the_queue_once_the_round_is_closed(owner):
    pilot = make_pilot(owner)
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    ana = client_of(pilot.raters[0])
    before = ana.get(reverse("queue")).content.decode()

    pilot.close()

    after = ana.get(reverse("queue")).content.decode()
    assert ("Discuss:" in before, "Discuss: 1 case<" in after) == (False, True)
    assert f"{reverse('desk', args=[pilot.campaign.public_id])}?cases-round=" in after


def test_who_did_not_submit_the_trace_sees_no_case_of_it(pilot):
    late = AssignmentFactory(round=pilot.round, rater=UserFactory(), trace=pilot.trace).rater
    client = client_of(late)

    assert links(desk_of(client, pilot)) == []
    assert page_of(client, case_about("error_validity")).status_code == 404


def test_outsiders_and_who_left_find_nothing(pilot, annotator_client, outsider_client):
    case = case_about("error_validity")
    gone = pilot.raters[0]
    pilot.campaign.raters.filter(rater=gone).delete()

    found = [
        ask(client, target).status_code
        for client in (annotator_client, outsider_client, client_of(gone))
        for ask, target in ((desk_of, pilot), (page_of, case))
    ]

    assert found == [404] * 6


def test_a_trace_that_is_rated_again_is_hidden_until_that_round_closes(pilot):
    ana, ben = pilot.raters[:2]
    case = case_about("error_validity")
    again = open_round(pilot.campaign, ana, pilot.trace)

    during = [page_of(client_of(rater), case).status_code for rater in (ana, ben)]
    Round.objects.filter(pk=again.round_id).update(closed_at=timezone.now())

    assert during == [404, 200]
    assert page_of(client_of(ana), case).status_code == 200


def test_a_researcher_who_rates_in_an_open_round_is_blind(owner, owner_client, pilot):
    case = case_about("error_validity")
    again = open_round(pilot.campaign, owner, pilot.trace)

    during = (links(desk_of(owner_client, pilot)), page_of(owner_client, case).status_code)
    decision = reverse("api-case-decision", args=[case.public_id])
    refused = owner_client.post(decision, {"cause": "slip"}, content_type="application/json")
    Round.objects.filter(pk=again.round_id).update(closed_at=timezone.now())

    assert (during, refused.status_code) == (([], 404), 404)
    assert len(links(desk_of(owner_client, pilot))) == 2


def test_a_researcher_who_rates_the_same_data_elsewhere_is_told_why(owner, owner_client, pilot):
    other = AssignmentFactory(rater=owner, trace=pilot.trace)
    other.round.campaign.datasets.add(pilot.trace.dataset)

    answer = desk_of(owner_client, pilot)

    assert answer.status_code == 403
    assert "Hidden while you rate" in answer.content.decode()


def test_sources_are_named_to_researchers_only(owner_client, pilot):
    name = pilot.trace.dataset.name
    case = case_about("error_validity")
    ana = client_of(pilot.raters[0])

    pages = [desk_of(owner_client, pilot), page_of(owner_client, case)]
    hidden = [desk_of(ana, pilot), page_of(ana, case)]

    assert [name in page.content.decode() for page in pages + hidden] == [True, True, False, False]
    assert all(pilot.trace.public_id not in page.content.decode() for page in hidden)


def test_an_owner_who_rated_the_pilot_runs_the_desk_without_seeing_sources(owner, owner_client):
    pilot = make_pilot(owner)
    own = AssignmentFactory(
        round=pilot.round, rater=owner, trace=pilot.trace, status=AssignmentStatus.SUBMITTED,
        submitted_at=timezone.now(),
    )  # fmt: skip
    rate(own, pilot.events[0], Metric.ERROR_VALIDITY, "yes")
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.close()

    page = page_of(owner_client, Case.objects.get())

    assert page.context["desk"].may_decide is True
    assert pilot.trace.dataset.name not in page.content.decode()


def test_case_page_leads_through_the_queue_that_it_was_opened_from(owner_client, pilot):
    first, second = case_about("error_validity"), case_about("human_plausibility")

    there = page_of(owner_client, first, **{"cases-state": "open"})
    narrowed = page_of(owner_client, second, **{"cases-metric": "human_plausibility"})

    text = there.content.decode()
    assert f'href="/cases/{second.public_id}/?cases-state=open"' in text
    assert "Case 1 of 2" in text
    assert "Case 1 of 1" in narrowed.content.decode()


def test_what_people_write_is_escaped(owner_client, pilot):
    case = case_about("error_validity")
    evil = "</script><img src=x onerror=alert(1)>"
    add_comment(case=case, author=pilot.raters[0], text=evil)
    decide_case(case=case, actor=pilot.campaign.owner, cause=Cause.DEFECT, reason=evil)

    text = page_of(owner_client, case).content.decode()

    assert "<img src=x" not in text
    payload = re.search(r'id="case-data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert json.loads(payload[1])["comments"][0]["text"] == evil


def test_drawing_says_what_it_did_and_is_the_owners_alone(
    owner_client, outsider_client, annotator_client, pilot
):
    address = reverse("desk-draw", args=[pilot.campaign.public_id])
    Case.objects.all().delete()

    told = owner_client.post(address, follow=True).content.decode()
    again = owner_client.post(address, follow=True).content.decode()

    assert ("Cases: 2 new." in told, "Nothing has changed." in again) == (True, True)
    assert outsider_client.post(address).status_code == 404
    assert annotator_client.post(address).status_code == 403
    assert owner_client.get(address).status_code == 405


def test_a_case_leads_to_a_draft_of_the_guideline(owner_client, annotator_client, pilot):
    case = case_about("error_validity")
    address = reverse("case-guideline", args=[case.public_id])

    refused = annotator_client.post(address)
    answer = owner_client.post(address)

    draft = GuidelineVersion.objects.get(campaign=pilot.campaign, frozen_at=None)
    assert refused.status_code == 403
    assert answer.url == (
        f"/campaigns/{pilot.campaign.public_id}/guidelines/{draft.number}/edit/"
        f"?case={case.public_id}"
    )
    assert owner_client.get(answer.url).status_code == 200
    assert [item["metric"] for item in draft.examples] == ["error_validity"]


def grow(pilot, count):
    """Give the pilot `count` events on which its raters differ."""
    for index in range(10, 10 + count):
        event = EventFactory(trace=pilot.trace, index=index)
        for assignment, value in zip(pilot.assignments, ("1", "5", "3"), strict=True):
            rate(assignment, event, Metric.CONFUSABILITY, value)


@pytest.mark.parametrize("event_count", [1, 3])
@pytest.mark.parametrize("person", sorted(QUERIES))
def test_pages_take_the_same_queries_for_every_length(
    owner, owner_client, django_assert_num_queries, event_count, person
):
    pilot = make_pilot(owner)
    grow(pilot, event_count)
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.close()
    case = case_about("error_validity")
    for _ in range(event_count):
        add_comment(case=case, author=pilot.raters[0], text="Look")
        CampaignRaterFactory(campaign=pilot.campaign, rater=UserFactory())
    client = owner_client if person == "owner" else client_of(pilot.raters[0])
    of_desk, of_case = QUERIES[person]

    with django_assert_num_queries(of_desk):
        desk_of(client, pilot)
    with django_assert_num_queries(of_case):
        page_of(client, case)


def test_assignments_stay_as_they_were(pilot):
    assert set(Assignment.objects.values_list("status", flat=True)) == {"submitted"}
