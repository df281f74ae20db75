"""Features in which the mistakes of an item set can be seen, and participants trained on them."""

from collections import defaultdict

import numpy as np

from benchmarks.engine.division import Division
from benchmarks.engine.folds import POOLED
from benchmarks.models import Item
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.features import FeaturesRequest, store_features
from benchmarks.services.training import TrainRequest, start_training
from tests.benchmarks.asked import read_again
from tests.benchmarks.made import frozen_set, reading_of

WIDTH = 12


def divided_set(dataset, owner, **changes):
    """Steps of the sample corpus in parts, by recording."""
    division = Division("recording", (0.5, 0.25, 0.25))
    return frozen_set(dataset, owner, "error_recognition", division=division, **changes)


def folded_set(dataset, owner, task="mistake_classes", count=4, **changes):
    """Segments of the sample corpus in folds of recordings."""
    traces = dataset.traces.order_by("uid").values_list("uid", flat=True)
    lines = [f"{uid},{place % count}" for place, uid in enumerate(traces)]
    settings = {"fold": POOLED, "own_folds": "\n".join(lines), **changes}
    return frozen_set(dataset, owner, task, settings=settings)


def planted_classes(item_set, owner, *, name="Planted", height=1.5):
    """A feature set in which rows of mistakes and of corrections lie higher, each in some places.

    With a height of 0 they carry no signal.
    """
    rng = np.random.default_rng(3)
    segments = defaultdict(list)
    for item in item_set.items.order_by("source_key"):
        payload = item.payload
        span = payload["start_s"], payload["end_s"]
        segments[payload["recording_id"]].append((*span, item.truth["answer"]))
    arrays = []
    for uid, rows in sorted(segments.items()):
        length = int(max(end_s for _, end_s, _ in rows)) + 2
        array = rng.normal(size=(length, WIDTH)).astype(np.float32)
        for start_s, end_s, answer in rows:
            places = {"mistake": slice(0, 4), "correction": slice(4, 8)}.get(answer, slice(0))
            array[int(start_s) : int(end_s) + 1, places] += height
        arrays.append((uid, array))
    request = FeaturesRequest(name=name, seconds_per_row=1.0, is_shared=False)
    return store_features(
        dataset=item_set.dataset, request=request, read=reading_of(arrays), actor=owner
    )


def planted(item_set, owner, *, name="Planted", without=(), seconds=1.0, width=WIDTH):
    """A feature set in which rows of steps that are mistakes lie a little higher."""
    rng = np.random.default_rng(3)
    arrays = {}
    for item in Item.objects.filter(item_set=item_set).order_by("source_key"):
        uid = item.payload["recording_id"]
        if uid in without:
            continue
        pieces = item.payload["pieces"]
        length = int(max(end for _, end in pieces) / seconds) + 2
        before = arrays.get(uid, np.zeros((0, width), np.float32))
        if len(before) < length:
            more = rng.normal(size=(length - len(before), width)).astype(np.float32)
            before = np.vstack([before, more])
        if item.truth["answer"] == "yes":
            for start, end in pieces:
                before[int(start / seconds) : int(end / seconds) + 1] += 0.8
        arrays[uid] = before
    request = FeaturesRequest(name=name, seconds_per_row=seconds, is_shared=False)
    return store_features(
        dataset=item_set.dataset,
        request=request,
        read=reading_of(sorted(arrays.items())),
        actor=owner,
    )


def started(item_set, features, owner, **changes):
    fields = {"model": "V1", "features": [row.public_id for row in features], "epochs": 3}
    request = TrainRequest(**{**fields, **changes})
    return start_training(item_set=item_set, request=request, actor=owner)


def trained(item_set, features, owner, **changes):
    assessment, job_ids = started(item_set, features, owner, **changes)
    work_on_assessments(job_ids=job_ids)
    return read_again(assessment)
