"""The clips of a take as rows: planned from its edit list, kept between attempts, reused by runs.

A row stays as long as it is for the same place of the same recording and shows the same step. If
that changes, it starts again; a prompt that a person wrote stays in any case.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from annotation.backends import made_files
from annotation.backends.media.facts import Media
from annotation.engine.corpus.procedure import Take, Trace
from annotation.models import Video
from generation.backends.video.forms import browser_form
from generation.engine.prompting.clip_prompt import clip_steps, style_lock
from generation.engine.run_options import BRIDGE, MANUAL, ClipOptions
from generation.engine.splicing.anchors import AnchorTimes, anchor_times
from generation.engine.splicing.edit_list import EditList, Piece, PieceKind
from generation.models import ClipState, TakeClip, TakeEdits
from generation.services.clips.prompts import compiled_prompt
from generation.services.clips.videos import TakeFiles
from generation.services.stage import TakeWork

# Far longer than any model accepts, and short enough to read.
MOST_PROMPT_CHARACTERS = 4000
# Milliseconds: two plans of the same cut differ by less, and have to get the same key.
KEY_DECIMALS = 3
UPLOAD_PREFIX = "upload-"


@dataclass(frozen=True, slots=True)
class Filming:
    """What the video of a take is made from, except its clips."""

    reference: Take
    trace: Trace
    recording: Media
    edits: EditList
    video: Video

    @property
    def pieces(self) -> dict[str, Piece]:
        return {piece.clip_id: piece for piece in self.edits.clips}


def plan_clips(
    take: TakeWork, filming: Filming, files: TakeFiles, *, prompt_characters: int
) -> list[TakeClip]:
    """The rows of a take's clips in order, after storing them; rows that still fit stay.

    `prompt_characters` is how long prompt and style lock may be together.
    """
    lock = style_lock(take.run_take.take.scenario)
    left_characters = prompt_characters - len(lock) - 1
    earlier = {row.clip_id: row for row in TakeClip.objects.filter(run_take=take.run_take)}
    planned = list(_planned_rows(take, filming, earlier, left_characters))
    for row in planned:
        if row.pk is None:
            _reuse(row, files, left_characters)
    with transaction.atomic():
        # Raises if the worker has lost its claim, so that it writes nothing.
        take.progress.report(0, len(planned) + 1)
        gone = TakeClip.objects.filter(run_take=take.run_take)
        gone.exclude(clip_id__in=[row.clip_id for row in planned]).delete()
        for row in planned:
            row.save()
        TakeEdits.objects.update_or_create(
            run_take=take.run_take,
            defaults={
                "document": filming.edits.to_dict(),
                "recording": recording_facts(filming.recording),
                "style_lock": lock,
                "prompt_characters": left_characters,
            },
        )
    return planned


def recording_facts(recording: Media) -> dict[str, object]:
    """What a clip has to match, for people who make one."""
    upright = browser_form(recording)
    return {
        "width": upright.width,
        "height": upright.height,
        "frame_rate": str(recording.frame_rate),
        "has_sound": recording.sound is not None,
    }


def _planned_rows(
    take: TakeWork,
    filming: Filming,
    earlier: Mapping[str, TakeClip],
    prompt_characters: int,
) -> Iterator[TakeClip]:
    options = take.settings.options.clips
    steps = clip_steps(filming.edits, filming.trace, filming.reference)
    times = anchor_times(filming.edits)
    for position, piece in enumerate(filming.edits.clips):
        row = _row(piece, steps[piece.clip_id].text, times[piece.clip_id], filming)
        row.run_take, row.position = take.run_take, position
        old = earlier.get(piece.clip_id)
        if old is not None and old.key == row.key:
            # Its place in the new video may have moved with the clips before it.
            old.position, old.start_s, old.end_s = position, row.start_s, row.end_s
            yield old
            continue
        is_placeholder = options.maker == BRIDGE or piece.kind is PieceKind.BRIDGE
        row.maker = BRIDGE if is_placeholder else options.maker
        row.state = first_state(row, options)
        compiled = compiled_prompt(take, steps[piece.clip_id], most_characters=prompt_characters)
        row.prompt, row.compiled_by = compiled.prompt.to_dict(), compiled.by
        if old is not None:
            row.pk = old.pk
            row.edited_text, row.edited_by_id = old.edited_text, old.edited_by_id
            row.edited_at = old.edited_at
        yield row


def _row(piece: Piece, text: str, times: AnchorTimes, filming: Filming) -> TakeClip:
    rounded = (times.before_s, times.after_s, piece.duration_s)
    made_from = [
        filming.video.public_id,
        filming.video.size_bytes,
        filming.recording.frame_count,
        str(piece.kind),
        *(round(at_s, KEY_DECIMALS) for at_s in rounded),
        text,
    ]
    return TakeClip(
        clip_id=piece.clip_id,
        kind=str(piece.kind),
        row_index=piece.row_index,
        text=text,
        start_s=piece.start_s,
        end_s=piece.end_s,
        before_s=times.before_s,
        after_s=times.after_s,
        duration_s=piece.duration_s,
        asked_s=piece.asked_s if piece.asked_s is not None else piece.duration_s,
        key=hashlib.sha256(json.dumps(made_from).encode()).hexdigest(),
    )


def first_state(row: TakeClip, options: ClipOptions) -> ClipState:
    """The state of a clip before anybody has worked on it."""
    if row.kind == PieceKind.BRIDGE:
        return ClipState.MAKING
    if row.maker == MANUAL:
        return ClipState.UPLOAD
    is_approved = row.approved_at is not None
    return ClipState.PROMPT if options.reviews_prompts and not is_approved else ClipState.MAKING


def _reuse(row: TakeClip, files: TakeFiles, most_characters: int) -> None:
    """Take over what other runs of the same owner have for the same clip in the same place.

    That is a prompt that somebody wrote, if it is not too long, and an upload.
    """
    owner_id = row.run_take.run.owner_id
    if owner_id is None or row.maker == BRIDGE:
        return
    same = TakeClip.objects.filter(key=row.key, run_take__run__owner=owner_id)
    edited = same.exclude(edited_text="").order_by("-edited_at").first()
    if edited is not None and len(edited.edited_text) <= most_characters:
        row.edited_text, row.edited_at = edited.edited_text, edited.edited_at
        row.edited_by_id = edited.edited_by_id
    if row.state != ClipState.UPLOAD:
        return
    uploads = same.exclude(upload="").order_by("-uploaded_at").select_related("run_take")
    other = next((clip for clip in uploads if made_files.is_kept(clip.upload)), None)
    if other is None:
        return
    files.clips.mkdir(parents=True, exist_ok=True)
    copied = files.clips / Path(other.upload).name
    copied.unlink(missing_ok=True)
    with made_files.local(other.upload) as upload:
        try:
            os.link(upload, copied)
        except OSError:
            # The folders lie on two file systems, or on one without links.
            shutil.copyfile(upload, copied)
    made_files.keep(copied)
    row.upload, row.facts = made_files.name_of(copied), other.facts
    row.uploaded_by_id, row.uploaded_at = other.uploaded_by_id, other.uploaded_at
    row.taken_from, row.state = other, ClipState.READY


def as_planned(clip: TakeClip) -> TakeClip:
    """The row without any file, as it was before somebody made or uploaded one.

    A clip that was ordered gets another sample number, so that it is ordered again and not read
    from the record.
    """
    clip.sample += bool(clip.file and not clip.upload)
    clip.reason, clip.upload, clip.file, clip.facts = "", "", "", {}
    clip.uploaded_by, clip.uploaded_at, clip.taken_from = None, None, None
    return clip


def waiting_words(clips: list[TakeClip]) -> str:
    """What people still have to do for these clips; empty if nothing."""
    counts = {
        "prompts to approve": sum(clip.state == ClipState.PROMPT for clip in clips),
        "clips to upload": sum(clip.state == ClipState.UPLOAD for clip in clips),
    }
    return ", ".join(f"{count} {what}" for what, count in counts.items() if count)
