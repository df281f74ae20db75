"""The freeze of an item set, in a job: baselines are computed, then all is written.

Everything is computed outside any transaction and written in batches. Nobody sees an answer of a
baseline before the set is frozen, which is the last that is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils import timezone

from annotation.models import User
from annotation.selectors.records.status import installed_version
from annotation.services.records.jobs import Claim, Progress, finish_job
from benchmarks.engine import task as engine
from benchmarks.engine.division import TRAINING
from benchmarks.engine.task import AnswerStatus
from benchmarks.models import Answer, Assessment, Figure, ItemSet, ParticipantKind
from benchmarks.selectors.assessments import items_with_truth
from benchmarks.selectors.item_sets import task_of
from benchmarks.services.batches import delete_rows, in_batches, insert_rows, short_transaction
from benchmarks.services.figures import (
    ANSWER_SQL,
    answer_rows,
    figures_of_answers,
    unsaved_answers,
)
from benchmarks.services.item_sets import record_set


@dataclass(frozen=True, slots=True)
class ScoredBaseline:
    """A trivial baseline, not stored yet: its values by the row ids of items, and its figures."""

    assessment: Assessment
    values: Mapping[int, engine.Value]
    figures: Sequence[Figure]


def freeze(claim: Claim, item_set: ItemSet, report: Progress) -> None:
    """Freeze a set that is made, and close the job.

    What is computed of the items before they are final comes between the first two steps.
    """
    owner_id = claim.payload.get("frozen_by")
    owner = User.objects.filter(pk=owner_id).first() if isinstance(owner_id, int) else None
    baselines = score_baselines(item_set, owner, report)
    write_baselines(claim, item_set, baselines, report)
    with short_transaction(claim):
        finish_job(claim=claim, result={"baselines": len(baselines)})
        item_set.frozen_at = timezone.now()
        item_set.save(update_fields=["frozen_at"])
        detail = {"hash": item_set.content_hash, "attempt": claim.attempt}
        record_set(item_set, owner, "freeze", detail)


def score_baselines(
    item_set: ItemSet, owner: User | None, report: Progress
) -> list[ScoredBaseline]:
    """The answers and figures of the task's trivial baselines; nothing is written."""
    # Baselines get the examples too, to learn from; their answers to these are dropped.
    items = items_with_truth(item_set.items.all())
    test_items = [row for row in items if row[2].part not in TRAINING]
    rng = np.random.default_rng([item_set.seed, 1])
    scored = []
    baselines = task_of(item_set).baselines([item for _, _, item in items], rng)
    total_count = 2 * len(baselines) * len(test_items)
    for baseline in baselines:
        pairs = zip(items, baseline.values, strict=True)
        values = {
            pk: value
            for (pk, _, item), value in pairs
            if value is not None and item.part not in TRAINING
        }
        assessment = Assessment(
            item_set=item_set,
            kind=ParticipantKind.BASELINE,
            name=baseline.name,
            owner=owner,
            code_version=installed_version(),
            counts={
                **{status.value: 0 for status in AnswerStatus},
                AnswerStatus.READ.value: len(values),
                AnswerStatus.MISSING.value: item_set.item_count - len(values),
            },
        )
        figures = figures_of_answers(assessment, unsaved_answers(test_items, values))
        scored.append(ScoredBaseline(assessment, values, figures))
        report(len(scored) * len(test_items), total_count)
    return scored


def write_baselines(
    claim: Claim, item_set: ItemSet, baselines: Sequence[ScoredBaseline], report: Progress
) -> None:
    """Store baselines with their answers, in place of what an earlier worker left of them."""
    left = item_set.assessments.filter(kind=ParticipantKind.BASELINE)
    delete_rows(claim, Answer.objects.filter(assessment__in=left))
    delete_rows(claim, left)
    total_count = 2 * len(baselines) * item_set.item_count
    done_count = total_count // 2
    for baseline in baselines:
        assessment = baseline.assessment
        with short_transaction(claim):
            assessment.save()
        for batch in in_batches(answer_rows(assessment, baseline.values)):
            insert_rows(claim, ANSWER_SQL, batch)
            done_count += len(batch)
            report(done_count, total_count)
        with short_transaction(claim):
            Figure.objects.bulk_create(baseline.figures)
            assessment.frozen_at = timezone.now()
            assessment.save(update_fields=["frozen_at"])
