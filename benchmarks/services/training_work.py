"""Train the models of a participant, one per seed and fold, and store their answers.

After every look at val, for most models every epoch, the weights are on disk and the log is in the
database, under the claim: a worker that resumes after a kill gets the same figures, bit for bit.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.backends import made_files
from annotation.services.records.jobs import Claim, extend_lease
from benchmarks.engine.division import PARTS, TEST, TRAINING
from benchmarks.engine.folds import FOLD, parts_by_test_fold
from benchmarks.engine.task import AnswerStatus, Prediction, Task
from benchmarks.engine.training.course import Course, Epoch, UntrainableError, decide
from benchmarks.engine.training.examples import (
    Example,
    GatheredExamples,
    Key,
    as_single_rows,
    gather_examples,
)
from benchmarks.engine.training.recipes import KINDS, Recipe
from benchmarks.models import Answer, Assessment, FeatureSet, Item, TrainedSeed
from benchmarks.selectors.features import arrays_of
from benchmarks.selectors.item_sets import engine_item

FOLDER = "training"


def train(
    claim: Claim, assessment: Assessment, task: Task, check: Callable[[], None]
) -> dict[str, Any]:
    """Train every model that is not trained yet, store the answers, and return a summary.

    There is a model for each seed, or for each seed and fold. `check` raises when the claim is
    lost. Raises UntrainableError.
    """
    recipe = Recipe.from_dict(assessment.settings["recipe"])
    missing = KINDS[recipe.model].what_is_missing()
    if missing:
        raise UntrainableError(missing)
    rows = assessment.item_set.items.order_by("position")
    items = list(rows.prefetch_related("shared"))
    gathered = _gather(assessment, task, items)
    models = [
        (seed, fold, part_of)
        for seed in assessment.settings["seeds"]
        for fold, part_of in parts_by_fold(items).items()
    ]
    for place, (seed, fold, part_of) in enumerate(models):
        by_part: dict[str, dict[Key, Example]] = {part: {} for part in PARTS}
        for key, example in gathered.examples.items():
            by_part[part_of[key[0]]][key] = example
        for part in TRAINING:
            examples = by_part[part].values()
            if len({example.label for example in examples}) < 2:
                left = sum(part_of[item] == part for item, _ in gathered.left_out)
                words = f"{len(examples)} items of the part {part} have features, {left} have none"
                raise UntrainableError(f"{words}; expected some of each answer")
        row, _ = TrainedSeed.objects.get_or_create(assessment=assessment, seed=seed, fold=fold)
        if not row.said:
            done, total = place * recipe.epochs, len(models) * recipe.epochs
            _train_model(claim, row, recipe, by_part, task.learns, (done, total), check)
    with transaction.atomic():
        extend_lease(claim=claim)
        _store_answers(assessment, task, items, gathered)
    forget_weights(assessment)
    return _summary(recipe, items, gathered)


def parts_by_fold(items: Sequence[Item]) -> dict[str, dict[int, str]]:
    """The part of each item by its row id, for every fold that a model answers ("" for none)."""
    parts, folds = [item.part for item in items], [item.groups.get(FOLD, "") for item in items]
    return {
        fold: {item.pk: part for item, part in zip(items, parts_of_items, strict=True)}
        for fold, parts_of_items in parts_by_test_fold(parts, folds).items()
    }


def _gather(assessment: Assessment, task: Task, items: Sequence[Item]) -> GatheredExamples:
    wanted = assessment.settings["features"]
    rows = FeatureSet.objects.filter(public_id__in=[named["id"] for named in wanted])
    stored = {row.public_id: row for row in rows}
    sets = []
    for named in wanted:
        row = stored.get(named["id"])
        if row is None or row.content_hash != named["content_hash"]:
            raise UntrainableError(f"the features {named['name']!r} were deleted")
        sets.append(row)
    samples = {
        (item.pk, place): sample
        for item in items
        for place, sample in enumerate(
            task.samples(engine_item(item), assessment.item_set.settings)
        )
    }
    arrays = [arrays_of(row) for row in sets]
    return gather_examples(samples, task.learns, arrays, sets[0].seconds_per_row)


def _train_model(
    claim: Claim,
    row: TrainedSeed,
    recipe: Recipe,
    by_part: Mapping[str, Mapping[Key, Example]],
    classes: Sequence[str],
    progress: tuple[int, int],
    check: Callable[[], None],
) -> None:
    train, val, test = (list(by_part[part].values()) for part in PARTS)
    if KINDS[recipe.model].is_of_segments:
        train, val, test = (as_single_rows(train, part) for part in (train, val, test))
    course = Course(recipe, train, val, row.seed, class_count=len(classes), check=check)
    folder = folder_of(row.assessment)
    folder.mkdir(parents=True, exist_ok=True)
    # Where the file is gone the model is trained from the beginning.
    if row.epochs:
        with (
            suppress(FileNotFoundError),
            made_files.local(row.weights_file) as path,
            path.open("rb") as file,
        ):
            course.read(file, [Epoch(*values) for values in row.epochs])
    while course.epoch_count < recipe.epochs:
        course.step()
        name = f"{row.pk}-{course.epoch_count}.npz"
        unfinished = folder / f".{claim.attempt}-{name}"
        with unfinished.open("wb") as file:
            course.write(file)
        unfinished.replace(folder / name)
        row.epochs = [list(astuple(epoch)) for epoch in course.epochs]
        before, row.weights_file = row.weights_file, made_files.name_of(folder / name)
        made_files.keep(folder / name)
        done, total = progress
        with transaction.atomic():
            extend_lease(claim=claim, done_count=done + course.epoch_count, total_count=total)
            row.save()
        for path in folder.iterdir():
            if path.name != name:
                path.unlink(missing_ok=True)
        if before and before != row.weights_file:
            made_files.forget(before)
    course.finish()
    labels = [example.label for example in val]
    decision = decide(recipe, labels, course.scores(val), course.scores(test))
    row.said = [
        [item, place, classes[label], float(score)]
        for (item, place), label, score in zip(
            by_part[TEST], decision.labels, decision.scores, strict=True
        )
    ]
    row.threshold, row.how = decision.threshold, decision.how
    row.answering_epoch = course.answering_epoch
    with transaction.atomic():
        extend_lease(claim=claim)
        row.save()


def folder_of(assessment: Assessment) -> Path:
    return made_files.path_here(f"{FOLDER}/{assessment.public_id}")


def forget_weights(assessment: Assessment) -> None:
    """Remove the weights: all scores are stored, so nothing needs them any more."""
    made_files.forget(f"{FOLDER}/{assessment.public_id}")


def _store_answers(
    assessment: Assessment, task: Task, items: Sequence[Item], gathered: GatheredExamples
) -> None:
    """Store each seed's answers to all test items; an item without features gets the reason."""
    Answer.objects.filter(assessment=assessment).delete()
    answers = []
    for repeat, seed in enumerate(assessment.settings["seeds"]):
        predictions: dict[int, dict[int, Prediction]] = defaultdict(dict)
        for model in assessment.seeds.filter(seed=seed):
            for pk, place, label, score in model.said:
                predictions[pk][place] = label, score
        for item in items:
            if item.part in TRAINING:
                continue
            answer = Answer(assessment=assessment, item=item, repeat=repeat)
            if item.pk in predictions:
                answer.status = AnswerStatus.READ
                answer.value = task.trained_value(engine_item(item), predictions[item.pk])
            else:
                answer.status = AnswerStatus.MISSING
                answer.reason = gathered.left_out[item.pk, 0]
            answers.append(answer)
    Answer.objects.bulk_create(answers, batch_size=2000)


def _summary(recipe: Recipe, items: Sequence[Item], gathered: GatheredExamples) -> dict[str, Any]:
    """The numbers of items and rows by part, what was left out, and versions of libraries."""
    item_of = {item.pk: item for item in items}
    parts = {part: Counter[str]() for part in PARTS}

    def part_of(key: Key) -> str:
        part = item_of[key[0]].part
        return part if part in TRAINING else TEST

    for key, example in gathered.examples.items():
        lost = key in gathered.shortened
        parts[part_of(key)] += Counter(items=1, rows=len(example.rows), shortened=lost)
    left_out = Counter(
        (part_of(key), item_of[key[0]].source_recording, reason)
        for key, reason in gathered.left_out.items()
    )
    for (part, _, _), count in left_out.items():
        parts[part]["left_out"] += count
    libraries = ("numpy", "scikit-learn", KINDS[recipe.model].library)
    counted = ("items", "rows", "shortened", "left_out")
    return {
        "parts": {
            part: {name: counts[name] for name in counted}
            for part, counts in parts.items()
            if counts
        },
        "left_out": [[*key, count] for key, count in left_out.items()],
        "versions": {name: version(name) for name in libraries if name},
    }
