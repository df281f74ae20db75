"""Train a participant, seed by seed and epoch by epoch, and store what it answers.

After every epoch the weights are on disk and the log is in the database, under the claim: who goes
on after a kill comes to the same figures, bit for bit.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from annotation.services.jobs import Claim, extend_lease
from benchmarks.engine.task import AnswerStatus, Task
from benchmarks.engine.training.course import Course, Epoch, UntrainableError, decided
from benchmarks.engine.training.examples import Gathered, gathered
from benchmarks.engine.training.recipes import KINDS, V1, Recipe
from benchmarks.models import Answer, Assessment, FeatureSet, Item, TrainedSeed
from benchmarks.selectors.features import arrays_of
from benchmarks.selectors.item_sets import engine_item

FOLDER = "training"
TRAIN, VAL, ASKED = "train", "val", "asked"


def train(
    claim: Claim, assessment: Assessment, task: Task, check: Callable[[], None]
) -> dict[str, Any]:
    """Train every seed that is not trained yet, store the answers, return what is told of it.

    `check` raises when the claim is lost. Raises UntrainableError.
    """
    recipe = Recipe.from_dict(assessment.settings["recipe"])
    missing = KINDS[recipe.model].what_is_missing()
    if missing:
        raise UntrainableError(missing)
    items = list(assessment.item_set.items.order_by("position"))
    by_part = _gathered(assessment, task, items)
    _refuse_too_little(by_part)
    seeds = assessment.settings["seeds"]
    for place, seed in enumerate(seeds):
        row, _ = TrainedSeed.objects.get_or_create(assessment=assessment, seed=seed)
        if row.threshold is None:
            done, total = place * recipe.epochs, len(seeds) * recipe.epochs
            _train_seed(claim, row, recipe, by_part, (done, total), check)
    with transaction.atomic():
        extend_lease(claim=claim)
        _store_answers(assessment, task, by_part[ASKED])
    forget_weights(assessment)
    return _told(recipe, items, by_part)


def _gathered(assessment: Assessment, task: Task, items: Sequence[Item]) -> dict[str, Gathered]:
    """The examples of each part, with the features that the assessment names."""
    named = assessment.settings["features"]
    rows = FeatureSet.objects.filter(public_id__in=[one["id"] for one in named])
    known = {row.public_id: row for row in rows}
    sets = []
    for one in named:
        row = known.get(one["id"])
        if row is None or row.content_hash != one["content_hash"]:
            raise UntrainableError(f"the features {one['name']!r} were deleted")
        sets.append(row)
    arrays = [arrays_of(row) for row in sets]
    item_settings = assessment.item_set.settings
    samples: dict[str, dict[int, Any]] = {TRAIN: {}, VAL: {}, ASKED: {}}
    for item in items:
        part = item.part if item.part in samples else ASKED
        samples[part][item.pk] = task.sample(engine_item(item), item_settings)
    return {
        part: gathered(found, task.learns, arrays, sets[0].seconds_per_row)
        for part, found in samples.items()
    }


def _refuse_too_little(by_part: dict[str, Gathered]) -> None:
    for part in (TRAIN, VAL):
        labels = {example.label for example in by_part[part].examples.values()}
        if len(labels) < 2:
            count, left = len(by_part[part].examples), len(by_part[part].left_out)
            words = f"{count} items of the part {part} have features, {left} have none"
            raise UntrainableError(f"{words}; expected some of each answer")


def _train_seed(
    claim: Claim,
    row: TrainedSeed,
    recipe: Recipe,
    by_part: dict[str, Gathered],
    progress: tuple[int, int],
    check: Callable[[], None],
) -> None:
    train, val = (list(by_part[part].examples.values()) for part in (TRAIN, VAL))
    course = Course(recipe, train, val, row.seed, check)
    folder = folder_of(row.assessment)
    folder.mkdir(parents=True, exist_ok=True)
    before = Path(settings.MEDIA_ROOT) / row.weights_file
    # On another machine, without the file, the seed is trained from its beginning.
    if row.epochs and before.is_file():
        with before.open("rb") as file:
            course.read(file, [Epoch(*values) for values in row.epochs])
    while len(course.epochs) < recipe.epochs:
        course.step()
        name = f"{row.seed}-{len(course.epochs)}.npz"
        unfinished = folder / f".{claim.attempt}-{name}"
        with unfinished.open("wb") as file:
            course.write(file)
        unfinished.replace(folder / name)
        row.epochs = [list(astuple(epoch)) for epoch in course.epochs]
        row.weights_file = str((folder / name).relative_to(settings.MEDIA_ROOT))
        done, total = progress
        with transaction.atomic():
            extend_lease(claim=claim, done_count=done + len(course.epochs), total_count=total)
            row.save()
        _keep_only(folder, name)
    course.finish()
    asked = by_part[ASKED].examples
    truth = np.array([example.label for example in val], dtype=np.float64)
    found = decided(recipe, truth, course.scores(val), course.scores(list(asked.values())))
    row.scores = dict(zip(map(str, asked), map(float, found.scores), strict=True))
    row.threshold, row.how = found.threshold, found.how
    row.answering_epoch = course.answering_epoch
    with transaction.atomic():
        extend_lease(claim=claim)
        row.save()


def folder_of(assessment: Assessment) -> Path:
    return Path(settings.MEDIA_ROOT) / FOLDER / assessment.public_id


def forget_weights(assessment: Assessment) -> None:
    """Remove the weights: scores are stored, and nothing goes on from them any more."""
    shutil.rmtree(folder_of(assessment), ignore_errors=True)


def _keep_only(folder: Path, name: str) -> None:
    for path in folder.iterdir():
        if path.name != name:
            path.unlink(missing_ok=True)


def _store_answers(assessment: Assessment, task: Task, asked: Gathered) -> None:
    """An answer of every seed to every asked item; those without a row say why there is none."""
    Answer.objects.filter(assessment=assessment).delete()
    no, yes = task.learns
    answers = []
    seeds = assessment.seeds.order_by("pk").values_list("threshold", "scores")
    for repeat, (threshold, scores) in enumerate(seeds):
        for pk, score in scores.items():
            value = {"answer": yes if score > threshold else no, "score": score}
            answers.append(
                Answer(
                    assessment=assessment,
                    item_id=int(pk),
                    repeat=repeat,
                    status=AnswerStatus.READ,
                    value=value,
                )
            )
        answers += [
            Answer(
                assessment=assessment,
                item_id=pk,
                repeat=repeat,
                status=AnswerStatus.MISSING,
                reason=reason,
            )
            for pk, reason in asked.left_out.items()
        ]
    Answer.objects.bulk_create(answers, batch_size=2000)


def _told(recipe: Recipe, items: Sequence[Item], by_part: dict[str, Gathered]) -> dict[str, Any]:
    """How many items and rows there were, who was left out, and what it was trained with."""
    recording_of = {item.pk: item.source_recording for item in items}
    left_out = Counter(
        (part, recording_of[pk], reason)
        for part, found in by_part.items()
        for pk, reason in found.left_out.items()
    )
    libraries = ("numpy", "scikit-learn" if recipe.model == V1 else "torch")
    return {
        "parts": {
            part: {
                "items": len(found.examples),
                "rows": sum(len(example.rows) for example in found.examples.values()),
                "shortened": found.shortened,
                "left_out": len(found.left_out),
            }
            for part, found in by_part.items()
        },
        "left_out": [[*key, count] for key, count in left_out.items()],
        "versions": {name: version(name) for name in libraries},
    }
