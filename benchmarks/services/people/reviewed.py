"""The row of people: what they answered in a review before they saw the right answers."""

from annotation.models import User
from annotation.selectors.records.status import installed_version
from annotation.services.records.jobs import Claim
from benchmarks.engine import task as engine
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import Answer, Assessment, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import AnswerSheet
from benchmarks.selectors.review_answers import review_answers
from benchmarks.selectors.stored_items import StoredItems
from benchmarks.services.batches import delete_rows, in_batches, short_transaction
from benchmarks.services.figures import answered, figures_of_answers, store_figures

NAME = "People, before they saw the answer"


def store_review_answers(claim: Claim, item_set: ItemSet, owner: User | None) -> None:
    """Store the answers of a review as a participant, in place of what an earlier worker left.

    Nothing is stored where nobody answered blind. Two people who read the same question are two
    repeats of it. Judges grade these answers as those of a file.
    """
    left = item_set.assessments.filter(kind=ParticipantKind.REVIEW)
    delete_rows(claim, Answer.objects.filter(assessment__in=left))
    delete_rows(claim, left)
    found = review_answers(item_set)
    if not found.texts:
        return
    places = range(1, 1 + max(place for _, place in found.texts))
    items = StoredItems(item_set.test_items)
    values: dict[tuple[int, int], engine.Value] = {
        key: {"text": text} for key, text in found.texts.items()
    }
    assessment = Assessment(
        item_set=item_set,
        kind=ParticipantKind.REVIEW,
        name=NAME,
        owner=owner,
        settings={
            "repeats": len(places),
            "people": found.people_count,
            "reworded": found.reworded_count,
        },
        code_version=installed_version(),
    )
    answers = [answered(values.get((pk, place))) for place in places for pk in items.row_ids]
    sheet = AnswerSheet(list(items) * len(places), answers)
    figures = figures_of_answers(assessment, sheet)
    with short_transaction(claim):
        assessment.save()
    rows = (
        Answer(
            assessment=assessment, item_id=pk, repeat=place - 1, status=AnswerStatus.READ,
            value=value,
        )
        for (pk, place), value in values.items()
    )  # fmt: skip
    for batch in in_batches(rows):
        with short_transaction(claim):
            Answer.objects.bulk_create(batch)
    with short_transaction(claim):
        store_figures(assessment, figures)
