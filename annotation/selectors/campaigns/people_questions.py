"""What people of a campaign are asked about themselves, and the counts of what they said."""

from annotation.analytics.tables.annotators import annotators_table
from annotation.analytics.tables.table import Table
from annotation.engine.campaigns.people_questions import PeopleQuestion, tallies
from annotation.models import Campaign, PeopleAnswers, PeopleQuestions, User


def questions_about_people(campaign: Campaign | int) -> tuple[PeopleQuestion, ...]:
    asked = PeopleQuestions.objects.filter(campaign=campaign).first()
    return tuple(map(PeopleQuestion.from_dict, asked.questions)) if asked else ()


def questions_to_ask(user: User, campaign: Campaign | int) -> tuple[PeopleQuestion, ...]:
    """Those that the user has not answered; nobody is asked twice, whatever they left open."""
    if PeopleAnswers.objects.filter(asked__campaign=campaign, person=user).exists():
        return ()
    return questions_about_people(campaign)


def table_of_annotators(campaign: Campaign, questions: tuple[PeopleQuestion, ...]) -> Table | None:
    """The counts over everybody who was asked these; None where nobody is asked anything."""
    if not questions:
        return None
    answers = PeopleAnswers.objects.filter(asked__campaign=campaign)
    values = list(answers.values_list("values", flat=True))
    return annotators_table(tallies(questions, values), campaign.raters.count())
