"""A run whose clips a person makes, and real clips to upload."""

from fractions import Fraction

from django.core.files.uploadedfile import SimpleUploadedFile

from generation.engine.run_options import MANUAL, ClipOptions, RunOptions
from generation.services.run_work import work_on_takes
from tests.generation.filmed import make_run, take_of
from tests.recordings import CLIP_BIT, write_recording

CLIP_RATE = Fraction(24)


def run_by_hand(dataset, owner, **changes):
    """Return a run through every stage that waits for uploads; nothing is worked on yet."""
    clips = ClipOptions(**{"maker": MANUAL, **changes.pop("clips", {})})
    return make_run(dataset, owner, options=RunOptions(clips=clips).to_dict(), **changes)


def work_on(run):
    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)))


def waiting_take(dataset, owner, **changes):
    """Return the filmed take of such a run, worked on until it waits for a person."""
    run = run_by_hand(dataset, owner, **changes)
    work_on(run)
    return take_of(run)


def clip_file(folder, duration_s, *, name="anything.exe", first_number=CLIP_BIT, **recipe):
    """Return an upload of numbered H.264 pictures; its name says nothing of what it is."""
    usual = {"rate": CLIP_RATE, "size": (256, 144), "sound": None, "group": 12}
    count = round(duration_s * CLIP_RATE)
    path = folder / f"made-{first_number}-{count}.mp4"
    write_recording(path, frame_count=count, first_number=first_number, **{**usual, **recipe})
    return SimpleUploadedFile(name, path.read_bytes(), content_type="text/plain")
