"""Questions about the people of a campaign: asked once, left open, counted, never beside a name."""

import pytest
from django.urls import reverse

from annotation.models import PeopleAnswers, PeopleQuestions, Role
from annotation.services.campaigns.campaigns import add_raters
from tests.annotation.conftest import client_of
from tests.annotation.views.campaigns.test_reading import address, campaign, opened, owner
from tests.factories import UserFactory

__all__ = ["campaign", "owner"]
QUESTIONS = {"standard": ["age", "gender"], "others": "Do you cook? | Never | Often"}


def ask(owner, campaign, questions=QUESTIONS):
    page = reverse("protocol-people", args=[campaign.public_id])
    return client_of(owner).post(page, questions, follow=True)


def answer(rater, round_, about):
    sent = {"version": round_.guideline.public_id, "about": about}
    return client_of(rater).post(address("welcome", round_), sent)


@pytest.fixture
def asked(owner, campaign):
    """Return an open round whose campaign asks three questions, and three raters."""
    raters = [UserFactory(username=name) for name in ("zoe", "yan", "xia")]
    add_raters(campaign=campaign, raters=raters, actor=owner)
    ask(owner, campaign)
    return opened(campaign, owner, campaign.guideline_versions.get()), raters


def test_questions_are_asked_once_and_may_be_left_open(asked):
    round_, [rater, *_] = asked
    client = client_of(rater)

    first = client.get(address("welcome", round_)).content.decode()
    started = answer(rater, round_, ["", "Female", ""])
    again = client.get(address("welcome", round_)).content.decode()
    answer(rater, round_, ["18–24", "Male", "Often"])

    for words in ("How old are you?", "What is your gender?", "Do you cook?", "I leave this open"):
        assert words in first
    assert started.url == reverse("next-trace", args=[round_.public_id])
    assert "About you" not in again
    assert PeopleAnswers.objects.get().values == ["", "Female", ""]


def test_counts_are_in_the_table_and_no_answer_is_beside_a_name(owner, campaign, asked):
    round_, raters = asked
    for rater, gender in zip(raters, ("Female", "Female", "Male"), strict=True):
        answer(rater, round_, ["25–34", gender, ""])
    pages = [reverse(name, args=[campaign.public_id]) for name in ("protocol", "campaign-detail")]

    protocol, detail = (client_of(owner).get(page).content.decode() for page in pages)
    csv = client_of(owner).get(reverse("annotators-file", args=[campaign.public_id, "csv"]))
    others = client_of(raters[0]).get(pages[0])

    assert "2 Female, 1 Male" in protocol
    assert "2 Female" not in detail
    told = csv.content.decode()
    for words in ("How old are you?", "3 25–34", "2 Female, 1 Male", "counted from 3 answers on"):
        assert words in told
    assert not [name for name in ("zoe", "yan", "xia") if name in told]
    assert others.status_code == 403


def test_a_wrong_answer_is_named_and_nothing_is_confirmed(asked):
    round_, [rater, *_] = asked

    answer(rater, round_, ["130", "", ""])

    page = client_of(rater).get(address("welcome", round_)).content.decode()
    assert "About you" in page
    assert not PeopleAnswers.objects.exists()


def test_questions_stay_once_somebody_has_answered(owner, campaign, asked):
    round_, [rater, *_] = asked
    answer(rater, round_, ["", "", ""])

    refused = ask(owner, campaign, {"standard": ["age"], "others": ""}).content.decode()

    assert "Somebody has answered these questions" in refused
    assert "Do you cook? | Never | Often" in refused


def test_bad_questions_are_refused_with_what_was_typed(owner, campaign):
    page = ask(owner, campaign, {"others": "Cook? | Often"})

    assert page.status_code == 400
    assert "choices of “Cook?” are Often" in page.content.decode()
    stranger = client_of(UserFactory(role=Role.RESEARCHER))
    file = reverse("annotators-file", args=[campaign.public_id, "csv"])
    assert client_of(owner).get(file).status_code == 404
    assert stranger.get(file).status_code == 404
    set_page = reverse("protocol-people", args=[campaign.public_id])
    assert stranger.post(set_page, QUESTIONS).status_code == 404


def test_answers_go_with_the_account(campaign):
    person = UserFactory()
    asked = PeopleQuestions.objects.create(campaign=campaign)
    PeopleAnswers.objects.create(asked=asked, person=person, values=["18–24"])

    person.delete()

    assert not PeopleAnswers.objects.exists()
