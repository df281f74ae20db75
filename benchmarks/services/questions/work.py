"""The work behind question sets: claim the job, then write the questions, or freeze them.

Nobody sees a question before all are stored. A worker that goes on after another leaves what is
there of the same samples and writes the others.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.models import JobStop
from annotation.selectors.corpus.blinding import HiddenWhileRatingError
from annotation.selectors.records.status import installed_version
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    fail_job,
    finish_job,
    progress_reporter,
    work_on_jobs,
)
from benchmarks.engine.questions.balance import (
    MOST_GUESSED,
    AskedQuestion,
    guessed_from_words,
    kinds_by_class,
)
from benchmarks.engine.questions.kinds import MOST_PAIRS, Wanted
from benchmarks.engine.questions.samples import Sample
from benchmarks.engine.questions.stored import changes_in_words
from benchmarks.engine.questions.templates import Pair, Templates
from benchmarks.models import QuestionSet
from benchmarks.models.questions import USABLE, Author, QuestionState
from benchmarks.selectors.material_questions import ChosenSamples, changes_since, samples_of_set
from benchmarks.services.batches import delete_rows, in_batches, insert_rows, short_transaction
from benchmarks.services.questions.sets import record_questions
from benchmarks.services.questions.writing import Asked, QuestionWriter
from benchmarks.services.writing import HopelessWriterError, PaidWriter
from generation.backends.exceptions import BudgetSpentError, CancelledError, StoppedError

ROW_COLUMNS = (
    "question_set_id", "position", "sample", "recording", "video_id", "kind", "polarity", "classes",
    "groups", "about", "source_row", "start_s", "end_s", "question", "answer", "author", "state",
    "fault",
)  # fmt: skip
COLUMNS = ", ".join(f'"{name}"' for name in ROW_COLUMNS)
INSERT_SQL = (
    f"INSERT INTO benchmarks_question ({COLUMNS})"  # noqa: S608
    f" VALUES ({', '.join(['%s'] * len(ROW_COLUMNS))})"
)


NO_ROW: Mapping[str, Any] = {}


class NoQuestionsError(Exception):
    """No questions can be made or frozen; the message says why."""


def work_on_question_sets(*, job_ids: Sequence[int], watch: Progress | None = None) -> None:
    """Make or freeze the question sets behind these jobs; safe to call twice with the same ids.

    `watch` is told of the progress too; it raises CancelledError to have the work stopped.
    """
    work_on_jobs(job_ids=job_ids, handler=partial(_work, watch=watch))


def _work(claim: Claim, watch: Progress | None) -> None:
    related = ("dataset", "owner", "writer")
    sets = QuestionSet.objects.select_related(*related).filter(job_id=claim.job_id)
    question_set = sets.first()
    if question_set is None:
        finish_job(claim=claim, result={"skipped": "the question set was deleted"})
        return
    try:
        with beating(claim) as is_lost:
            report = progress_reporter(claim, is_lost, watch)
            if question_set.is_made:
                freeze_questions(claim, question_set, report)
            else:
                make_questions(claim, question_set, is_lost, report)
    except NoQuestionsError as error:
        fail_job(claim=claim, error=str(error))
    except CancelledError as error:
        raise LostClaimError(str(error)) from error
    except StoppedError as error:
        is_spent = isinstance(error, BudgetSpentError)
        stop_reason = JobStop.BUDGET_SPENT if is_spent else ""
        fail_job(claim=claim, error=f"It was stopped: {error}", stop_reason=stop_reason)


def make_questions(
    claim: Claim, question_set: QuestionSet, is_lost: Event, report: Progress
) -> None:
    """Write the questions of a set, store them and close the job; raises NoQuestionsError."""
    # The installation may be newer than when the set was asked for.
    question_set.code_version = installed_version()
    samples = _samples(question_set)
    chosen, question_set.left_out = samples.chosen, samples.left_out
    stored = _stored_samples(claim, question_set, chosen)
    asked = [(place, *one) for place, one in enumerate(chosen) if one[0].key not in stored]
    report(len(stored), len(chosen))
    rows = QuestionRows(question_set, samples.source.video_ids)
    if question_set.writer_name:
        _by_model(claim, question_set, is_lost, asked, rows, report, len(stored))
    else:
        write = Templates([sample for sample, _ in chosen], question_set.seed).pairs
        done_count = len(stored)
        written = (row for one in asked for row in rows.of(one, write(*one[1:]), Author.TEMPLATE))
        for batch in in_batches(written):
            insert_rows(claim, INSERT_SQL, batch)
            done_count += len({row[2] for row in batch})
            report(min(done_count, len(chosen)), len(chosen))
    finish_making(claim, question_set)


def _by_model(
    claim: Claim,
    question_set: QuestionSet,
    is_lost: Event,
    asked: Sequence[Asked],
    rows: "QuestionRows",
    report: Progress,
    done_count: int,
) -> None:
    if question_set.writer is None:
        raise NoQuestionsError(f"The text model {question_set.writer_name} was deleted.")

    def store(one: Asked, pairs: Sequence[Pair]) -> None:
        insert_rows(claim, INSERT_SQL, list(rows.of(one, pairs, Author.MODEL)))

    paid = PaidWriter(
        claim=claim,
        writer=question_set.writer,
        owner=question_set.owner,
        key=question_set.payer_key,
        name=f"the questions of {question_set.name!r}",
        budget_usd=question_set.budget_usd,
        is_lost=is_lost,
        things="steps",
    )
    try:
        QuestionWriter(paid).write(asked, store, report, done_count)
    except HopelessWriterError as error:
        raise NoQuestionsError(str(error)) from error


def finish_making(claim: Claim, question_set: QuestionSet) -> None:
    """Audit what was stored, and show it: close the job in the same transaction."""
    question_set.figures = figures_of(question_set)
    count = question_set.questions.count()
    with short_transaction(claim):
        finish_job(claim=claim, result={"questions": count})
        question_set.question_count, question_set.made_at = count, timezone.now()
        question_set.save(
            update_fields=["code_version", "left_out", "figures", "question_count", "made_at"]
        )
        detail = {"questions": count, "attempt": claim.attempt}
        record_questions(question_set, None, "make", detail)


def _samples(question_set: QuestionSet) -> ChosenSamples:
    try:
        return samples_of_set(question_set)
    except Http404 as error:
        raise NoQuestionsError(f"{question_set.source} is no longer there for you.") from error
    except HiddenWhileRatingError as error:
        raise NoQuestionsError(str(error)) from error
    except ValueError as error:
        words = f"No questions can be made of {question_set.source}: {error}."
        raise NoQuestionsError(words) from error


def _changes(question_set: QuestionSet) -> list[str]:
    try:
        return changes_since(question_set)
    except Http404 as error:
        words = f"Nothing is frozen: {question_set.source} is no longer there for you."
        raise NoQuestionsError(words) from error
    except (HiddenWhileRatingError, ValueError) as error:
        raise NoQuestionsError(f"Nothing is frozen: {error}") from error


def _stored_samples(
    claim: Claim, question_set: QuestionSet, chosen: Sequence[tuple[Sample, tuple[Wanted, ...]]]
) -> set[str]:
    """The samples that an earlier worker stored questions of; those of others are deleted."""
    digest = hashlib.sha256()
    for sample, wanted in chosen:
        facts = (sample.key, sample.about, sample.classes, sample.start_s, sample.end_s, wanted)
        digest.update(json.dumps(facts, sort_keys=True).encode())
    if question_set.content_hash != digest.hexdigest():
        delete_rows(claim, question_set.questions.all())
        with short_transaction(claim):
            question_set.content_hash = digest.hexdigest()
            question_set.save(update_fields=["content_hash"])
        return set()
    # The last one in a batch may have some of its questions only.
    last = question_set.questions.order_by("-position").values_list("sample", flat=True).first()
    question_set.questions.filter(sample=last).delete()
    return set(question_set.questions.order_by().values_list("sample", flat=True).distinct())


@dataclass(frozen=True, slots=True)
class QuestionRows:
    """The rows of questions, in the order of `ROW_COLUMNS`."""

    question_set: QuestionSet
    video_ids: Mapping[str, int]

    def of(
        self,
        asked: Asked,
        pairs: Sequence[Pair],
        author: Author,
        source_row: Mapping[str, Any] = NO_ROW,
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of the pairs about one sample, which was taken from another data set's row."""
        place, sample, _ = asked
        facts = (sample.classes, sample.groups, sample.about)
        classes, groups, about = (json.dumps(value) for value in facts)
        for number, pair in enumerate(pairs):
            state = QuestionState.FAILED if pair.fault else QuestionState.READY
            yield (
                self.question_set.pk, place * MOST_PAIRS + number, sample.key, sample.recording,
                self.video_ids.get(sample.recording), pair.kind.value, pair.polarity or "",
                classes, groups, about, json.dumps(source_row), sample.start_s, sample.end_s,
                pair.question, pair.answer, author.value, state.value, pair.fault,
            )  # fmt: skip


def figures_of(question_set: QuestionSet) -> dict[str, Any]:
    """`QuestionSet.figures`: the kinds by class, and what the words of questions give away."""
    questions = _asked_questions(question_set)
    sample = _some(questions, question_set.seed)
    return {
        "kinds": kinds_by_class(questions),
        "guessers": guessed_from_words(sample, question_set.seed),
        "guessed_count": len(sample),
    }


def kinds_of(question_set: QuestionSet) -> dict[str, Any]:
    """`figures_of` without what can be guessed, which takes seconds; the freeze has that."""
    kinds = kinds_by_class(_asked_questions(question_set))
    return {"kinds": kinds, "guessers": [], "guessed_count": 0}


def _asked_questions(question_set: QuestionSet) -> list[AskedQuestion]:
    rows = question_set.questions.filter(state__in=USABLE).order_by("position")
    columns = ("recording", "kind", "polarity", "classes", "question")
    return [
        AskedQuestion(recording, kind, polarity, tuple(classes), text)
        for recording, kind, polarity, classes, text in rows.values_list(*columns).iterator()
    ]


def _some(questions: Sequence[AskedQuestion], seed: int) -> Sequence[AskedQuestion]:
    """All questions, or those of recordings drawn by the seed, as many as are guessed at most."""
    if len(questions) <= MOST_GUESSED:
        return questions
    names = sorted({one.recording for one in questions})
    order = np.random.default_rng([seed, len(names)]).permutation(len(names))
    rank = {names[place]: number for number, place in enumerate(order)}
    ranked = sorted(questions, key=lambda one: rank[one.recording])
    return ranked[:MOST_GUESSED]


def freeze_questions(claim: Claim, question_set: QuestionSet, report: Progress) -> None:
    """Make a set final if its data set is what it was; raises NoQuestionsError that names changes.

    Kept is what passed the checks, or what the review accepted.
    """
    usable = question_set.questions.filter(state__in=USABLE)
    if not usable.exists():
        raise NoQuestionsError("No question is left to freeze: none passed checks and review.")
    report(0, 1)
    if changes := _changes(question_set):
        words = f"Nothing is frozen: {changes_in_words(changes)}. Make a new version of the set."
        raise NoQuestionsError(words)
    figures, digest = figures_of(question_set), content_hash_of(question_set)
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result={"questions": usable.count()})
        question_set.question_count = usable.count()
        # The kinds before a review stay beside those that are kept.
        question_set.figures = {**question_set.figures, **figures}
        question_set.content_hash, question_set.frozen_at = digest, timezone.now()
        question_set.save(update_fields=["question_count", "figures", "content_hash", "frozen_at"])
        record_questions(question_set, None, "freeze", {"hash": digest})


def content_hash_of(question_set: QuestionSet) -> str:
    """The SHA-256 over every question that is kept, with its answer and where it belongs."""
    columns = (
        "position", "sample", "kind", "polarity", "classes", "about", "start_s", "end_s",
        "question", "answer",
    )  # fmt: skip
    digest = hashlib.sha256()
    kept = question_set.questions.filter(state__in=USABLE).order_by("position")
    for row in kept.values_list(*columns).iterator():
        digest.update(json.dumps(row, sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()
