"""Read trained participants: what can be trained, progress, and the tables of a training."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.models import User
from benchmarks.engine.division import TRAINING
from benchmarks.engine.folds import FOLD, parts_by_test_fold
from benchmarks.engine.scoring import values_of
from benchmarks.engine.task import Tally, Task
from benchmarks.models import Assessment, FeatureSet, ItemSet, TrainedSeed
from benchmarks.selectors.features import feature_sets_for_user

# The time that is left is estimated from this many of the last looks at val.
RECENT = 5


def trainable_feature_sets(user: User | None, item_set: ItemSet) -> QuerySet[FeatureSet]:
    """The finished feature sets of the data set that the user may use; for None, all of them."""
    if item_set.dataset is None:
        return FeatureSet.objects.none()
    if user is None:
        return FeatureSet.objects.filter(dataset=item_set.dataset, finished_at__isnull=False)
    return feature_sets_for_user(user, item_set.dataset)


def parts_with_folds(item_set: ItemSet) -> list[tuple[str, str]]:
    """The parts and the folds in them that a set has items of (one query)."""
    pairs = item_set.items.order_by().values_list("part", KT(f"groups__{FOLD}")).distinct()
    return [(part, fold or "") for part, fold in pairs]


def trainable_folds(
    task: Task, parts_and_folds: Sequence[tuple[str, str]]
) -> tuple[list[str], str]:
    """The folds that models are trained for, [""] without folds; or why none can be."""
    if not task.learns:
        return [], f"{task.title} has nothing that a model could be trained on."
    parts, folds = zip(*parts_and_folds, strict=True)
    by_fold = parts_by_test_fold(parts, folds)
    there = set().union(*by_fold.values()) if by_fold else set(parts)
    if missing := [part for part in TRAINING if part not in there]:
        words = f"The set has no items of the part {' and '.join(missing)}"
        return [], f"{words}: make one with parts, or with three folds or more."
    return list(by_fold), ""


def divides_recordings(item_set: ItemSet) -> bool:
    """Whether items of one recording lie in parts both to train on and to test (one query)."""
    learnt = item_set.examples.order_by().values("source_recording")
    return item_set.test_items.filter(source_recording__in=learnt).exists()


def epochs_of(assessment: Assessment) -> int:
    """The number of epochs of all its seeds and folds together."""
    settings = assessment.settings
    # Trainings from before there were folds have no such setting.
    models = len(settings["seeds"]) * len(settings.get("folds", [""]))
    return int(settings["recipe"]["epochs"]) * models


def seconds_of_epochs(assessment: Assessment, count: int) -> float | None:
    """The estimated time of `count` epochs from the last ones; None before any (one query)."""
    row = assessment.seeds.exclude(epochs=[]).order_by("-pk").first()
    if row is None:
        return None
    number, *_, seconds = zip(*row.epochs, strict=True)
    first = number[-RECENT - 1] if len(number) > RECENT else 0
    return float(sum(seconds[-RECENT:]) / (number[-1] - first) * count)


def training_tables(
    assessment: Assessment, task: Task, tallies: Sequence[Tally]
) -> tuple[Table, ...]:
    """The tables of seeds with their figures, of epochs, and of left-out items (one query)."""
    models = list(assessment.seeds.order_by("pk"))
    by_seed: dict[int, list[TrainedSeed]] = defaultdict(list)
    for model in models:
        by_seed[model.seed].append(model)
    result = {} if assessment.job is None else assessment.job.result
    versions = ", ".join(f"{name} {number}" for name, number in result.get("versions", {}).items())
    shown_measures = [measure for measure in task.measures if measure.key in tallies[0].figures]
    rows = []
    for (seed, of_seed), tally in zip(by_seed.items(), tallies, strict=True):
        values = {key: None if isnan(value) else value for key, value in values_of(tally).items()}
        cells = {measure.key: Cell(values[measure.key]) for measure in shown_measures}
        # With folds a seed has several models, one for each fold.
        cells["epoch"] = _each([model.answering_epoch for model in of_seed])
        cells["threshold"] = _each([model.threshold for model in of_seed])
        rows.append(Row(Cell(f"{seed}"), cells, is_compared=False))
    columns = [
        Column(measure.key, measure.title, measure.decimals, measure.best)
        for measure in shown_measures
    ]
    columns += [Column("epoch", "Answered after epoch"), Column("threshold", "Threshold", 4)]
    word = "Answer" if models[0].threshold is None else "Threshold"
    how = f"{word}: {models[0].how}."
    table = Table(
        "seeds",
        "Seeds",
        "Seed",
        tuple(columns),
        (RowGroup("", tuple(rows)),),
        notes=(f"{how} Trained with {versions}." if versions else how,),
    )
    return (table, _log(models), *_left_out(result))


def _each(numbers: Sequence[float | None]) -> Cell:
    known = [value for value in numbers if value is not None]
    if len(known) < 2:
        return Cell(known[0] if known else None)
    return Cell(", ".join(f"{value:.6g}" for value in known))


LOG = (
    Column("loss", "Loss", 4),
    Column("val_auc", "AUC on val", 4),
    Column("rate", "Learning rate"),
    Column("seconds", "Seconds", 1),
)


def _log(models: Sequence[TrainedSeed]) -> Table:
    groups = []
    for model in models:
        rows = [
            Row(
                Cell(number),
                {
                    "loss": Cell(loss),
                    "val_auc": Cell(val_auc),
                    "rate": Cell(f"{rate:g}"),
                    "seconds": Cell(seconds),
                },
                is_compared=False,
            )
            for number, loss, val_auc, rate, seconds in model.epochs
        ]
        title = f"Seed {model.seed}" + (f", fold {model.fold}" if model.fold else "")
        groups.append(RowGroup(title, tuple(rows)))
    return Table("epochs", "Epochs", "Epoch", LOG, tuple(groups))


def _left_out(result: Mapping[str, Any]) -> Iterator[Table]:
    """The items without features, and how many lost rows; no table where all are complete."""
    parts = result.get("parts", {})
    if not any(part["left_out"] or part["shortened"] for part in parts.values()):
        return
    rows = tuple(
        Row(
            Cell(recording),
            {"part": Cell(part), "items": Cell(count), "reason": Cell(reason)},
            is_compared=False,
        )
        for part, recording, reason, count in result["left_out"]
    )
    columns = (Column("part", "Part"), Column("items", "Items"), Column("reason", "Why"))
    notes = tuple(
        f"{name}: {part['items']} items with {part['rows']} rows; {part['shortened']} of them go on"
        f" behind the end of the features; {part['left_out']} are left out."
        for name, part in parts.items()
    )
    yield Table("left-out", "Left out", "Recording", columns, (RowGroup("", rows),), notes)
