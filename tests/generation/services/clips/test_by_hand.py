"""A run whose clips people make: what waits for whom, what is refused, what is never lost."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import Http404

from annotation.models import AuditEntry, Job, JobStatus
from generation.engine.splicing.edit_list import PieceKind
from generation.engine.stages import Stage
from generation.models import ClipState, Run, TakeClip, TakeEdits, TakeVideo
from generation.selectors.runs import progress_of
from generation.services.clips import review
from generation.services.clips.review import ClipClosedError, ClipsMissingError
from generation.services.clips.uploads import ClipRefusedError, remove_clip, upload_clip
from generation.services.run_work import work_on_takes
from generation.services.runs import cancel_run, clone_run, delete_run, resume_run
from tests.generation.by_hand import clip_file, run_by_hand, work_on
from tests.generation.filmed import OTHER_SEED, RATE, take_of
from tests.recordings import CLIP_BIT, shown_numbers

pytestmark = pytest.mark.django_db(transaction=True)


def wanted_clips(run_take):
    return list(TakeClip.objects.filter(run_take=run_take, state=ClipState.UPLOAD))


def upload_all(run_take, folder, actor):
    for clip in wanted_clips(run_take):
        file = clip_file(folder, clip.duration_s)
        upload_clip(run_take=run_take, clip_id=clip.clip_id, file=file, actor=actor)


def make(run_take, actor):
    work_on_takes(job_ids=review.make_video(run_take=run_take, actor=actor))
    return take_of(run_take.run)


def kept_files(media):
    return sorted(path.name for path in media.rglob("*") if path.is_file())


def test_take_waits_for_uploads_without_a_worker_and_without_having_failed(waiting, media):
    clips = list(waiting.clips.all())
    progress = progress_of(waiting.run)
    video = next(stage for stage in progress.stages if stage.stage is Stage.VIDEO)

    assert (waiting.job.status, waiting.job.lease_until, waiting.job.error) == (
        JobStatus.WAITING, None, "",
    )  # fmt: skip
    assert {clip.state for clip in clips if not clip.is_bridge} == {ClipState.UPLOAD}
    assert {clip.state for clip in clips if clip.is_bridge} == {ClipState.READY}
    assert (progress.state, progress.waiting_count, progress.failed_count) == (
        "waiting for you", 1, 0,
    )  # fmt: skip
    assert (video.waiting_count, video.failed_count, video.left_s) == (1, 0, None)
    assert not progress.is_finished
    assert not progress.is_at_work


def test_rows_have_the_content_and_the_times_of_each_clip(waiting):
    edits = TakeEdits.objects.get(run_take=waiting)
    clips = list(waiting.clips.all())
    pieces = [piece for piece in edits.document["pieces"] if piece["clip_id"]]

    assert [(clip.clip_id, clip.kind, clip.start_s, clip.duration_s) for clip in clips] == [
        (piece["clip_id"], piece["kind"], piece["start_s"], piece["end_s"] - piece["start_s"])
        for piece in pieces
    ]
    assert {clip.kind for clip in clips} >= {PieceKind.BRIDGE, PieceKind.CORRECTION}
    for clip in clips:
        assert clip.compiled_by == "rules"
        assert clip.prompt_text.startswith("Hands and things" if clip.is_bridge else "The hands")
    assert edits.recording == {
        "width": 192, "height": 108, "frame_rate": "10", "has_sound": True,
    }  # fmt: skip
    assert "Making tea" in edits.style_lock


def test_video_shows_the_uploaded_pictures_where_its_trace_says(waiting, owner, tmp_path, media):
    upload_all(waiting, tmp_path, owner)

    done = make(waiting, owner)

    made = done.made_video
    numbers = shown_numbers(media / made.path)
    assert (done.job.status, made.maker) == (JobStatus.DONE, "manual, bridge")
    uploaded = {}
    for clip in done.clips.exclude(upload=""):
        [piece] = [it for it in made.edits["pieces"] if it["clip_id"] == clip.clip_id]
        first, last = (round(piece[name] * RATE) for name in ("start_s", "end_s"))
        uploaded[clip.clip_id] = all(number & CLIP_BIT for number in numbers[first:last])
    assert len(uploaded) == 3
    assert set(uploaded.values()) == {True}
    assert done.published_trace.trace.provenance["clips"] == "manual, bridge"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"no video at all", "the file is damaged, or not a video in MP4"),
        (b"#EXTM3U\n#EXTINF:1,\n/etc/passwd\n", "the file is damaged, or not a video in MP4"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "the file is damaged, or not a video in MP4"),
    ],
)
def test_upload_that_is_no_video_is_refused_and_not_stored(waiting, owner, media, content, said):
    [clip, *_] = wanted_clips(waiting)
    before = kept_files(media)
    # Nothing that a sender says about a file is believed.
    file = SimpleUploadedFile("clip.mp4", content, content_type="video/mp4")

    with pytest.raises(ClipRefusedError) as refused:
        upload_clip(run_take=waiting, clip_id=clip.clip_id, file=file, actor=owner)

    message = str(refused.value)
    assert message.startswith(f"{clip.clip_id}: {said}")
    assert message.endswith(f"expected a video of {clip.duration_s:.2f} s, 192x108.")
    clip.refresh_from_db()
    assert (clip.state, clip.upload) == (ClipState.UPLOAD, "")
    assert kept_files(media) == before


@pytest.mark.parametrize(
    ("share", "recipe", "said"),
    [
        (0.4, {}, "it lasts {short:.2f} s; expected {wanted:.2f} s, at least {least:.2f} s."),
        (1.0, {"size": (32, 96)}, "its picture has 32x96; expected 192x108, at least 48x27."),
    ],
)
def test_upload_that_is_too_short_or_too_small_is_refused_with_what_was_expected(
    waiting, owner, tmp_path, share, recipe, said
):
    [clip, *_] = wanted_clips(waiting)
    file = clip_file(tmp_path, share * clip.duration_s, **recipe)
    wanted_s = clip.duration_s
    numbers = {"short": round(share * wanted_s * 24) / 24, "wanted": wanted_s}

    with pytest.raises(ClipRefusedError) as refused:
        upload_clip(run_take=waiting, clip_id=clip.clip_id, file=file, actor=owner)

    assert str(refused.value) == f"{clip.clip_id}: " + said.format(**numbers, least=wanted_s / 2)


def test_upload_larger_than_the_site_takes_is_refused_as_it_comes(waiting, owner, settings, media):
    settings.UPLOAD_LIMIT_MB = 1
    [clip, *_] = wanted_clips(waiting)
    before = kept_files(media)
    file = SimpleUploadedFile("clip.mp4", bytes(1024 * 1024 + 1))

    with pytest.raises(ClipRefusedError, match=r"clip-\d\d: the file is larger than 1 MB\."):
        upload_clip(run_take=waiting, clip_id=clip.clip_id, file=file, actor=owner)

    assert kept_files(media) == before


def test_longer_and_other_shaped_upload_is_used_in_part_and_says_so(waiting, owner, tmp_path):
    [clip, *_] = wanted_clips(waiting)
    file = clip_file(tmp_path, clip.duration_s + 3, size=(144, 144))

    row = upload_clip(run_take=waiting, clip_id=clip.clip_id, file=file, actor=owner)

    assert row.facts["notes"] == [
        f"Of its {clip.duration_s + 3:.1f} s the first {clip.duration_s:.1f} s are used.",
        "Its picture (144x144) has another shape than the recording's (192x108):"
        " 44% of it is cropped, evenly on both sides.",
    ]
    assert (row.state, row.uploaded_by, row.facts["video_codec"]) == (
        ClipState.READY, owner, "h264",
    )  # fmt: skip


def test_video_is_not_made_while_a_clip_is_missing_and_the_message_names_it(
    waiting, owner, tmp_path
):
    [first, *others] = wanted_clips(waiting)
    for clip in others:
        file = clip_file(tmp_path, clip.duration_s)
        upload_clip(run_take=waiting, clip_id=clip.clip_id, file=file, actor=owner)

    with pytest.raises(ClipsMissingError) as missing:
        review.make_video(run_take=waiting, actor=owner)

    waiting.job.refresh_from_db()
    assert str(missing.value) == f"These clips are missing: {first.clip_id}."
    assert waiting.job.status == JobStatus.WAITING


def test_upload_replaces_the_earlier_one_and_can_be_removed(waiting, owner, tmp_path, media):
    [clip, *_] = wanted_clips(waiting)
    before = kept_files(media)
    first = upload_clip(
        run_take=waiting, clip_id=clip.clip_id, file=clip_file(tmp_path, 2), actor=owner
    )
    second = upload_clip(
        run_take=waiting, clip_id=clip.clip_id, file=clip_file(tmp_path, 3), actor=owner
    )
    with_second = kept_files(media)

    removed = remove_clip(run_take=waiting, clip_id=clip.clip_id, actor=owner)

    assert first.upload != second.upload
    assert len(with_second) == len(before) + 1
    assert (removed.state, removed.upload, removed.facts) == (ClipState.UPLOAD, "", {})
    assert kept_files(media) == before
    actions = AuditEntry.objects.filter(subject__endswith=clip.clip_id).order_by("pk")
    assert list(actions.values_list("action", "actor")) == [
        ("clip.upload", owner.pk), ("clip.upload", owner.pk), ("clip.remove", owner.pk),
    ]  # fmt: skip


def test_upload_whose_file_somebody_deleted_is_asked_for_again(waiting, owner, tmp_path, media):
    upload_all(waiting, tmp_path, owner)
    [lost, *_] = waiting.clips.exclude(upload="")
    (media / lost.upload).unlink()

    again = make(waiting, owner)

    lost.refresh_from_db()
    assert again.job.status == JobStatus.WAITING
    assert (lost.state, lost.reason) == (
        ClipState.UPLOAD, "The uploaded file is gone; upload the clip again.",
    )  # fmt: skip
    assert again.clips.filter(state=ClipState.UPLOAD).count() == 1

    upload_all(again, tmp_path, owner)

    assert make(again, owner).job.status == JobStatus.DONE


def test_clips_of_a_take_at_work_or_done_cannot_be_changed(waiting, owner, tmp_path):
    upload_all(waiting, tmp_path, owner)
    [clip, *_] = waiting.clips.exclude(upload="")
    change = {"run_take": waiting, "clip_id": clip.clip_id, "actor": owner}
    review.make_video(run_take=waiting, actor=owner)

    with pytest.raises(ClipClosedError, match="A worker is busy with this take"):
        remove_clip(**change)
    work_on_takes(job_ids=[waiting.job_id])
    with pytest.raises(ClipClosedError, match="The video of this take is finished"):
        upload_clip(**change, file=clip_file(tmp_path, clip.duration_s))
    with pytest.raises(ClipClosedError, match="The video of this take is finished"):
        review.make_video(run_take=waiting, actor=owner)
    with pytest.raises(Http404):
        remove_clip(run_take=waiting, clip_id="clip-99", actor=owner)


def test_cancelled_run_keeps_uploads_and_resumes_with_them(waiting, owner, tmp_path):
    run = Run.objects.get(pk=waiting.run_id)
    upload_all(waiting, tmp_path, owner)

    stopped = cancel_run(run=run, actor=owner)
    with pytest.raises(ClipClosedError, match="resume it"):
        review.make_video(run_take=take_of(run), actor=owner)
    work_on_takes(job_ids=resume_run(run=run, actor=owner))

    assert stopped == 1
    assert take_of(run).job.status == JobStatus.DONE
    assert take_of(run).made_video.maker == "manual, bridge"


def test_clone_takes_uploads_over_for_the_same_clips_and_waits_for_the_others(
    waiting, owner, tmp_path
):
    upload_all(waiting, tmp_path, owner)
    same = clone_run(run=waiting.run, seed=waiting.run.seed, actor=owner).run
    other = clone_run(run=waiting.run, seed=OTHER_SEED, actor=owner).run

    work_on(same)
    work_on(other)

    again = take_of(same)
    taken = {clip.clip_id: clip.taken_from_id for clip in again.clips.exclude(upload="")}
    assert again.job.status == JobStatus.DONE
    assert taken == dict(waiting.clips.exclude(upload="").values_list("clip_id", "pk"))
    assert take_of(other).job.status == JobStatus.WAITING


def test_clone_copies_edited_prompts(waiting, owner, outsider):
    [clip, *_] = wanted_clips(waiting)
    seen = review.seen_mark(clip.prompt_text)
    words = {"text": "A sock falls into the cup.", "seen": seen, "actor": owner}
    review.save_prompt(run_take=waiting, clip_id=clip.clip_id, **words)
    same = clone_run(run=waiting.run, seed=waiting.run.seed, actor=owner).run
    theirs = run_by_hand(waiting.run.dataset, outsider)

    work_on(same)
    work_on(theirs)

    again, other = (take_of(run).clips.get(clip_id=clip.clip_id) for run in (same, theirs))
    assert (again.prompt_text, again.edited_by) == ("A sock falls into the cup.", owner)
    assert (other.prompt_text, other.is_edited) == (clip.prompt_text, False)


def test_upload_of_another_owner_is_not_taken_over(waiting, owner, outsider, tmp_path):
    upload_all(waiting, tmp_path, owner)
    theirs = run_by_hand(waiting.run.dataset, outsider)

    work_on(theirs)

    assert take_of(theirs).job.status == JobStatus.WAITING
    assert not take_of(theirs).clips.exclude(upload="").exists()


def test_deleted_run_takes_its_uploads_with_it_and_leaves_those_of_its_clone(
    waiting, owner, tmp_path, media
):
    upload_all(waiting, tmp_path, owner)
    run = waiting.run
    clone = clone_run(run=run, seed=run.seed, actor=owner).run
    work_on(clone)
    cancel_run(run=run, actor=owner)

    delete_run(run=Run.objects.get(pk=run.pk), actor=owner)

    left = {path.relative_to(media).parts[1] for path in media.rglob("*") if path.is_file()}
    assert left == {clone.public_id}
    assert take_of(clone).clips.exclude(upload="").count() == 3


def test_resumed_take_restarts_the_time_of_its_run_and_its_message_may_come_twice(
    waiting, owner, tmp_path
):
    upload_all(waiting, tmp_path, owner)
    Run.objects.filter(pk=waiting.run_id).update(queued_at="2026-01-01T00:00:00Z")

    job_ids = review.make_video(run_take=waiting, actor=owner)
    work_on_takes(job_ids=[*job_ids, *job_ids])

    run = Run.objects.get(pk=waiting.run_id)
    assert take_of(run).job.status == JobStatus.DONE
    assert run.queued_at > Job.objects.get(pk=waiting.job_id).created_at
    assert TakeVideo.objects.filter(run_take=waiting).count() == 1
    assert progress_of(run).state == "finished"


def test_stale_message_does_not_wake_a_take_that_waits(waiting):
    work_on_takes(job_ids=[waiting.job_id])

    waiting.job.refresh_from_db()
    assert (waiting.job.status, waiting.job.attempt) == (JobStatus.WAITING, 1)
