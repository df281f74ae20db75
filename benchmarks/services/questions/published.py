"""The question pairs of EgoErrorVQA's files as a question set of the data set that they became."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from annotation.engine.corpus.formats.egoerrorvqa import PairedRow
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.selectors.records.status import installed_version
from benchmarks.engine.error_classes import CORRECT, classes_of_labels
from benchmarks.engine.questions.checks import polarity_of
from benchmarks.engine.questions.kinds import MOST_PAIRS, Kind
from benchmarks.engine.questions.samples import (
    ALL,
    ALONE,
    WHOLE,
    QuestionSettings,
    Sample,
    samples_of,
)
from benchmarks.engine.questions.templates import Pair
from benchmarks.models import QuestionSet
from benchmarks.models.questions import Author
from benchmarks.selectors.material import dataset_source
from benchmarks.selectors.vqa_rows import links_of
from benchmarks.services.batches import in_batches, insert_rows
from benchmarks.services.questions.sets import lock_owner_and_number, record_questions
from benchmarks.services.questions.work import INSERT_SQL, NO_ROW, QuestionRows, kinds_of

SETTINGS = QuestionSettings(correct=ALL, untimed=WHOLE, has_unnamed=True)
WRITTEN_BY = "EgoErrorVQA"


@transaction.atomic
def store_published(
    *, dataset: Dataset, rows: Sequence[PairedRow], actor: User | None
) -> QuestionSet:
    """Store the pairs of the rows, as they are, as the next version of the data set's name."""
    source = dataset_source(actor, dataset.public_id)
    chosen, _ = samples_of(source.material, SETTINGS, 0)
    question_set = QuestionSet(
        name=dataset.name,
        dataset=dataset,
        source=dataset.name,
        settings=SETTINGS.to_dict(),
        owner=actor,
        writer_name=WRITTEN_BY,
        code_version=installed_version(),
        made_at=timezone.now(),
        question_count=sum(len(row.pairs) for row in rows),
    )
    lock_owner_and_number(question_set)
    question_set.full_clean()
    question_set.save()
    stored = QuestionRows(question_set, source.video_ids)
    found = links_of(rows, Dataset.objects.all() if actor is None else visible_datasets(actor))
    links = [NO_ROW if link is None else link.to_dict() for link in found]
    written = (
        values
        for place, (row, sample) in enumerate(_joined(rows, [one for one, _ in chosen]))
        for values in stored.of(
            (place, sample, ()), list(_pairs(row, sample)), Author.PUBLISHED, links[place]
        )
    )
    for batch in in_batches(written):
        insert_rows(None, INSERT_SQL, batch)
    question_set.figures = kinds_of(question_set)
    question_set.save(update_fields=["figures"])
    record_questions(question_set, actor, "import", {"questions": question_set.question_count})
    return question_set


def _joined(
    rows: Sequence[PairedRow], samples: Sequence[Sample]
) -> Iterator[tuple[PairedRow, Sample]]:
    """Each row with its step; one that multiple choice lacks is a step of its own."""
    of_step: dict[object, list[Sample]] = defaultdict(list)
    procedures = {}
    for sample in samples:
        of_step[sample.recording, sample.classes, sample.words, sample.start_s].append(sample)
        of_step[sample.recording, sample.classes, sample.words, None].append(sample)
        procedures[sample.groups.get("source"), sample.goal] = sample.procedure
    for place, row in enumerate(rows):
        recording = f"trace:{row.trace_uid}"
        classes = classes_of_labels(row.source, row.labels)
        # The same clip may stand with different labels. One without a time is shown from 0 on.
        fitting = [
            one
            for one in of_step[recording, classes, row.words, row.start_s]
            if row.start_s is None or one.end_s == row.end_s
        ]
        if fitting:
            yield row, fitting[0]
            continue
        yield (
            row,
            Sample(
                key=f"{recording}{ALONE}{place}",
                recording=recording,
                words=row.words,
                classes=classes,
                note="; ".join(label.note for label in row.labels if label.note),
                start_s=row.start_s,
                end_s=row.end_s,
                goal=row.task_id,
                procedure=procedures.get((row.source, row.task_id), ()),
                groups={"source": row.source, "scenario": row.task_id},
            ),
        )


def _pairs(row: PairedRow, sample: Sample) -> Iterator[Pair]:
    """The pairs as they are; nothing in the files says of which kind one is."""
    for question, answer in row.pairs[:MOST_PAIRS]:
        polarity = polarity_of(answer)
        if CORRECT in sample.classes:
            kind = {None: Kind.DETAIL, "yes": Kind.CONFIRM, "no": Kind.DECOY}[polarity]
        else:
            kind = Kind.DETECT if polarity else Kind.EXPLAIN
        yield Pair(kind, polarity, question, answer)
