"""People as judges: who may grade, what they are shown, and the table *Judges and people*."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import Prefetch, QuerySet
from django.http import Http404

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.counting import counted
from annotation.models import User
from benchmarks.engine.measures import judged
from benchmarks.engine.measures.grades import HIGHEST
from benchmarks.engine.measures.judged import Coefficient, Floats
from benchmarks.engine.task import Task
from benchmarks.models import (
    Answer,
    ItemSet,
    JudgingSample,
    ParticipantKind,
    PersonGrade,
    PersonJudge,
    SampledAnswer,
)
from benchmarks.selectors.item_sets import (
    get_item_set_for_user,
    may_see_truth,
    shown_judgements,
    task_of,
)
from benchmarks.selectors.review_answers import has_reviewed

COEFFICIENTS = {
    "cohen": "Cohen's kappa",
    "cohen_quadratic": "Cohen's kappa, quadratic",
    "pearson": "Pearson",
    "spearman": "Spearman",
}
FLEISS = "Fleiss' kappa"
MEAN_OF_JUDGES = "mean of judges"
UNDEFINED = "Undefined: {}."


def get_judged_set(user: User, public_id: str) -> ItemSet:
    """A frozen set whose answers the user may grade: its texts are judged and they see the truth.

    Raises Http404.
    """
    item_set = get_item_set_for_user(user, public_id)
    if not (item_set.is_frozen and task_of(item_set).is_judged and may_see_truth(user, item_set)):
        raise Http404(f"nothing of {item_set} is yours to grade")
    return item_set


def sample_of(item_set: ItemSet) -> JudgingSample | None:
    return JudgingSample.objects.filter(item_set=item_set).first()


def judge_of(sample: JudgingSample | None, user: User) -> PersonJudge | None:
    return PersonJudge.objects.filter(sample=sample, person=user).first() if sample else None


def answers_for(sample: JudgingSample, user: User) -> list[SampledAnswer]:
    """The answers of a sample that the user may grade: not their own.

    Of what people answered in a review nobody grades anything who was among them.
    """
    rows = sample.answers.select_related("answer__item__shared", "answer__assessment")
    others = rows.exclude(answer__assessment__person=user)
    if has_reviewed(user, sample.item_set):
        others = others.exclude(answer__assessment__kind=ParticipantKind.REVIEW)
    return list(others.order_by("position"))


def may_see_grades(sample: JudgingSample | None, user: User) -> bool:
    """Whether the user may read the grades of others: not while they grade themselves."""
    judge = judge_of(sample, user)
    return sample is not None and (judge is None or judge.finished_at is not None)


def is_grading(user: User, item_set: ItemSet) -> bool:
    """Whether the user grades answers to the set and has not finished: they see no other grade."""
    rows = PersonJudge.objects.filter(sample__item_set=item_set, person=user)
    return rows.filter(finished_at__isnull=True).exists()


def with_grades(answers: QuerySet[Answer]) -> QuerySet[Answer]:
    """Answers with what people gave them as judges (one more query for all of them)."""
    grades = PersonGrade.objects.select_related("judge")
    return answers.select_related("sampled").prefetch_related(Prefetch("sampled__grades", grades))


def judgements_of(answer: Answer, *, sees_truth: bool, is_grading: bool) -> dict[str, Any]:
    """What a user may read of an answer's judgements, by judge, people among them.

    People's grades, of those who have finished, are for who may see the truth. Read many answers
    `with_grades`.
    """
    if is_grading:
        return {}
    shown = shown_judgements(answer.judged, sees_truth=sees_truth)
    sampled = getattr(answer, "sampled", None) if sees_truth else None
    grades = [] if sampled is None else sampled.grades.all()
    people = {
        str(grade.judge): {"status": "read", "reason": "", "value": {"score": grade.score}}
        for grade in grades
        if grade.judge.finished_at is not None
    }
    return {**shown, **people}


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The grades of a sample, nan for none: of each person, each judge, and people's consensus."""

    answers: Sequence[SampledAnswer]
    people: Mapping[str, Floats]
    judges: Mapping[str, Floats]
    consensus: Floats

    @property
    def to_discuss(self) -> list[SampledAnswer]:
        """The answers that at least two people graded and that no grade has a majority of."""
        nobody = np.zeros(len(self.answers), dtype=np.int64)
        given = sum((~np.isnan(column) for column in self.people.values()), start=nobody)
        return [
            answer
            for answer, count, agreed in zip(self.answers, given, self.consensus, strict=True)
            if count > 1 and np.isnan(agreed)
        ]


def judged_sample(sample: JudgingSample) -> JudgedSample:
    """All grades of a sample by people who have finished, and by judges (three queries)."""
    answers = list(sample.answers.select_related("answer__item__shared").order_by("position"))
    place_of = {answer.pk: place for place, answer in enumerate(answers)}
    people: dict[str, Floats] = {
        str(judge): np.full(len(answers), np.nan)
        for judge in sample.judges.filter(finished_at__isnull=False)
    }
    grades = PersonGrade.objects.filter(judge__sample=sample, judge__finished_at__isnull=False)
    for grade in grades.select_related("judge"):
        people[str(grade.judge)][place_of[grade.sampled_id]] = grade.score
    task = task_of(sample.item_set)
    judged_values = [judge_scores(task, answer.answer) for answer in answers]
    names = sorted({name for scores in judged_values for name in scores})
    judges = {
        name: judged.grades_column([scores.get(name) for scores in judged_values]) for name in names
    }
    consensus = [
        answer.agreed if answer.agreed is not None else judged.majority(_known(people, place))
        for place, answer in enumerate(answers)
    ]
    return JudgedSample(answers, people, judges, judged.grades_column(consensus))


def judge_scores(task: Task, answer: Answer) -> dict[str, float]:
    """The grades of the models that judged an answer, by their names."""
    found = {name: task.judge_grade(one.get("value") or {}) for name, one in answer.judged.items()}
    return {name: grade for name, grade in found.items() if grade is not None}


def _known(columns: Mapping[str, Floats], place: int) -> list[float]:
    return [float(column[place]) for column in columns.values() if not np.isnan(column[place])]


def judges_and_people(item_set: ItemSet, sample: JudgingSample) -> Table:
    """The table of agreement, in the layout of Table 6 of EgoErrorVQA."""
    found = judged_sample(sample)
    pairs = judged.of_pairs(found.people)
    columns = [Column(_pair_key(pair), f"{pair[0]} and {pair[1]}", decimals=3) for pair in pairs]
    all_of = Column("all", "All", decimals=3)
    between = [
        Row(
            Cell(title),
            {
                **{_pair_key(pair): _cell(row[name]) for pair, row in pairs.items()},
                "all": Cell(judged.mean_of([row[name] for row in pairs.values()])),
            },
        )
        for name, title in COEFFICIENTS.items()
    ]
    if len(found.people) > 1:
        between.append(Row(Cell(FLEISS), {"all": _cell(judged.fleiss(found.people))}))
    with_consensus = [
        Row(
            Cell(f"Consensus and {name}"),
            {kind: _cell(one) for kind, one in judged.with_consensus(found.consensus, own).items()},
        )
        for name, own in _judges_with_mean(found).items()
    ]
    two_judges = [
        Row(Cell(f"{first} and {second}"), {name: _cell(one) for name, one in row.items()})
        for (first, second), row in judged.of_pairs(found.judges).items()
    ]
    coefficients = [Column(name, title, decimals=3) for name, title in COEFFICIENTS.items()]
    groups = (
        RowGroup("Between people", tuple(between) if pairs else ()),
        RowGroup("People's consensus and judges", tuple(with_consensus)),
        RowGroup("Between judges", tuple(two_judges)),
    )
    return Table(
        key=f"judges-and-people-{item_set.public_id}",
        title=f"Judges and people: {item_set}",
        label_title="Between",
        columns=(*columns, all_of, *coefficients, Column(judged.BIAS, "Bias", decimals=2)),
        groups=groups,
        notes=_notes(sample, found),
    )


def _judges_with_mean(found: JudgedSample) -> dict[str, Floats]:
    judges = dict(found.judges)
    if len(judges) > 1:
        judges[MEAN_OF_JUDGES] = np.mean(list(judges.values()), axis=0)
    return judges


def _notes(sample: JudgingSample, found: JudgedSample) -> tuple[str, ...]:
    unread = {name: int(np.isnan(column).sum()) for name, column in found.judges.items()}
    lowest = min(task_of(sample.item_set).people_rubric.words)
    gaps = ", ".join(f"{name} {count}" for name, count in unread.items() if count)
    return (
        f"{counted(len(found.answers), 'answer')}, drawn evenly by source, participant and the"
        f" judges' grade, seed {sample.seed}; graded {lowest} to {HIGHEST} by"
        f" {len(found.people)} people.",
        "All is the mean of the pairs, Fleiss' kappa a coefficient of its own. The consensus is"
        " what more than half of the people gave, or what they agreed on;"
        f" left out: {counted(len(found.to_discuss), 'answer')} that people still have to discuss.",
        "Bias is how far a judge's grades lie above the consensus in the mean; its weighted kappa"
        " is of whole grades.",
        "A kappa counts equal grades, a correlation grades that rise together: they may differ.",
        *((f"Answers without a grade, which is no 0: {gaps}.",) if gaps else ()),
    )


def _pair_key(pair: tuple[str, str]) -> str:
    return " ".join(pair)


def _cell(found: Coefficient) -> Cell:
    notes = (UNDEFINED.format(found.reason),) if found.value is None else ()
    return Cell(found.value, notes=notes)
