"""Folds of recordings: ours of EgoOops, whose own were never published, or those of a user.

Ours: per task, recordings by the number of their labelled segments and by id; fold i takes ranks i
and 9 - i. The part val of a fold is the test part of the next one. Source of the sizes: EgoOops, 5
(five folds of ten videos, 30/10/10).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.engine.division import TEST, TRAIN, TRAINING, VAL
from benchmarks.engine.labelled_segments import CORRECT, segments_of
from benchmarks.engine.material import Material
from benchmarks.engine.task import Item, Setting

COUNT, MOST = 5, 10
# The breakdown by fold, and what its mean is called there.
FOLD, MEAN_OF_FOLDS = "fold", "mean of folds"
EVERYTHING, POOLED = "everything is test, without folds", "the test parts of all folds together"
CHOICES = (EVERYTHING, POOLED, *(f"fold {number}" for number in range(MOST)))
OURS = (
    "The folds are PIE-V’s own: those of EgoOops were not published, nor who is in which video. Two"
    " of them have no correction, so put the test parts together rather than average over folds."
)
MEANS = (
    "Figures over all items pool the folds; their mean stands in the breakdown “fold”, as “mean of"
    " folds”. What is trained answers each fold by what it learnt of the others."
)
OWN = Setting(
    "own_folds",
    "Folds of your own: video,fold,worker on a line each (worker may be left out; empty: our five)",
    "",
    is_long=True,
)


def fold_setting(default: str) -> Setting:
    return Setting("fold", "Folds", default, CHOICES)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a recording stands: fold and part, "" without folds; who did it, if that is said."""

    fold: str = ""
    part: str = ""
    worker: str = ""

    def put(self, item: Item) -> Item:
        """The item in its fold."""
        groups = {**item.groups, FOLD: self.fold} if self.fold else item.groups
        return replace(item, groups=groups, part=self.part, person=self.worker or item.person)


def places_of(material: Material, settings: Mapping[str, str]) -> dict[str, Place]:
    """The place of each recording by its uid; those that folds of a user's own lack are left out.

    Raises ValueError naming what is wrong in the settings.
    """
    uids = [recording.uid for recording in material.recordings]
    lines = settings["own_folds"].split()
    if settings["fold"] == EVERYTHING:
        if lines:
            raise ValueError(f"folds are given; expected another choice than “{EVERYTHING}”")
        return {uid: Place() for uid in uids}
    given = _given(lines, set(uids), material.name) if lines else _ours(material)
    if settings["fold"] == POOLED:
        return {uid: Place(fold, "", worker) for uid, (fold, worker) in given.items()}
    folds = sorted({fold for fold, _ in given.values()})
    asked = settings["fold"].removeprefix("fold ")
    if asked not in folds:
        raise ValueError(f"there is no fold {asked}; there are {', '.join(folds)}")
    parts = _parts(asked, folds)
    return {uid: Place(fold, parts[fold], worker) for uid, (fold, worker) in given.items()}


def _parts(asked: str, folds: Sequence[str]) -> dict[str, str]:
    """The part of each fold where one is asked: val is the next one, where that leaves any."""
    found = dict.fromkeys(folds, TRAIN)
    if len(folds) > 2:
        found[folds[(folds.index(asked) + 1) % len(folds)]] = VAL
    return {**found, asked: TEST}


def turns(parts: Sequence[str], folds: Sequence[str]) -> dict[str, list[str]]:
    """Whom to learn from and whom to ask: by the fold that is asked, the part of every item.

    Parts and folds are those of the items. Where parts say it there is one turn, of the fold "";
    else one for each fold, so that all items are asked once; without folds none.
    """
    if TRAIN in parts:
        return {"": [part if part in TRAINING else TEST for part in parts]}
    known = sorted(set(folds))
    if "" in known or len(known) < 2:
        return {}
    parts_of = {asked: _parts(asked, known) for asked in known}
    return {asked: [part[fold] for fold in folds] for asked, part in parts_of.items()}


def fold_warnings(settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What to know of these folds; sets that were made before there were any have none."""
    fold = settings.get("fold", EVERYTHING)
    ours = (OURS,) if fold != EVERYTHING and not settings.get("own_folds") else ()
    return (*ours, *((MEANS,) if fold == POOLED else ()))


def _ours(material: Material) -> dict[str, tuple[str, str]]:
    by_task: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for recording in material.recordings:
        labelled = sum(said != CORRECT for _, said in segments_of(recording))
        by_task[recording.take.scenario].append((labelled, recording.uid))
    ranks = [*range(COUNT), *reversed(range(COUNT))]
    return {
        uid: (str(ranks[rank % len(ranks)]), "")
        for ranked in by_task.values()
        for rank, (_, uid) in enumerate(sorted(ranked))
    }


def _given(lines: Sequence[str], known: set[str], name: str) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for number, line in enumerate(lines, start=1):
        uid, fold, worker, *rest = [*line.split(","), "", ""][: max(3, line.count(",") + 1)]
        if uid == "video" and number == 1:
            continue
        if rest or not fold.isdigit() or int(fold) >= MOST:
            expected = f"video,fold,worker with a fold from 0 to {MOST - 1}"
            raise ValueError(f"folds, entry {number} is {line!r}; expected {expected}")
        if uid not in known:
            raise ValueError(f"folds, entry {number} names {uid!r}, which {name} lacks")
        place = str(int(fold)), worker
        if found.setdefault(uid, place) != place:
            raise ValueError(f"folds, entry {number}: {uid!r} is there twice, in another way")
    return found
