"""What a newcomer finds of questions about mistakes: reviewed, frozen, answered and graded."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Dataset, Job, JobStatus, Role
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.models import Assessment, ItemSet, PersonJudge, QuestionSet
from benchmarks.selectors.judging import judged_sample, judges_and_people
from benchmarks.selectors.questions import BEFORE_REVIEW
from benchmarks.services.people.reviewed import NAME
from sample import questions
from sample.corpus import load_corpus
from sample.ratings import RATERS
from tests.benchmarks.made import figures_of
from tests.factories import UserFactory
from texts.models import TextVerdict
from texts.selectors.figures import figures_now

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask():
    """Return what asks the questions, as the demo does."""
    owner = UserFactory(username="researcher", role=Role.RESEARCHER)
    administrator = UserFactory(username="administrator", role=Role.ADMINISTRATOR)
    target = ImportTarget(name="Sample", format="native", owner=owner)
    import_reading(load_corpus(), target=target, actor=owner)
    raters = [UserFactory(username=name) for name in RATERS]
    dataset = Dataset.objects.get()
    return lambda: questions.ask_about_mistakes(dataset, owner, raters, [owner, administrator])


def everything():
    """Return how many rows there are of what the demo makes, and what was decided."""
    question_set = QuestionSet.objects.get()
    states = question_set.questions.values_list("state", flat=True)
    participants = Assessment.objects.exclude(kind="baseline").values_list("name", flat=True)
    return {
        "states": Counter(states),
        "verdicts": TextVerdict.objects.exclude(verdict="").count(),
        "items": ItemSet.objects.get().item_count,
        "participants": sorted(participants),
        "final": PersonJudge.objects.exclude(finished_at=None).count(),
    }


def test_a_newcomer_finds_reviewed_questions_with_a_table_of_participants(ask):
    item_set = ask()
    before = everything()
    # Of an upload that was interrupted, the job is still held.
    stopped = item_set.assessments.get(name=questions.TOLD_MANY)
    stopped.frozen_at, stopped.job = None, Job.objects.create(kind="x", key="x")
    stopped.save()
    again = ask()

    question_set = QuestionSet.objects.get()
    assert again == item_set
    assert everything() == before
    assert (question_set.is_frozen, question_set.review.is_closed) == (True, True)
    assert question_set.figures[BEFORE_REVIEW] != question_set.figures["kinds"]
    # Two questions about each of 50 steps: two verdicts on each, and a third where these differ.
    review = figures_now(question_set.review)
    assert review.equal.count == 100
    assert 0 < review.equal.count - review.equal.hits == before["verdicts"] - 200
    assert 0.5 < review.equal.hits / review.equal.count < 1
    assert all(before["states"][state] > 0 for state in ("accepted", "edited", "rejected"))
    by_rule, told_many = (
        figures_of(item_set.assessments.get(name=name))
        for name in (questions.BY_RULE, questions.TOLD_MANY)
    )
    assert by_rule["polar_right"][0] < told_many["polar_right"][0]
    assert by_rule["token_f1"][0] < told_many["token_f1"][0] < 1
    # Two people answered before they saw what is right; none of them is named.
    people = item_set.assessments.get(kind="review")
    assert people.settings["people"] >= 2
    assert 0 < by_rule["polar_right"][0] < figures_of(people)["polar_right"][0] < 1
    graded = judged_sample(item_set.judging_sample)
    table = judges_and_people(item_set, item_set.judging_sample)
    between = {row.label.value: row.cells["all"].value for row in table.groups[0].rows}
    assert sorted(graded.people) == ["person:1", "person:2"]
    assert 0.3 < between["Cohen's kappa, quadratic"] < 1


STEPS = (
    "work_on_question_sets", "start_review", "answer_blind", "give_verdict", "finish_review",
    "start_freezing_questions", "work_on_question_sets", "start_making", "work_on_item_sets",
    "start_freezing", "work_on_item_sets", "upload_answers", "draw_sample", "finish_grading",
)  # fmt: skip


def test_an_interrupted_start_goes_on_where_it_ended(ask, monkeypatch):
    def interrupted(**fields):
        raise KeyboardInterrupt

    for step in STEPS:
        with monkeypatch.context() as patched:
            patched.setattr(questions, step, interrupted)
            with pytest.raises(KeyboardInterrupt):
                ask()
        # A process that was killed at it still holds its jobs.
        held = {"status": JobStatus.RUNNING, "lease_until": timezone.now() + timedelta(hours=1)}
        Job.objects.filter(status=JobStatus.QUEUED).update(**held, attempt=1)
    ask()

    assert (QuestionSet.objects.get().is_frozen, everything()["final"]) == (True, 2)
    assert everything()["participants"] == sorted([questions.BY_RULE, questions.TOLD_MANY, NAME])
