"""The review of a question set on its page."""

import pytest
from django.urls import reverse

from annotation.services.campaigns.rounds import close_round
from benchmarks.models import QuestionSet
from tests.benchmarks.questions.made import questions_made
from texts.services.rounds import open_text_round

pytestmark = pytest.mark.django_db


def test_review_is_planned_from_the_page_and_its_verdicts_are_taken_back(
    sample, owner, owner_client
):
    made = questions_made(sample, owner)
    page, review = (
        reverse(name, args=[made.public_id]) for name in ("question-set", "question-set-review")
    )
    assert "Have people review them first" in owner_client.get(page).content.decode()

    refused = owner_client.post(review, {"name": ""}, follow=True).content.decode()
    answer = owner_client.post(review, {"name": "Review of mistakes", "overlap": "2"})

    assert "Give the review a name" in refused
    made.refresh_from_db()
    campaign = made.review.campaign
    assert answer["Location"] == reverse("campaign-detail", args=[campaign.public_id])
    shown = owner_client.get(page).content.decode()
    assert "In review in" in shown
    assert "Review of mistakes" in shown
    open_text_round(planned=made.review, actor=owner)
    early = owner_client.post(review, follow=True).content.decode()
    assert "Its round is open" in early
    close_round(closing=made.review, actor=owner)
    assert "Take the verdicts back" in owner_client.get(page).content.decode()
    owner_client.post(review)
    shown = owner_client.get(page).content.decode()
    assert "Before the review" in shown
    assert "not decided in the review" in shown
    assert QuestionSet.objects.get().question_count == 0
