"""What a person does with the clips of a take: edit and approve prompts, start the video.

A take can be changed while it waits, has failed or was cancelled, but not while a worker has it:
every change locks the job's row, whose status says who is in charge.
"""

import hashlib
from unicodedata import category

from django.db import transaction
from django.http import Http404
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Job, JobStatus, User
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import requeue_jobs
from generation.engine.stages import Stage
from generation.models import ClipState, Run, RunTake, TakeClip, TakeEdits

SEEN_CHARACTERS = 16


class ClipClosedError(NotNowError):
    """The clips of the take cannot be changed now; the message says why."""


class PromptRefusedError(ValueError):
    """The prompt cannot be used as it is; the message says what was expected."""


class PromptChangedError(NotNowError):
    """Somebody else changed the prompt meanwhile; nothing was stored. `current` is their text."""

    def __init__(self, current: str) -> None:
        super().__init__("Somebody changed this prompt after you opened the page.")
        self.current = current


class ClipsMissingError(NotNowError):
    """The video cannot be made yet; the message names what is missing."""


def clip_subject(run_take: RunTake, clip_id: str) -> str:
    return f"run:{run_take.run.public_id}/{run_take.position}/{clip_id}"


def seen_mark(*texts: str) -> str:
    """A short hash of what somebody was shown, to notice if it has changed since."""
    digest = hashlib.sha256("\x1f".join(texts).encode()).hexdigest()
    return digest[:SEEN_CHARACTERS]


def why_closed(run_take: RunTake, status: str) -> str:
    """Why the clips of a take cannot be changed; empty if they can."""
    stages = run_take.run.stages
    if Stage.VIDEO not in stages:
        return "This run makes no videos."
    if run_take.stages_done > stages.index(Stage.VIDEO) or status == JobStatus.DONE:
        return "The video of this take is finished; its clips can no longer be changed."
    if status in AT_WORK:
        return (
            "A worker is busy with this take or will be in a moment; try again when the"
            " take is waiting for you."
        )
    return ""


def open_take(run_take: RunTake) -> Job:
    """Lock a take against workers and others, and return its job; raise ClipClosedError."""
    job = Job.objects.select_for_update().get(pk=run_take.job_id)
    run_take.refresh_from_db(fields=["stages_done"])
    if reason := why_closed(run_take, job.status):
        raise ClipClosedError(reason)
    return job


def open_clip(run_take: RunTake, clip_id: str) -> TakeClip:
    """Lock a take and return one of its clips; raise Http404 or ClipClosedError."""
    clip = TakeClip.objects.filter(run_take=run_take, clip_id=clip_id).first()
    if clip is None:
        raise Http404
    open_take(run_take)
    clip.refresh_from_db()
    return clip


@transaction.atomic
def save_prompt(*, run_take: RunTake, clip_id: str, text: str, seen: str, actor: User) -> TakeClip:
    """Store a person's prompt for a clip and return the clip; the compiled text undoes an edit.

    `seen` is the mark of the prompt that the person was shown. Raises Http404, ClipClosedError,
    PromptRefusedError, and PromptChangedError if somebody else was faster.
    """
    clip = open_clip(run_take, clip_id)
    if seen != seen_mark(clip.prompt_text):
        raise PromptChangedError(clip.prompt_text)
    cleaned = checked_prompt(clip, text)
    if cleaned == clip.prompt_text:
        return clip
    before = clip.prompt_text
    compiled = str(clip.prompt.get("text", ""))
    clip.edited_text = "" if cleaned == compiled else cleaned
    clip.edited_by, clip.edited_at = actor, timezone.now()
    if clip.approved_at is not None:
        clip.approved_by, clip.approved_at = actor, clip.edited_at
    clip.save()
    # The log keeps every wording, so that nothing that somebody wrote is lost.
    detail = {"from": before, "to": cleaned}
    subject = clip_subject(run_take, clip_id)
    record(actor=actor, action="clip.edit_prompt", subject=subject, detail=detail)
    return clip


def checked_prompt(clip: TakeClip, text: str) -> str:
    """The text as it is stored; raises PromptRefusedError with what was expected."""
    if clip.is_bridge:
        raise PromptRefusedError(f"{clip.clip_id} is a bridge, which needs no prompt.")
    if clip.state == ClipState.READY and not clip.is_upload:
        raise PromptRefusedError(
            f"{clip.clip_id} is already made; remove it first to make another."
        )
    # Pasted text may contain control characters; models cannot use them, and no database stores
    # NUL.
    cleaned = " ".join("".join(" " if category(it) == "Cc" else it for it in text).split())
    limit = TakeEdits.objects.get(run_take=clip.run_take_id).prompt_characters
    if not cleaned:
        raise PromptRefusedError(f"{clip.clip_id}: the prompt is empty; say what the clip shows.")
    if len(cleaned) > limit:
        raise PromptRefusedError(
            f"{clip.clip_id}: the prompt has {len(cleaned)} characters; expected at most {limit}."
        )
    return cleaned


@transaction.atomic
def approve_prompts(*, run_take: RunTake, seen: str, actor: User) -> list[int]:
    """Approve every prompt of a take and queue it; return its job, for the caller to send.

    `seen` is the mark of all prompts that the person was shown. Raises ClipClosedError,
    PromptChangedError, and ClipsMissingError if there is nothing to approve.
    """
    job = open_take(run_take)
    clips = _clips(run_take)
    waiting = [clip for clip in clips if clip.state == ClipState.PROMPT]
    if not waiting:
        raise ClipsMissingError("No prompt of this take is waiting for approval.")
    texts = [clip.prompt_text for clip in waiting]
    if seen != seen_mark(*texts):
        raise PromptChangedError("")
    now = timezone.now()
    for clip in waiting:
        clip.state, clip.approved_by, clip.approved_at = ClipState.MAKING, actor, now
    TakeClip.objects.bulk_update(waiting, ["state", "approved_by", "approved_at"])
    return _queued(run_take, job, actor, "run_take.approve_prompts", len(waiting))


@transaction.atomic
def make_video(*, run_take: RunTake, actor: User) -> list[int]:
    """Queue a take that has all its clips; return its job, for the caller to send.

    Raises ClipClosedError, and ClipsMissingError with the names of clips that wait for a person.
    """
    job = open_take(run_take)
    clips = _clips(run_take)
    missing = [clip.clip_id for clip in clips if clip.needs_person]
    if missing:
        raise ClipsMissingError(f"These clips are missing: {', '.join(missing)}.")
    return _queued(run_take, job, actor, "run_take.make_video", len(clips))


def _clips(run_take: RunTake) -> list[TakeClip]:
    return list(TakeClip.objects.filter(run_take=run_take).order_by("position"))


def _queued(run_take: RunTake, job: Job, actor: User, action: str, clip_count: int) -> list[int]:
    if job.status == JobStatus.CANCELLED:
        # The approvals stay; the user who cancelled the run has to resume it.
        raise ClipClosedError("This run was cancelled; resume it, and it continues from here.")
    run = run_take.run
    others = RunTake.objects.filter(run=run, job__status__in=AT_WORK)
    if not others.exists():
        # No worker was busy while the run waited for people, so its rates count from now.
        Run.objects.filter(pk=run.pk).update(queued_at=timezone.now())
    subject = f"run:{run.public_id}/{run_take.position}"
    record(actor=actor, action=action, subject=subject, detail={"clips": clip_count})
    return requeue_jobs(job_ids=[job.pk])
