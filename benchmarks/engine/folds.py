"""Folds of recordings: PIE-V's own for EgoOops, whose folds were never published, or a user's.

PIE-V's own: within each task, recordings are ordered by the number of their labelled segments and
by id; fold i takes ranks i and 9 - i. The part val of a fold is the test part of the next one.
Source of the sizes: EgoOops, 5 (five folds of ten videos, 30/10/10).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.engine.division import TEST, TRAIN, TRAINING, VAL
from benchmarks.engine.labelled_segments import CORRECT, segments_of
from benchmarks.engine.material import Material
from benchmarks.engine.task import Item, Setting

FOLD_COUNT, MOST_FOLDS = 5, 10
# The breakdown by fold, and the value of it that stands for the mean of the folds.
FOLD, MEAN_OF_FOLDS = "fold", "mean of folds"
EVERYTHING, POOLED = "everything is test, without folds", "the test parts of all folds together"
CHOICES = (EVERYTHING, POOLED, *(f"fold {number}" for number in range(MOST_FOLDS)))
UNPUBLISHED_FOLDS = (
    "The folds are PIE-V’s own: those of EgoOops were not published, nor who is in which video. Two"
    " of them have no correction, so pool the test parts instead of averaging over folds."
)
POOLED_FOLDS = (
    "Figures over all items pool the folds; the breakdown “fold” also has the mean of the folds. A"
    " trained model answers each fold with what it learned on the others."
)
OWN_FOLDS = Setting(
    "own_folds",
    "Folds of your own: video,fold,worker on a line each (worker may be left out; empty: our five)",
    "",
    is_long=True,
)


def fold_setting(default: str) -> Setting:
    return Setting("fold", "Folds", default, CHOICES)


@dataclass(frozen=True, slots=True)
class FoldPlace:
    """The fold and the part of a recording, "" for none, and the worker in it where known."""

    fold: str = ""
    part: str = ""
    worker: str = ""

    def assign(self, item: Item) -> Item:
        """The item with this fold, part and worker."""
        groups = {**item.groups, FOLD: self.fold} if self.fold else item.groups
        return replace(item, groups=groups, part=self.part, person=self.worker or item.person)


def fold_places(material: Material, settings: Mapping[str, str]) -> dict[str, FoldPlace]:
    """The place of each recording by its uid, without recordings that a user's own folds lack.

    Raises ValueError naming what is wrong in the settings.
    """
    uids = [recording.uid for recording in material.recordings]
    lines = settings["own_folds"].split()
    if settings["fold"] == EVERYTHING:
        if lines:
            raise ValueError(f"folds are given; expected another choice than “{EVERYTHING}”")
        return {uid: FoldPlace() for uid in uids}
    if lines:
        fold_and_worker = _read_folds(lines, set(uids), material.name)
    else:
        fold_and_worker = _default_folds(material)
    if settings["fold"] == POOLED:
        return {uid: FoldPlace(fold, "", worker) for uid, (fold, worker) in fold_and_worker.items()}
    folds = sorted({fold for fold, _ in fold_and_worker.values()})
    test_fold = settings["fold"].removeprefix("fold ")
    if test_fold not in folds:
        raise ValueError(f"there is no fold {test_fold}; there are {', '.join(folds)}")
    parts = _parts(test_fold, folds)
    return {
        uid: FoldPlace(fold, parts[fold], worker) for uid, (fold, worker) in fold_and_worker.items()
    }


def _parts(test_fold: str, folds: Sequence[str]) -> dict[str, str]:
    """The part of each fold while one is the test part; val is the next one, given three folds."""
    parts = dict.fromkeys(folds, TRAIN)
    if len(folds) > 2:
        parts[folds[(folds.index(test_fold) + 1) % len(folds)]] = VAL
    return {**parts, test_fold: TEST}


def parts_by_test_fold(parts: Sequence[str], folds: Sequence[str]) -> dict[str, list[str]]:
    """The part of each item, once for every model to train: by the fold that the model answers.

    `parts` and `folds` are those of the items. A set with parts needs one model, under "". A set
    with folds needs a model for each, so that every item is answered by one that never saw it.
    Without either there is none.
    """
    if TRAIN in parts:
        return {"": [part if part in TRAINING else TEST for part in parts]}
    names = sorted(set(folds))
    if "" in names or len(names) < 2:
        return {}
    parts_of = {test_fold: _parts(test_fold, names) for test_fold in names}
    return {test_fold: [part[fold] for fold in folds] for test_fold, part in parts_of.items()}


def fold_warnings(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What to know about these folds before comparing; `settings` of older sets name no folds."""
    fold = settings.get("fold", EVERYTHING)
    has_default_folds = fold != EVERYTHING and not settings.get("own_folds")
    return (
        *((UNPUBLISHED_FOLDS,) if has_default_folds else ()),
        *((POOLED_FOLDS,) if fold == POOLED else ()),
    )


def _default_folds(material: Material) -> dict[str, tuple[str, str]]:
    """The fold of each recording and no worker: EgoOops does not say who is in which video."""
    by_task: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for recording in material.recordings:
        labelled_count = sum(label != CORRECT for _, label in segments_of(recording))
        by_task[recording.take.scenario].append((labelled_count, recording.uid))
    ranks = [*range(FOLD_COUNT), *reversed(range(FOLD_COUNT))]
    return {
        uid: (str(ranks[rank % len(ranks)]), "")
        for recordings in by_task.values()
        for rank, (_, uid) in enumerate(sorted(recordings))
    }


def _read_folds(
    lines: Sequence[str], known_uids: set[str], dataset: str
) -> dict[str, tuple[str, str]]:
    folds: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(lines, start=1):
        uid, fold, worker, *rest = [*line.split(","), "", ""][: max(3, line.count(",") + 1)]
        if uid == "video" and number == 1:
            continue
        if rest or not fold.isdigit() or int(fold) >= MOST_FOLDS:
            expected = f"video,fold,worker with a fold from 0 to {MOST_FOLDS - 1}"
            raise ValueError(f"folds, entry {number} is {line!r}; expected {expected}")
        if uid not in known_uids:
            raise ValueError(f"folds, entry {number} names {uid!r}, which {dataset} lacks")
        place = str(int(fold)), worker
        if folds.setdefault(uid, place) != place:
            raise ValueError(f"folds, entry {number}: {uid!r} is there twice, with another place")
    return folds
