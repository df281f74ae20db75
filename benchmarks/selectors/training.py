"""Read what concerns trained participants: what can be trained, how far it is, how it went."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from django.db.models import QuerySet

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
from annotation.models import User
from benchmarks.engine.scoring import values_of
from benchmarks.engine.task import Tally, Task
from benchmarks.models import Assessment, FeatureSet, ItemSet, TrainedSeed
from benchmarks.selectors.features import feature_sets_for_user

# By how many of the last epochs the time that is left is told.
RECENT = 5
SECONDS = -1


def trainable_feature_sets(user: User | None, item_set: ItemSet) -> QuerySet[FeatureSet]:
    """The finished feature sets of the data set that the user may use; None: the site, all."""
    if item_set.dataset is None:
        return FeatureSet.objects.none()
    if user is None:
        return FeatureSet.objects.filter(dataset=item_set.dataset, finished_at__isnull=False)
    return feature_sets_for_user(user, item_set.dataset)


def why_not_trainable(item_set: ItemSet, task: Task) -> str:
    """Why nothing can be trained on the examples of a set, "" where it can (one query)."""
    if len(task.learns) != 2:
        return f"{task.title} has nothing that a model could be trained on."
    parts = set(item_set.items.order_by().values_list("part", flat=True).distinct())
    missing = [part for part in ("train", "val") if part not in parts]
    if missing:
        return f"The set has no items of the part {' and '.join(missing)}: make one with parts."
    return ""


def divides_recordings(item_set: ItemSet) -> bool:
    """Whether parts divide the items of recordings, and not whole recordings (one query)."""
    learnt = item_set.examples.order_by().values("source_recording")
    return item_set.asked.filter(source_recording__in=learnt).exists()


def epochs_of(assessment: Assessment) -> int:
    """How many epochs all its seeds take."""
    return int(assessment.settings["recipe"]["epochs"]) * len(assessment.settings["seeds"])


def seconds_of_epochs(assessment: Assessment, count: int) -> float | None:
    """How long so many epochs take, by the last ones; None before the first (one query)."""
    row = assessment.seeds.exclude(epochs=[]).order_by("-pk").first()
    if row is None:
        return None
    recent = [epoch[SECONDS] for epoch in row.epochs[-RECENT:]]
    return float(sum(recent) / len(recent) * count)


def training_tables(
    assessment: Assessment, task: Task, tallies: Sequence[Tally]
) -> tuple[Table, ...]:
    """Each seed with its figures, the log of its epochs, and what was left out (one query)."""
    seeds = list(assessment.seeds.order_by("pk"))
    told = {} if assessment.job is None else assessment.job.result
    versions = ", ".join(f"{name} {number}" for name, number in told.get("versions", {}).items())
    measures = [measure for measure in task.measures if measure.key in tallies[0].figures]
    rows = []
    for seed, tally in zip(seeds, tallies, strict=True):
        values = values_of(tally)
        cells = {one.key: Cell(_defined(values[one.key])) for one in measures}
        cells |= {"epoch": Cell(seed.answering_epoch), "threshold": Cell(seed.threshold)}
        rows.append(Row(Cell(f"{seed.seed}"), cells, is_compared=False))
    columns = [Column(one.key, one.title, one.decimals, one.best) for one in measures]
    columns += [Column("epoch", "Answered after epoch"), Column("threshold", "Threshold", 4)]
    how = f"Threshold: {seeds[0].how}."
    table = Table(
        "seeds",
        "Seeds",
        "Seed",
        tuple(columns),
        (RowGroup("", tuple(rows)),),
        notes=(f"{how} Trained with {versions}." if versions else how,),
    )
    return (table, _log(seeds), *_left_out(told))


def _log(seeds: Sequence[TrainedSeed]) -> Table:
    """The loss and the AUC on val by epoch, seed by seed."""
    cells: dict[int, dict[str, Cell]] = defaultdict(dict)
    columns = []
    for one in seeds:
        name = f"Seed {one.seed}"
        columns += [
            Column(f"loss_{one.seed}", "Loss", 4, group=name),
            Column(f"val_auc_{one.seed}", "AUC on val", 4, group=name),
            Column(f"rate_{one.seed}", "Learning rate", group=name),
            Column(f"seconds_{one.seed}", "Seconds", 1, group=name),
        ]
        for number, *values in one.epochs:
            loss, val_auc, rate, seconds = values
            cells[number] |= {
                f"loss_{one.seed}": Cell(loss),
                f"val_auc_{one.seed}": Cell(val_auc),
                f"rate_{one.seed}": Cell(f"{rate:g}"),
                f"seconds_{one.seed}": Cell(seconds),
            }
    rows = tuple(Row(Cell(number), cells[number], is_compared=False) for number in sorted(cells))
    return Table("epochs", "Epochs", "Epoch", tuple(columns), (RowGroup("", rows),))


def _left_out(told: Mapping[str, Any]) -> Iterator[Table]:
    """Which items were no part of it, and how many lost rows; none where all were whole."""
    parts = told.get("parts", {})
    if not any(part["left_out"] or part["shortened"] for part in parts.values()):
        return
    rows = tuple(
        Row(
            Cell(recording),
            {"part": Cell(part), "items": Cell(count), "reason": Cell(reason)},
            is_compared=False,
        )
        for part, recording, reason, count in told["left_out"]
    )
    columns = (Column("part", "Part"), Column("items", "Items"), Column("reason", "Why"))
    notes = tuple(
        f"{name}: {part['items']} items with {part['rows']} rows; {part['shortened']} of them go on"
        f" behind the end of the features; {part['left_out']} are left out."
        for name, part in parts.items()
    )
    yield Table("left-out", "Left out", "Recording", columns, (RowGroup("", rows),), notes)


def _defined(value: float) -> float | None:
    return None if isnan(value) else value
