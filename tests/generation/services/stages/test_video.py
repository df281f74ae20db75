"""The video stage: what is shown when, what a cancelled or failed take leaves, who sees what."""

from pathlib import Path

import pytest
from django.urls import reverse

from annotation.engine.corpus.timeline import PieceKind as StripKind
from annotation.engine.taxonomy import Mod
from annotation.models import Job, JobStatus, Take, Trace
from generation.backends.video import timed_check
from generation.backends.video.checking.expected import FileCheck, Verification
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.splicing import splice as splicing
from generation.engine.splicing.edit_list import EditList, PieceKind
from generation.engine.stages import Stage
from generation.models import Run, TakeVideo
from generation.selectors.runs import progress_of
from generation.services.clips import making
from generation.services.clips.videos import TakeFiles
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, delete_run, resume_run
from generation.services.stages import video
from tests.annotation.conftest import client_of
from tests.factories import AssignmentFactory
from tests.generation.filmed import (
    FOOTAGE,
    FRAMES_PER_STEP,
    MOVED,
    OTHER_SEED,
    RATE,
    SEED,
    film_dataset,
    make_run,
    take_of,
)
from tests.recordings import shown_numbers

# The beat and what happens on commit are part of what is tested.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(filmed_dataset, owner):
    """Return the owner's run over both takes through every stage; nothing is worked on yet."""
    return make_run(filmed_dataset, owner)


def work_on(run):
    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)))


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def use(monkeypatch, backend):
    """Let this backend render the placeholders."""
    monkeypatch.setattr(making, "placeholder_backend", lambda options, check: backend)


class CountingBackend:
    """Makes real placeholders, counts them, and does something after the first."""

    name = "bridge"
    limits = BridgeBackend().limits

    def __init__(self, after_first=lambda: None):
        self.made = []
        self.after_first = after_first

    def make_clip(self, request, out):
        clip = BridgeBackend().make_clip(request, out)
        self.made.append(out.name)
        if len(self.made) == 1:
            self.after_first()
        return clip


@pytest.mark.parametrize(
    ("seed", "mods"),
    [
        (SEED, {Mod.UNCHANGED, Mod.ERROR, Mod.INSERTION, Mod.CORRECTION, Mod.DELETION}),
        (OTHER_SEED, {Mod.UNCHANGED, Mod.ERROR, Mod.CORRECTION, Mod.DELETION, *MOVED}),
    ],
)
def test_published_trace_shows_the_footage_of_its_steps_when_it_says(
    filmed_dataset, owner, media, seed, mods
):
    run = make_run(filmed_dataset, owner, seed=seed)

    work_on(run)

    trace = take_of(run).published_trace.trace
    made = TakeVideo.objects.get(run_take__take__uid="filmed")
    numbers = shown_numbers(media / made.path)
    shown, wanted = {}, {}
    for row in trace.steps.filter(mod__in=FOOTAGE).select_related("reference_step"):
        shown[row.index] = numbers[round(row.start_s * RATE) : round(row.end_s * RATE)]
        first = FRAMES_PER_STEP * row.reference_step.index
        wanted[row.index] = list(range(first, first + FRAMES_PER_STEP))
    assert set(trace.steps.values_list("mod", flat=True)) == mods
    assert shown == wanted
    assert len(numbers) == made.frame_count == round(trace.video.duration_s * RATE)


def test_a_recording_of_placeholders_is_known_as_such_on_every_page_of_its_run(run, owner):
    work_on(run)

    page = client_of(owner).get(reverse("run-detail", args=[run.public_id])).content.decode()

    trace = take_of(run).published_trace.trace
    assert (trace.provenance["clips"], trace.has_placeholders) == ("bridge", True)
    assert "Start an audit of these traces (1 recording is a placeholder)" in page
    assert "1 of placeholders: raters do not see it" in page


def test_every_row_but_deletions_is_timed_in_order_within_the_video(run):
    work_on(run)

    trace = take_of(run).published_trace.trace
    rows = list(trace.steps.order_by("index"))
    times = [(row.start_s, row.end_s) for row in rows if row.mod != Mod.DELETION]
    assert all(start_s < end_s for start_s, end_s in times)
    assert times == sorted(times)
    assert times[-1][1] <= trace.video.duration_s
    assert [row.start_s for row in rows if row.mod == Mod.DELETION] == [None] * sum(
        row.mod == Mod.DELETION for row in rows
    )


def test_outcome_says_how_the_video_was_made_and_verified(run, media):
    work_on(run)

    made = TakeVideo.objects.get(run_take__take__uid="filmed")
    edits = EditList.from_dict(made.edits)
    assert (made.skipped, made.maker, made.splice_path) == ("", "bridge", "packets")
    assert made.result["reasons"] == []
    assert made.result["verification"]["is_passed"]
    assert {check["is_passed"] for check in made.result["verification"]["checks"]} == {True}
    assert made.result["copied_count"] + made.result["encoded_count"] == made.frame_count
    assert made.clip_count == len(edits.clips) > 0
    assert made.duration_s == pytest.approx(edits.duration_s)
    assert made.seconds > 0
    assert files_in(media) == [made.path]


def test_recording_that_cannot_be_spliced_by_packets_is_encoded_anew_and_says_why(
    owner, tmp_path, media
):
    filmed_dataset = film_dataset(
        owner, tmp_path / "recordings", pixel_format="yuv444p", sound=None
    )
    run = make_run(filmed_dataset, owner)

    work_on(run)

    made = take_of(run).made_video
    assert (made.splice_path, made.result["reasons"]) == (
        "reencoded", ["the pixel format is yuv444p, not yuv420p"],
    )  # fmt: skip
    assert (made.result["copied_count"], made.result["encoded_count"]) == (0, made.frame_count)
    assert len(shown_numbers(media / made.path)) == made.frame_count


def test_take_with_a_step_outside_its_recording_fails_with_the_step(run, media):
    Take.objects.get(uid="filmed").steps.filter(index=9).update(end_s=99.0)

    work_on(run)

    job = take_of(run).job
    assert job.status == JobStatus.FAILED
    assert job.error.startswith("The video could not be made: step 9 ('Drink the tea') of take")
    assert job.error.endswith("expected times within the recording of 21.0 s")
    assert files_in(media) == []


def test_take_without_a_recording_passes_with_a_note_and_is_published(run):
    work_on(run)

    row = take_of(run, "written")
    trace = row.published_trace.trace
    assert row.job.status == JobStatus.DONE
    assert row.made_video.skipped == "No video is linked to the take."
    assert (trace.video, trace.video_stem, trace.steps.filter(start_s__isnull=False).count()) == (
        None, "", 0,
    )  # fmt: skip


def test_take_without_times_passes_with_a_note(filmed_dataset, owner):
    Take.objects.get(uid="filmed").steps.update(start_s=None, end_s=None)
    run = make_run(filmed_dataset, owner)

    work_on(run)

    assert take_of(run).made_video.skipped == (
        "No step of the take has times, so the recording cannot be cut."
    )
    assert take_of(run).published_trace.trace.video is None


def test_take_whose_file_is_gone_fails_with_the_name_of_the_file(run, tmp_path, media):
    (tmp_path / "recordings" / "filmed.mp4").unlink()

    work_on(run)

    job = take_of(run).job
    assert (job.status, job.error) == (
        JobStatus.FAILED, "The video file filmed.mp4 is gone; link the videos again.",
    )  # fmt: skip
    assert take_of(run, "written").job.status == JobStatus.DONE
    assert files_in(media) == []


def test_failed_verification_fails_the_take_with_the_reason_and_leaves_no_file(
    run, media, monkeypatch
):
    failure = Verification((FileCheck("frame count", False, "9 frames; expected 10"),))
    monkeypatch.setattr(splicing, "verify", lambda *arguments: failure)

    work_on(run)

    row = take_of(run)
    assert (row.job.status, row.job.error) == (
        JobStatus.FAILED,
        "The video could not be made: nothing was published: frame count: 9 frames; expected 10",
    )
    assert row.stages_done == list(Stage).index(Stage.VIDEO)
    assert not TakeVideo.objects.filter(run_take=row).exists()
    assert not Trace.objects.filter(take__uid="filmed").exists()
    assert files_in(media) == []


def test_cancelled_take_stops_between_clips_and_resumes_with_the_next(
    run, owner, media, monkeypatch
):
    def cancel():
        cancel_run(run=Run.objects.get(pk=run.pk), actor=owner)

    first, second = CountingBackend(cancel), CountingBackend()
    use(monkeypatch, first)
    work_on(run)
    cancelled, left = take_of(run).job, files_in(media)
    use(monkeypatch, second)

    work_on_takes(job_ids=resume_run(run=run, actor=owner))

    made = take_of(run).made_video
    assert (cancelled.status, cancelled.error) == (JobStatus.CANCELLED, "")
    assert [Path(name).name for name in left] == first.made
    assert len(first.made) == 1
    assert made.clip_count == 1 + len(second.made) > 1
    assert first.made[0] not in second.made
    assert files_in(media) == [made.path]


def test_take_cancelled_while_it_is_spliced_stops_there_and_leaves_only_its_clips(
    run, owner, media, monkeypatch
):
    """The look comes with every packet here; a take of seconds would be over before the first."""
    monkeypatch.setattr(timed_check, "PAUSE_S", 0.0)
    clips = CountingBackend()
    use(monkeypatch, clips)
    whole = splicing.write_packets

    def cancel_and_write(*args):
        cancel_run(run=Run.objects.get(pk=run.pk), actor=owner)
        return whole(*args)

    monkeypatch.setattr(splicing, "write_packets", cancel_and_write)
    monkeypatch.setattr(splicing, "verify", None)

    work_on(run)

    row = take_of(run)
    assert (row.job.status, row.job.error) == (JobStatus.CANCELLED, "")
    assert sorted(Path(name).name for name in files_in(media)) == sorted(clips.made)
    assert not TakeVideo.objects.filter(run_take=row).exists()


def test_resumed_video_equals_that_of_an_uninterrupted_run(run, owner, filmed_dataset, monkeypatch):
    undisturbed = make_run(filmed_dataset, owner)
    work_on(undisturbed)

    def cancel():
        cancel_run(run=Run.objects.get(pk=run.pk), actor=owner)

    use(monkeypatch, CountingBackend(cancel))
    work_on(run)

    work_on_takes(job_ids=resume_run(run=run, actor=owner))

    one, other = take_of(undisturbed).made_video, take_of(run).made_video
    assert {**one.edits, "trace_uid": ""} == {**other.edits, "trace_uid": ""}
    assert one.frame_count == other.frame_count


def test_worker_that_lost_its_claim_while_it_spliced_moves_no_file(run, owner, media, monkeypatch):
    whole = video.splice_edit_list

    def splice_and_lose(*args, **kwargs):
        made = whole(*args, **kwargs)
        Job.objects.filter(run_take__take__uid="filmed").update(attempt=7)
        return made

    monkeypatch.setattr(video, "splice_edit_list", splice_and_lose)

    work_on(run)

    row = take_of(run)
    assert not TakeVideo.objects.filter(run_take=row).exists()
    assert not [name for name in files_in(media) if ".work" not in name]


def test_leftovers_of_a_killed_worker_go_and_finished_clips_stay(media):
    files = TakeFiles("generated/run", "stem")
    files.work.mkdir(parents=True)
    for name in ("clip-aa.mp4", ".clip-bb.mp4.x.part", files.draft.name, ".whole-stem.mp4.y.part"):
        (files.work / name).write_bytes(b"x")

    files.prepare()

    assert files_in(files.work) == ["clip-aa.mp4"]


def test_run_says_how_many_clips_and_splices_of_the_takes_at_work_are_done(run, monkeypatch):
    seen = []

    def look():
        stages = {stage.stage: stage for stage in progress_of(run).stages}
        seen.append((stages[Stage.VIDEO].done_part_count, stages[Stage.VIDEO].part_count))

    class Watched(CountingBackend):
        def make_clip(self, request, out):
            look()
            return super().make_clip(request, out)

    use(monkeypatch, Watched())

    work_on(run)
    look()

    clip_count = take_of(run).made_video.clip_count
    assert seen == [*((done, clip_count + 1) for done in range(clip_count)), (0, 0)]


def test_clips_have_the_caption_of_their_step_but_bridges_none(run, monkeypatch):
    requests = []

    class Asked(CountingBackend):
        def make_clip(self, request, out):
            requests.append((request.caption, request.duration_s))
            return super().make_clip(request, out)

    use(monkeypatch, Asked())

    work_on(run)

    trace = take_of(run).published_trace.trace
    texts = list(trace.steps.order_by("index").values_list("text", flat=True))
    edits = EditList.from_dict(take_of(run).made_video.edits)
    assert requests == [
        ("" if piece.kind is PieceKind.BRIDGE else texts[piece.row_index], piece.duration_s)
        for piece in edits.clips
    ]


def test_rater_plays_the_video_with_its_strip_without_a_hint_of_its_origin(run):
    work_on(run)
    trace = take_of(run).published_trace.trace
    # As if a model had made its clips.
    Trace.objects.update(has_placeholders=False)
    assignment = AssignmentFactory(trace=trace)
    rater = client_of(assignment.rater)

    answer = rater.get(reverse("audit", args=[assignment.public_id]))

    page = answer.context["page"]
    segments = {item.row: item for item in page.trace_strip if item.kind != StripKind.MISSING}
    length_s = trace.video.duration_s
    timed = trace.steps.exclude(start_s=None)
    assert {row: pytest.approx((item.start, item.end)) for row, item in segments.items()} == {
        number: (row.start_s / length_s, row.end_s / length_s)
        for number, row in zip(sorted(segments), timed.order_by("index"), strict=True)
    }
    shown = answer.content.decode()
    for secret in (trace.uid, run.public_id, "Filmed", "bridge", "generated"):
        assert secret not in shown


def test_deleted_run_leaves_the_videos_of_its_data_set(run, owner, media):
    work_on(run)
    path = take_of(run).made_video.path

    delete_run(run=Run.objects.get(pk=run.pk), actor=owner)

    assert files_in(media) == [path]


def test_deleted_run_without_a_data_set_takes_its_files_along(filmed_dataset, owner, media):
    stages = [stage for stage in Stage if stage is not Stage.PUBLISH]
    run = make_run(filmed_dataset, owner, stages=stages)
    work_on(run)
    before = files_in(media)

    delete_run(run=run, actor=owner)

    assert len(before) == 1
    assert files_in(media) == []
