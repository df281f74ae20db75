"""Read question sets: who may see which, how far their job is, and their questions."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from django.db.models import QuerySet

from annotation.models import AT_WORK, JobStatus, User
from annotation.selectors.corpus.blinding import get_unhidden, hidden_datasets
from annotation.selectors.corpus.corpus import visible_takes, visible_traces
from benchmarks.engine.questions.kinds import Kind, Polarity
from benchmarks.models import Question, QuestionSet, QuestionState
from benchmarks.selectors.item_sets import SetProgress, seconds_left
from texts.engine.deciding import DECIDING_PLACE
from texts.selectors.rounds import blind_answers

# The key of `QuestionSet.figures` under which the kinds before a review are kept.
BEFORE_REVIEW = "kinds_before"
# Of a question, what its file and the API tell beside where it comes from.
EXPORTED = (
    "position", "sample", "recording", "start_s", "end_s", "kind", "polarity", "classes",
    "question", "answer", "author", "state", "fault", "about",
)  # fmt: skip
ROWS_AT_ONCE = 1000


def openable_question_sets(user: User) -> QuerySet[QuestionSet]:
    """The sets that the user may see whenever no campaign hides them: their answers are truth."""
    if user.is_administrator:
        return QuestionSet.objects.all()
    if user.is_researcher:
        return QuestionSet.objects.filter(owner=user)
    return QuestionSet.objects.none()


def visible_question_sets(user: User) -> QuerySet[QuestionSet]:
    """The user's own sets, without those of data that they rate in an open campaign."""
    hidden = hidden_datasets(user).values("pk")
    return openable_question_sets(user).exclude(dataset__in=hidden)


def get_question_set_for_user(user: User, public_id: str) -> QuestionSet:
    """A visible set, also one without questions yet; raises Http404, or that it is hidden."""
    related = ("dataset", "owner", "job", "writer", "review__campaign")
    sets = visible_question_sets(user).select_related(*related)
    return get_unhidden(user, sets, openable_question_sets(user), public_id)


def current_questions(question_set: QuestionSet) -> QuerySet[Question]:
    """The questions of a set in their newest version, none before all are made."""
    if not question_set.is_made:
        return Question.objects.none()
    return question_set.questions.exclude(state=QuestionState.REPLACED).order_by("position")


@dataclass(frozen=True, slots=True)
class RecordingLink:
    """A recording that a question is about, whose page the user may open."""

    kind: str
    public_id: str
    name: str
    dataset: str


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A question with its recording, and the one that a published pair was taken from.

    None where it is no longer there, or not the user's to see. `people` are what the people of a
    review answered before they saw the answer, without names.
    """

    row: Question
    recording: RecordingLink | None
    source: RecordingLink | None
    people: tuple[str, ...] = ()

    @property
    def source_number(self) -> int:
        return int(self.row.source_row["place"]) + 1

    def to_dict(self) -> dict[str, Any]:
        """The question as its file and the API give it."""
        source = None
        if self.source is not None:
            source = {
                "dataset": self.source.dataset,
                "recording": f"{self.source.kind}:{self.source.name}",
                "public_id": self.source.public_id,
                "row": self.source_number,
            }
        fields = {name: getattr(self.row, name) for name in EXPORTED}
        return {**fields, "source": source, "people": list(self.people)}


def linked_questions(
    user: User, question_set: QuestionSet, rows: Sequence[Question]
) -> list[LinkedQuestion]:
    """Questions with links to their recordings and answers of people (at most three queries)."""
    own = question_set.dataset.public_id if question_set.dataset else ""
    wanted = {(own, row.recording) for row in rows}
    wanted |= {(row.source_row["dataset"], row.source_row["recording"]) for row in rows
               if row.source_row}  # fmt: skip
    links = {}
    for kind, visible in (("trace", visible_traces), ("take", visible_takes)):
        uids = {key.partition(":")[2] for _, key in wanted if key.startswith(f"{kind}:")}
        if uids:
            datasets = {dataset for dataset, _ in wanted}
            found = visible(user).filter(uid__in=uids, dataset__public_id__in=datasets)
            for one in found.select_related("dataset"):
                link = RecordingLink(kind, one.public_id, one.uid, one.dataset.name)
                links[one.dataset.public_id, f"{kind}:{one.uid}"] = link
    people = _answers_of_people(question_set, rows)
    return [
        LinkedQuestion(
            row,
            links.get((own, row.recording)),
            links.get((row.source_row.get("dataset"), row.source_row.get("recording"))),
            tuple(people[row.position, row.question]),
        )
        for row in rows
    ]


def _answers_of_people(
    question_set: QuestionSet, rows: Sequence[Question]
) -> dict[tuple[int, str], list[str]]:
    """What people answered before they saw the answer, by position and words of the question.

    Nothing while their round is open: who reads in it has to answer without the others. Who decided
    where two differ is left out, as in the row of people of an item set.
    """
    people: dict[tuple[int, str], list[str]] = defaultdict(list)
    review = question_set.review
    if review is not None and review.closed_at is not None:
        for own in blind_answers(review, [str(row.position) for row in rows]):
            if own.place != DECIDING_PLACE:
                people[int(own.source_key), own.text].append(own.answer)
    return people


def exported_questions(user: User, question_set: QuestionSet) -> Iterator[str]:
    """The file of a set: a line of JSON for each question in its newest version."""
    rows = current_questions(question_set).iterator(chunk_size=ROWS_AT_ONCE)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        for line in linked_questions(user, question_set, some):
            yield json.dumps(line.to_dict(), ensure_ascii=False) + "\n"


def state_of_questions(question_set: QuestionSet) -> str:
    """What has become of a set, in a word or two."""
    job = question_set.job
    if question_set.is_frozen:
        return "frozen"
    if job is not None and job.status in AT_WORK:
        return "being frozen" if question_set.is_made else "being made"
    if question_set.review is not None and BEFORE_REVIEW not in question_set.figures:
        return "in review" if question_set.review.closed_at is None else "reviewed"
    if job is not None and job.status in {JobStatus.FAILED, JobStatus.CANCELLED}:
        return str(job.status)
    return "not frozen" if question_set.is_made else "deleted in part"


def progress_of_questions(question_set: QuestionSet) -> SetProgress | None:
    """The progress of a set's job; None where there is nothing to say of it."""
    job = question_set.job
    if job is None or job.status == JobStatus.DONE:
        return None
    is_made = question_set.is_made
    return SetProgress(
        work="Questions compared with the data set" if is_made else "Steps asked about",
        is_at_work=job.status in AT_WORK,
        done_count=job.done_count,
        total_count=job.total_count,
        left_s=seconds_left(job),
        goes_on="Freeze it after all" if is_made else "Go on",
    )


@dataclass(frozen=True, slots=True)
class KindsTable:
    """How many questions each class has of each kind and polarity; None where none is asked."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]

    @classmethod
    def of(cls, kinds: Sequence[Mapping[str, Any]]) -> "KindsTable":
        """The table of `QuestionSet.figures["kinds"]`."""
        counts: dict[str, dict[str, int]] = {}
        for one in kinds:
            column = " ".join(filter(None, (one["kind"], one["polarity"])))
            counts.setdefault(one["class"], {})[column] = one["count"]
        known = [" ".join(filter(None, pair)) for pair in product(Kind, ("", *Polarity))]
        columns = tuple(name for name in known if any(name in own for own in counts.values()))
        rows = tuple(
            (name, tuple(own.get(column) for column in columns)) for name, own in counts.items()
        )
        return cls(columns, rows)
