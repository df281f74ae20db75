"""Question sets by templates: made in a job, balanced, audited, frozen where nothing changed."""

from collections import Counter

import pytest
from django.core.exceptions import ValidationError

from annotation.models import AuditEntry, JobStatus, TraceStep
from benchmarks.engine.questions.samples import ALL, QuestionSettings
from benchmarks.models import Question, QuestionSet, QuestionState
from benchmarks.services.questions import work
from benchmarks.services.questions.sets import (
    QuestionSetInUseError,
    QuestionSetRequest,
    cancel_questions,
    delete_questions,
    resume_questions,
    start_freezing_questions,
    start_questions,
)
from tests.benchmarks.questions.made import (
    questions_frozen,
    questions_made,
    questions_worked_on,
)

pytestmark = pytest.mark.django_db


def texts(question_set):
    return list(question_set.questions.values_list("sample", "kind", "question", "answer"))


def test_same_data_and_seed_give_the_same_questions_under_the_next_version(sample, owner):
    first, again = (questions_made(sample, owner) for _ in range(2))
    other = questions_made(sample, owner, seed=1)

    assert (first.version, again.version, other.version) == (1, 2, 3)
    assert texts(first) == texts(again) != texts(other)
    assert first.question_count == first.questions.count() > 100
    assert not first.questions.filter(state=QuestionState.FAILED).exists()


def test_kinds_come_equally_often_within_each_class_and_with_as_many_correct_steps(sample, owner):
    made = questions_made(sample, owner)

    counts = Counter()
    samples = Counter()
    for row in made.questions.order_by("sample").values("sample", "classes", "kind", "polarity"):
        counts["+".join(row["classes"]), row["kind"], row["polarity"]] += 1
        samples[row["sample"], row["classes"] == ["correct"]] += 1
    by_class = {}
    for (name, _kind, _polarity), count in counts.items():
        by_class.setdefault(name, []).append(count)
    assert all(max(own) - min(own) <= 1 for own in by_class.values() if len(own) == 4)
    assert set(samples.values()) == {3}
    correct = sum(is_correct for _, is_correct in samples)
    assert correct == len(samples) - correct
    whole = questions_made(sample, owner, settings=QuestionSettings(correct=ALL))
    assert whole.question_count > made.question_count


def test_table_of_kinds_and_guessers_is_stored_with_the_set(sample, owner):
    made = questions_made(sample, owner)

    kinds = {(row["class"], row["kind"], row["polarity"]) for row in made.figures["kinds"]}
    assert {("correct", "confirm", "yes"), ("correct", "decoy", "no")} < kinds
    assert {("Wrong action", "detect", "no"), ("Wrong action", "detect", "yes")} < kinds
    guessers = {(row["target"], row["guesser"]): row for row in made.figures["guessers"]}
    assert 0 < guessers["mistake", "Words of the question"]["f1"] < 1
    assert len(guessers) == 4


def test_nothing_is_seen_of_a_set_that_was_stopped_and_it_goes_on_where_it_was(
    sample, owner, monkeypatch
):
    whole = texts(questions_made(sample, owner))
    monkeypatch.setattr("benchmarks.services.batches.ROWS_AT_ONCE", 25)
    request = QuestionSetRequest(name="Stopped", source=sample.public_id)
    question_set, job_ids = start_questions(request=request, actor=owner)
    insert, calls = work.insert_rows, []

    def stopping(claim, sql, rows):
        if len(calls) == 2:
            cancel_questions(question_set=question_set, actor=owner)
        calls.append(len(rows))
        insert(claim, sql, rows)

    monkeypatch.setattr(work, "insert_rows", stopping)
    work.work_on_question_sets(job_ids=job_ids)

    question_set.refresh_from_db()
    assert question_set.job.status == JobStatus.CANCELLED
    assert (question_set.is_made, question_set.questions.count()) == (False, 50)
    monkeypatch.setattr(work, "insert_rows", insert)
    before = set(question_set.questions.values_list("pk", flat=True))
    job_ids = resume_questions(question_set=question_set, actor=owner)
    made = questions_worked_on(question_set, job_ids)
    assert made.is_made
    assert texts(made) == whole
    kept = before & set(made.questions.values_list("pk", flat=True))
    # The last step may have had some of its questions only.
    assert len(kept) >= 47


def test_freeze_keeps_what_is_usable_under_one_hash(sample, owner):
    frozen, again = (questions_frozen(questions_made(sample, owner), owner) for _ in range(2))

    assert frozen.is_frozen
    assert len(frozen.content_hash) == 64
    assert frozen.content_hash == again.content_hash
    assert start_freezing_questions(question_set=frozen, actor=owner) == []
    made = questions_made(sample, owner)
    made.questions.filter(position=0).update(state=QuestionState.REJECTED)
    fewer = questions_frozen(made, owner)
    assert fewer.question_count == frozen.question_count - 1
    assert fewer.content_hash != frozen.content_hash


def test_data_set_that_changed_is_named_and_nothing_is_frozen(sample, owner):
    made = questions_made(sample, owner)
    key = made.questions.filter(sample__startswith="trace:").first().sample
    uid, place = key.removeprefix("trace:").rsplit("#", 1)
    row = TraceStep.objects.filter(trace__uid=uid).order_by("index")[int(place)]
    TraceStep.objects.filter(pk=row.pk).update(end_s=row.end_s + 1)

    with pytest.raises(ValidationError) as refused:
        questions_frozen(made, owner)

    [message] = refused.value.messages
    assert f"recording {uid}, row {place} has another times" in message
    assert str(row.end_s + 1) in message
    made.refresh_from_db()
    assert not made.is_frozen
    QuestionSet.objects.update(dataset=None)
    with pytest.raises(ValidationError, match="no longer there for you"):
        questions_frozen(QuestionSet.objects.get(pk=made.pk), owner)


def test_set_is_refused_by_field(sample, owner, outsider):
    bad = QuestionSettings(pairs=9, untimed="never")
    request = QuestionSetRequest(
        name="Bad", source=sample.public_id, seed=-1, settings=bad, writer="nobody"
    )
    with pytest.raises(ValidationError) as refused:
        start_questions(request=request, actor=owner)
    assert set(refused.value.message_dict) == {"pairs", "untimed", "seed"}
    for wrong, changes in (("writer", {"writer": "nobody"}), ("budget_usd", {"budget_usd": -1})):
        request = QuestionSetRequest(name="Bad", source=sample.public_id, **changes)
        with pytest.raises(ValidationError) as refused:
            start_questions(request=request, actor=owner)
        assert set(refused.value.message_dict) == {wrong}
    with pytest.raises(ValidationError, match="You have no data set"):
        questions_made(sample, outsider)
    assert not QuestionSet.objects.exists()


def test_delete_takes_the_questions_and_leaves_a_line_in_the_log(sample, owner):
    made = questions_made(sample, owner)
    job = made.job
    job.status = JobStatus.QUEUED
    job.save()
    with pytest.raises(QuestionSetInUseError, match="cancel that first"):
        delete_questions(question_set=made, actor=owner)
    job.status = JobStatus.DONE
    job.save()

    delete_questions(question_set=made, actor=owner)

    assert not QuestionSet.objects.exists()
    assert not Question.objects.exists()
    assert AuditEntry.objects.filter(action="question_set.delete").count() == 1
