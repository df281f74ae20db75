"""The freeze of an item set, in a job: shortcut audit and baselines are computed, then written.

Beside the baselines stands what people of a review answered before they saw the right answers.

Everything is computed outside any transaction and written in batches. Nobody sees an answer of a
baseline before the set is frozen, which is the last that is written.
"""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from tempfile import TemporaryFile
from typing import IO, overload

import numpy as np
from django.utils import timezone

from annotation.models import User
from annotation.selectors.records.status import installed_version
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine import task as engine
from benchmarks.engine.division import TRAINING
from benchmarks.engine.task import AnswerShape, AnswerStatus
from benchmarks.models import Answer, Assessment, Figure, ItemSet, ParticipantKind
from benchmarks.selectors.item_sets import ONLY_AUDIT, task_of
from benchmarks.selectors.stored_items import MOST_HELD, Chosen, StoredItems
from benchmarks.services.batches import delete_rows, in_batches, insert_rows, short_transaction
from benchmarks.services.figures import (
    ANSWER_SQL,
    answer_rows,
    answered,
    figures_of_each,
)
from benchmarks.services.item_sets import record_set
from benchmarks.services.people.reviewed import store_review_answers
from benchmarks.services.reference_reviews import take_references
from benchmarks.services.shortcut_audits import audit_items, store_audit

NO_VALUE = json.dumps(None)
# So many different values of a baseline are held in memory.
DIFFERENT_VALUES = 1000
# Answers of several baselines are scored together up to so many: each takes some 50 bytes.
SCORED_AT_ONCE = 1_000_000


class WrittenValues:
    """The values of a baseline as JSON, one for each test item, `null` for one without an answer.

    Of at most `DIFFERENT_VALUES` different ones memory holds each once and which stands where; more
    are lines of a file without a name, which is there until `files` is closed.
    """

    def __init__(self, values: Iterable[engine.Value | None], files: ExitStack) -> None:
        self._numbers, self._places = dict[str, int](), array("H")
        self._file: IO[str] | None = None
        left, last, number = iter(values), object(), 0
        for value in left:
            # The same object, which most baselines give again and again, is written once.
            if value is not last:
                last, text = value, json.dumps(value)
                number = self._numbers.setdefault(text, len(self._numbers))
                if number == DIFFERENT_VALUES:
                    self._write([text], left, files)
                    return
            self._places.append(number)

    def _write(
        self, texts: list[str], left: Iterable[engine.Value | None], files: ExitStack
    ) -> None:
        """Write to a file what is there, these texts and what is left."""
        written = chain(self, texts, map(json.dumps, left))
        file = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (`files` closes it)
        files.enter_context(file).writelines(f"{text}\n" for text in written)
        file.flush()
        self._file = file
        self._numbers.clear()
        del self._places[:]

    def __iter__(self) -> Iterator[str]:
        if self._file is None:
            return map(list(self._numbers).__getitem__, self._places)
        self._file.seek(0)
        return (line.removesuffix("\n") for line in self._file)

    def read(self) -> Sequence[engine.Answered]:
        """The values as answers; of those in a file each is read when it is asked for."""
        if self._file is not None:
            return ReadAnswers(self)
        different = [answered(json.loads(text)) for text in self._numbers]
        return [different[number] for number in self._places]


class ReadAnswers(Sequence[engine.Answered]):
    """A baseline's answers, of which memory has the text: each is read when it is asked for.

    Held as objects, different answers to a large set would take more memory than its items.
    """

    def __init__(self, values: Iterable[str]) -> None:
        written = [value.encode() for value in values]
        self._ends = array("q", accumulate(map(len, written)))
        self._text = b"".join(written)
        self._read = lru_cache(DIFFERENT_VALUES)(lambda value: answered(json.loads(value)))

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> engine.Answered: ...
    @overload
    def __getitem__(self, place: slice) -> list[engine.Answered]: ...
    def __getitem__(self, place: int | slice) -> engine.Answered | list[engine.Answered]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        # Also says that there is none at this place.
        end = self._ends[place]
        start = self._ends[place - 1] if place % len(self) else 0
        return self._read(self._text[start:end])


@dataclass(frozen=True, slots=True)
class ScoredBaseline:
    """A trivial baseline that is not stored yet; `row_ids` are those of the items it answered."""

    assessment: Assessment
    row_ids: Sequence[int]
    values: WrittenValues
    figures: Sequence[Figure]

    @property
    def answers(self) -> Iterator[tuple[int, str]]:
        """The value of each answered item as JSON, by the item's row id."""
        pairs = zip(self.row_ids, self.values, strict=True)
        return ((pk, value) for pk, value in pairs if value != NO_VALUE)


def freeze(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Freeze a set that is made, or only audit it, and close the job."""
    owner_id = claim.payload.get("actor")
    owner = User.objects.filter(pk=owner_id).first() if isinstance(owner_id, int) else None
    if claim.payload.get(ONLY_AUDIT):
        audited = audit_items(item_set, report)
        store_audit(claim, item_set, audited)
        finish_job(claim=claim, result={"guessers": audited.audit.guesser_count})
        return
    take_references(claim, item_set)
    # The audit, the scoring and the storing are a third of what is reported each.
    audited = audit_items(item_set, lambda done, total: report(done, 3 * total))
    with ExitStack() as files:
        baselines = score_baselines(item_set, owner, files, report)
        store_audit(claim, item_set, audited)
        write_baselines(claim, item_set, baselines, report)
    store_review_answers(claim, item_set, owner)
    with short_transaction(claim):
        finish_job(claim=claim, result={"baselines": len(baselines)})
        item_set.frozen_at = timezone.now()
        item_set.save(update_fields=["frozen_at"])
        detail = {
            "hash": item_set.content_hash,
            "shortcuts_hash": item_set.shortcuts_hash,
            "attempt": claim.attempt,
        }
        record_set(item_set, owner, "freeze", detail)


def score_baselines(
    item_set: ItemSet, owner: User | None, files: ExitStack, report: Progress
) -> list[ScoredBaseline]:
    """The answers and figures of the task's trivial baselines; nothing is written."""
    # Baselines get the examples too, to learn from; their answers to these are dropped.
    items = StoredItems(item_set.items.all())
    tests = array("q", (place for place, one in enumerate(items) if one.part not in TRAINING))
    test_items = items if len(tests) == len(items) else Chosen(items, tests)
    row_ids = array("q", (items.row_ids[place] for place in tests))
    written = _baseline_answers(item_set, items, tests, files)
    # Together the items are put together once for all; but frames of a recording are long.
    at_once = 1
    if task_of(item_set).shape is not AnswerShape.FRAMES:
        at_once = min(len(written), SCORED_AT_ONCE // max(len(tests), 1) + 1)
    part_count = len(written) * len(tests)
    scored: list[ScoredBaseline] = []
    for first in range(0, len(written), max(at_once, 1)):
        part = written[first : first + at_once]
        read = [_read(item_set, owner, name, values) for name, values in part]

        def report_groups(done: int, whole: int, before: int = len(scored)) -> None:
            baseline_count = before + at_once * done / whole
            report(part_count + round(baseline_count * len(tests)), 3 * part_count)

        assessments, answers = zip(*read, strict=True)
        figures = figures_of_each(assessments, answers, test_items, report_groups)
        scored += [
            ScoredBaseline(assessment, row_ids, values, own)
            for (assessment, _), (_, values), own in zip(read, part, figures, strict=True)
        ]
    return scored


def _read(
    item_set: ItemSet, owner: User | None, name: str, values: WrittenValues
) -> tuple[Assessment, Sequence[engine.Answered]]:
    """A baseline that is not stored yet, and its answers to the test items."""
    answers = values.read()
    if len(answers) <= MOST_HELD:
        answers = list(answers)
    counts = Counter(answer.status for answer in answers)
    assessment = Assessment(
        item_set=item_set,
        kind=ParticipantKind.BASELINE,
        name=name,
        owner=owner,
        code_version=installed_version(),
        counts={status.value: counts[status] for status in AnswerStatus},
    )
    return assessment, answers


def _baseline_answers(
    item_set: ItemSet, items: Sequence[engine.Item], tests: Sequence[int], files: ExitStack
) -> list[tuple[str, WrittenValues]]:
    """The name of each baseline and its answers to the items at the places `tests`."""
    rng = np.random.default_rng([item_set.seed, 1])
    return [
        (baseline.name, WrittenValues((baseline.values[place] for place in tests), files))
        for baseline in task_of(item_set).baselines(items, rng)
    ]


def write_baselines(
    claim: Claim, item_set: ItemSet, baselines: Sequence[ScoredBaseline], report: Progress
) -> None:
    """Store baselines with their answers, in place of what an earlier worker left of them."""
    left = item_set.assessments.filter(kind=ParticipantKind.BASELINE)
    delete_rows(claim, Answer.objects.filter(assessment__in=left))
    delete_rows(claim, left)
    total_count = 3 * len(baselines) * item_set.item_count
    done_count = total_count // 3 * 2
    for baseline in baselines:
        assessment = baseline.assessment
        with short_transaction(claim):
            assessment.save()
        for batch in in_batches(answer_rows(assessment, baseline.answers)):
            insert_rows(claim, ANSWER_SQL, batch)
            done_count += len(batch)
            report(done_count, total_count)
        with short_transaction(claim):
            Figure.objects.bulk_create(baseline.figures)
            assessment.frozen_at = timezone.now()
            assessment.save(update_fields=["frozen_at"])
