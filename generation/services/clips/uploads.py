"""Store a clip that a person made elsewhere, replace it, or remove it again.

The name of an uploaded file is never used. Its content is checked before anything is stored; a
refused file is removed, and the message names the clip and what was expected.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from annotation.backends import made_files
from annotation.models import User
from annotation.services.records.audit_log import record
from generation.backends.video.clips.uploads import look_at_upload
from generation.backends.video.exceptions import ClipError
from generation.engine.run_options import RunOptions
from generation.engine.splicing.upload_rules import ClipFrame, upload_fault, upload_notes
from generation.models import ClipState, RunTake, TakeClip, TakeEdits
from generation.services.clips.planning import UPLOAD_PREFIX, as_planned, first_state
from generation.services.clips.review import clip_subject, open_clip
from generation.services.clips.videos import files_of


class ClipRefusedError(ValueError):
    """The upload cannot be used; the message says for which clip, why, and what was expected."""


def upload_clip(
    *, run_take: RunTake, clip_id: str, file: "UploadedFile[Any] | None", actor: User
) -> TakeClip:
    """Store an upload for a clip and return the clip; an earlier upload is replaced.

    Raises Http404 for no such clip, ClipClosedError while the take cannot be changed, and
    ClipRefusedError, keeping nothing, for a file that does not fit.
    """
    if file is None:
        raise ClipRefusedError(f"{clip_id}: no file was chosen.")
    with transaction.atomic():
        clip = open_clip(run_take, clip_id)
    recording = TakeEdits.objects.get(run_take=run_take).recording
    files = files_of(run_take)
    files.clips.mkdir(parents=True, exist_ok=True)
    path = files.clips / f"{UPLOAD_PREFIX}{secrets.token_hex(8)}"
    try:
        limit_bytes = settings.UPLOAD_LIMIT_MB * 1024 * 1024
        written = 0
        with path.open("xb") as copy:
            for chunk in file.chunks():
                written += len(chunk)
                if written > limit_bytes:
                    raise ClipRefusedError(
                        f"{clip.clip_id}: the file is larger than {settings.UPLOAD_LIMIT_MB} MB."
                    )
                copy.write(chunk)
        facts = _facts(path, clip, ClipFrame(recording["width"], recording["height"]))
        made_files.keep(path)
        return _put(run_take, clip_id, made_files.name_of(path), facts, actor)
    except BaseException:
        made_files.forget(made_files.name_of(path))
        raise


def _facts(path: Path, clip: TakeClip, wanted: ClipFrame) -> dict[str, object]:
    """What the upload is and how it will be adapted; raises ClipRefusedError."""
    try:
        upload = look_at_upload(path, used_s=clip.duration_s)
    except ClipError as error:
        raise ClipRefusedError(
            f"{clip.clip_id}: {error}; expected a video of {clip.duration_s:.2f} s, {wanted}."
        ) from error
    measures: Mapping[str, Any] = {
        "length_s": upload.length_s,
        "frame": upload.frame,
        "wanted_s": clip.duration_s,
        "recording": wanted,
    }
    if fault := upload_fault(**measures):
        raise ClipRefusedError(f"{clip.clip_id}: {fault}.")
    facts = asdict(upload)
    frame = facts.pop("frame")
    return {**facts, **frame, "notes": list(upload_notes(**measures))}


@transaction.atomic
def _put(
    run_take: RunTake, clip_id: str, upload: str, facts: dict[str, object], actor: User
) -> TakeClip:
    clip = open_clip(run_take, clip_id)
    before = [clip.upload, clip.file]
    clip.upload, clip.file, clip.facts = upload, "", facts
    clip.uploaded_by, clip.uploaded_at, clip.taken_from = actor, timezone.now(), None
    clip.state, clip.reason = ClipState.READY, ""
    clip.full_clean()
    clip.save()
    detail = {name: facts[name] for name in ("length_s", "width", "height", "size_bytes")}
    record(
        actor=actor, action="clip.upload", subject=clip_subject(run_take, clip_id), detail=detail
    )
    transaction.on_commit(partial(_remove, before), robust=True)
    return clip


@transaction.atomic
def remove_clip(*, run_take: RunTake, clip_id: str, actor: User) -> TakeClip:
    """Remove the upload or the made clip, and return the clip as it was planned.

    Raises Http404 for no such clip and ClipClosedError while the take cannot be changed.
    """
    clip = open_clip(run_take, clip_id)
    before = [clip.upload, clip.file]
    as_planned(clip)
    clip.state = first_state(clip, RunOptions.from_dict(run_take.run.options).clips)
    clip.save()
    record(actor=actor, action="clip.remove", subject=clip_subject(run_take, clip_id))
    transaction.on_commit(partial(_remove, before), robust=True)
    return clip


def _remove(names: list[str]) -> None:
    for name in filter(None, names):
        made_files.forget(name)
