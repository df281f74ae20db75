"""Asking people of a campaign about themselves, and keeping what they say."""

from collections.abc import Sequence

from django.db import transaction

from annotation.engine.campaigns.people_questions import PeopleQuestion, checked_answers
from annotation.engine.exceptions import NotNowError
from annotation.models import Campaign, PeopleAnswers, PeopleQuestions, User
from annotation.selectors.campaigns.people_questions import questions_to_ask
from annotation.services.records.audit_log import record_campaign
from annotation.services.records.locks import lock_campaign


class QuestionsAreAnsweredError(NotNowError):
    """Somebody has answered: other questions would have other answers under the same name."""


@transaction.atomic
def set_people_questions(
    *, campaign: Campaign, questions: Sequence[PeopleQuestion], actor: User
) -> None:
    """Ask these from now on; raises `QuestionsAreAnsweredError`."""
    locked = lock_campaign(campaign)
    stored = [question.to_dict() for question in questions]
    asked, _ = PeopleQuestions.objects.get_or_create(campaign=locked)
    if asked.questions == stored:
        return
    if asked.answers.exists():
        raise QuestionsAreAnsweredError(
            "Somebody has answered these questions: they stay as they are in this campaign."
        )
    asked.questions = stored
    asked.save()
    record_campaign(actor, "people.ask", locked, {"questions": [item.text for item in questions]})


@transaction.atomic
def answer_about_oneself(*, campaign: Campaign, person: User, sent: Sequence[str]) -> None:
    """Keep what somebody says, also that they left all open; raises ValueError.

    A second time changes nothing. The log names nobody's answers.
    """
    asked = questions_to_ask(person, campaign)
    if not asked:
        return
    values = checked_answers(asked, sent)
    row = PeopleQuestions.objects.select_for_update().get(campaign=campaign)
    PeopleAnswers.objects.get_or_create(asked=row, person=person, defaults={"values": values})
