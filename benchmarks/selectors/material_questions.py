"""Question sets and the data sets that they are about: their samples, and sets as a source."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import Dataset, User
from benchmarks.engine.material import Material
from benchmarks.engine.questions.kinds import Wanted
from benchmarks.engine.questions.samples import (
    ALL,
    QuestionSettings,
    Sample,
    changes_of,
    samples_of,
)
from benchmarks.engine.questions.stored import CHANGES, QUESTIONS, StoredQuestion
from benchmarks.models import QuestionSet
from benchmarks.models.questions import USABLE
from benchmarks.selectors.material import NamedSource, Source, dataset_source
from benchmarks.selectors.questions import get_question_set_for_user, visible_question_sets
from benchmarks.selectors.vqa_rows import changes_of_links

QUESTION_COLUMNS = (
    "position", "sample", "recording", "kind", "polarity", "classes", "groups", "about", "start_s",
    "end_s", "question", "answer",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ChosenSamples:
    """The samples of a set in order, each with the kinds to ask; how many steps are left out."""

    source: Source
    chosen: Sequence[tuple[Sample, tuple[Wanted, ...]]]
    left_out: dict[str, int]


def samples_of_set(question_set: QuestionSet, *, correct: str = "") -> ChosenSamples:
    """The samples of a set as its data set is now, with its settings or those `correct` steps.

    Raises Http404 where its owner has the data set no more, HiddenWhileRatingError, ValueError.
    """
    if question_set.dataset is None:
        raise Http404(f"{question_set.source} was deleted")
    source = dataset_source(question_set.owner, question_set.dataset.public_id)
    settings = QuestionSettings(**question_set.settings)
    if correct:
        settings = replace(settings, correct=correct)
    chosen, left_out = samples_of(source.material, settings, question_set.seed)
    return ChosenSamples(source, chosen, left_out)


def changes_since(question_set: QuestionSet) -> list[str]:
    """What the data set says otherwise than when the questions were made, a sentence each.

    Raises as `samples_of_set`.
    """
    return _changes(question_set, samples_of_set(question_set, correct=ALL))


def _changes(question_set: QuestionSet, now: ChosenSamples) -> list[str]:
    """`now` has all steps: of the correct ones some were drawn, and one more is no change."""
    columns = ("sample", "classes", "about", "start_s", "end_s")
    kept = question_set.questions.filter(state__in=USABLE).order_by("position")
    stored = {row[0]: row for row in kept.values_list(*columns).iterator()}
    samples = {sample.key: sample for sample, _ in now.chosen}
    names = ("key", *columns[1:])
    own = changes_of((dict(zip(names, row, strict=True)) for row in stored.values()), samples)
    return [*own, *changes_of_links(question_set)]


def _frozen(user: User | None) -> QuerySet[QuestionSet]:
    sets = QuestionSet.objects.all() if user is None else visible_question_sets(user)
    return sets.filter(frozen_at__isnull=False, dataset__isnull=False)


def question_set_choices(user: User) -> list[tuple[str, str]]:
    """The frozen question sets of a user, by id."""
    return [(row.public_id, str(row)) for row in _frozen(user).order_by("name", "version")]


def find_question_set(user: User | None, public_id: str) -> NamedSource:
    """The data set and the name of a frozen question set; raises Http404, or that it is hidden."""
    question_set, dataset = _found(user, public_id)
    return NamedSource(dataset, str(question_set))


def _found(user: User | None, public_id: str) -> tuple[QuestionSet, Dataset]:
    if user is None:
        rows = _frozen(None).select_related("dataset", "owner")
        question_set = get_object_or_404(rows, public_id=public_id)
    else:
        question_set = get_question_set_for_user(user, public_id)
    if not question_set.is_frozen or question_set.dataset is None:
        raise Http404(f"{question_set} is not frozen, or its data set was deleted")
    return question_set, question_set.dataset


def question_source(user: User | None, public_id: str) -> Source:
    """The questions of a frozen set; raises Http404, or that it is hidden.

    Its material says what has changed in the data set since: a task then makes no items.
    """
    question_set, dataset = _found(user, public_id)
    now = samples_of_set(question_set, correct=ALL)
    rows = question_set.questions.filter(state__in=USABLE).order_by("position")
    questions = tuple(
        StoredQuestion(**{**row, "classes": tuple(row["classes"])})
        for row in rows.values(*QUESTION_COLUMNS).iterator()
    )
    asked = {question.recording for question in questions}
    recordings = tuple(one for one in now.source.material.recordings if one.key in asked)
    extra = {QUESTIONS: questions, CHANGES: _changes(question_set, now)}
    material = Material(str(question_set), recordings, extra)
    return Source(material, dataset, now.source.video_ids)
