"""A data set with a recording whose every frame says its number, for tests of the video stage."""

from fractions import Fraction

from annotation.engine.taxonomy import Mod
from annotation.models import Dataset, Take
from annotation.services.videos.linking import link_videos
from generation.engine.stages import Stage
from generation.models import RunTake
from generation.services.runs import create_run
from tests.factories import DatasetFactory
from tests.generation.tea import add_take, request_for
from tests.recordings import write_recording

# A mistake, an inserted and a missing step, a correction; and one with steps that change places.
SEED, OTHER_SEED = 160, 209
MOVED = {Mod.MOVED_SOURCE, Mod.MOVED_TARGET}
# What shows the recording itself; all else is made.
FOOTAGE = {Mod.UNCHANGED, Mod.CASCADE, *MOVED}
RATE = Fraction(10)
FRAME_COUNT = 210
# Two seconds.
FRAMES_PER_STEP = 20


def film_dataset(owner, folder, **recipe) -> Dataset:
    """Return a data set of a take with a recording (two seconds a step) and one without."""
    folder.mkdir()
    usual = {"rate": RATE, "frame_count": FRAME_COUNT, "group": FRAMES_PER_STEP}
    write_recording(folder / "filmed.mp4", **{**usual, **recipe})
    dataset = DatasetFactory(name="Filmed tea", owner=owner)
    add_take(dataset, "filmed")
    add_take(dataset, "written")
    Take.objects.filter(uid="filmed").update(video_stem="filmed")
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


def make_run(dataset, owner, **changes):
    """Return a run over both takes through every stage; nothing is worked on yet."""
    fields = {"name": "Filmed", "seed": SEED, "stages": list(Stage), **changes}
    return create_run(request=request_for(dataset, **fields), actor=owner).run


def take_of(run, uid="filmed"):
    return RunTake.objects.select_related("job", "take").get(run=run, take__uid=uid)
