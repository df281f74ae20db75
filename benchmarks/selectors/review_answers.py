"""What the people of a review answered to questions before they saw the right answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotation.models import Round, User
from annotation.selectors.campaigns.campaigns import visible_campaigns
from benchmarks.engine.questions.stored import question_key
from benchmarks.models import Assessment, ItemSet, ParticipantKind, QuestionSet
from benchmarks.models.questions import USABLE
from benchmarks.selectors.item_sets import task_of
from benchmarks.selectors.questions import visible_question_sets
from benchmarks.selectors.sources import QUESTIONS
from texts.engine.deciding import DECIDING_PLACE
from texts.models import TextVerdict
from texts.selectors.rounds import blind_answers


@dataclass(frozen=True, slots=True)
class ReviewAnswers:
    """The answers to the items of a set: texts by the item's row id and the place, 1 or 2.

    Left out are `reworded_count` answers to questions that the review changed afterwards, which
    were answers to other words; and those of who decided, asked only where two differ.
    """

    texts: dict[tuple[int, int], str]
    people_count: int
    reworded_count: int


def reviews_of(item_set: ItemSet) -> Iterator[tuple[str, QuestionSet, Round]]:
    """The question sets of a set that people reviewed, and where they did.

    What goes before the keys of their items comes first.
    """
    if task_of(item_set).source != QUESTIONS:
        return
    found = QuestionSet.objects.filter(public_id__in=item_set.source_ids, review__isnull=False)
    sets = {row.public_id: row for row in found.select_related("review__texts", "review__campaign")}
    several = len(item_set.source_ids) > 1
    for position, public_id in enumerate(item_set.source_ids, start=1):
        question_set = sets.get(public_id)
        if question_set is not None and question_set.review is not None:
            yield (f"{position}/" if several else ""), question_set, question_set.review


def has_reviewed(user: User, item_set: ItemSet) -> bool:
    """Whether the user read questions of the set with their answers in a review."""
    rounds = [review for *_, review in reviews_of(item_set)]
    return TextVerdict.objects.filter(round__in=rounds, person=user).exists()


def reviews_shown(user: User, assessment: Assessment) -> list[tuple[QuestionSet, Round]]:
    """The reviews that a row of people is from: of sets and in campaigns that the user may see."""
    if assessment.kind != ParticipantKind.REVIEW:
        return []
    sets = set(visible_question_sets(user).values_list("pk", flat=True))
    campaigns = set(visible_campaigns(user).values_list("pk", flat=True))
    return [
        (question_set, review)
        for _, question_set, review in reviews_of(assessment.item_set)
        if question_set.pk in sets and review.campaign_id in campaigns
    ]


def review_answers(item_set: ItemSet) -> ReviewAnswers:
    """What people answered blind to the items that are asked (three queries per question set)."""
    items = {
        key: (pk, question)
        for pk, key, question in item_set.test_items.values_list("pk", "source_key", "question")
    }
    texts: dict[tuple[int, int], str] = {}
    people: set[int] = set()
    reworded_count = 0
    for before, question_set, review in reviews_of(item_set):
        kept = question_set.questions.filter(state__in=USABLE).values_list("position", "sample")
        samples = dict(kept)
        for own in blind_answers(review):
            position = int(own.source_key)
            key = before + question_key(samples.get(position, ""), position)
            if key not in items or own.place == DECIDING_PLACE:
                continue
            pk, question = items[key]
            if question != own.text:
                reworded_count += 1
                continue
            texts[pk, own.place] = own.answer
            people.add(own.person)
    return ReviewAnswers(texts, len(people), reworded_count)
