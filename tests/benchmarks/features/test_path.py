"""From videos to a figure: features are made, a model is trained on them, and is scored."""

import json
from fractions import Fraction

import pytest

from annotation.engine.corpus.procedure import (
    Event,
    NativeLabel,
    Reading,
    Step,
    Take,
    Trace,
    TraceStep,
)
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos.linking import link_videos
from benchmarks.engine.tasks.error_recognition import BY_RECORDING
from benchmarks.models import FeatureSet
from benchmarks.services.feature_work import make_features, start_features
from tests.benchmarks.made import figures_of, frozen_set
from tests.benchmarks.training.planted import trained
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db(transaction=True)

PARTS = {"train": range(4), "val": range(4, 6), "test": range(6, 10)}
TAKE = Take("tea", "Tea", "Make tea", (Step("Boil water", "1"),))
# Bits of the numbers on the frames, which are bright.
BRIGHT = 0b1111_1000_0000


def trace(number):
    """A recording of one step, which is a mistake in every second one."""
    rows = TraceStep(Mod.UNCHANGED, "Boil water", 0, step_id="1", start_s=0.0, end_s=3.0)
    events = ()
    if number % 2:
        labels = (NativeLabel("Technique Error", "no water"),)
        rows = TraceStep(
            Mod.ERROR, "Boil nothing", 0, "E", step_id="1", start_s=0.0, end_s=3.0, labels=labels
        )
        events = (Event("E", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),)
    return Trace(f"tea-{number}", f"Tea {number}", "tea", (rows,), events, f"film-{number}")


def test_a_model_learns_from_videos_which_steps_are_mistakes(owner, tmp_path, media):
    (tmp_path / "films").mkdir()
    for number in range(10):
        path = tmp_path / "films" / f"film-{number}.mp4"
        first = BRIGHT if number % 2 else 0
        write_recording(path, rate=Fraction(10), frame_count=30, sound=None, first_number=first)
    target = ImportTarget(name="Tea", format="native", owner=owner, is_shared=False)
    traces = tuple(trace(number) for number in range(10))
    import_reading(Reading(takes=(TAKE,), traces=traces), target=target, actor=owner)
    dataset = Dataset.objects.get()
    link_videos(dataset=dataset, folder=str(tmp_path / "films"), pattern="{stem}.mp4")
    parts = {part: [f"tea-{number}" for number in numbers] for part, numbers in PARTS.items()}
    settings = {"division": BY_RECORDING, "recordings": json.dumps(parts)}
    made = frozen_set(dataset, owner, "error_recognition", settings=settings)

    features, job_ids = start_features(
        dataset=dataset, name="Plain", extractor="colour-and-motion", actor=owner
    )
    make_features(job_ids=job_ids)
    found = trained(made, [FeatureSet.objects.get()], owner, epochs=30, seeds=1)

    assert features.arrays.count() == 10
    assert (found.job.error, found.counts["read"]) == ("", 4)
    assert figures_of(found)["auc"][0] == 1
