"""Read the clips of takes: what each shows, how far it is, and what waits for a person."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Count, Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.models import JobStatus, User
from generation.engine.run_options import MANUAL
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.strip import Strips, strips_of
from generation.models import ClipState, Run, RunTake, TakeClip, TakeEdits
from generation.selectors.clips.makers import maker_name
from generation.selectors.runs import get_run_take_for_user, may_change_run

SHOWN_WAITING = 20


def get_changeable_run_take(user: User, public_id: str, position: int) -> RunTake:
    """A take of a run that the user may change; raises Http404."""
    run_take = get_run_take_for_user(user, public_id, position)
    if not may_change_run(user, run_take.run):
        raise Http404
    return run_take


def get_clip(run_take: RunTake, clip_id: str) -> TakeClip:
    """A clip of a take that was looked up for the user; raises Http404."""
    clips = TakeClip.objects.filter(run_take=run_take)
    clip = get_object_or_404(clips.select_related("edited_by", "uploaded_by"), clip_id=clip_id)
    clip.run_take = run_take
    return clip


def edits_of(run_take: RunTake) -> TakeEdits | None:
    return TakeEdits.objects.filter(run_take=run_take).first()


@dataclass(frozen=True, slots=True)
class ClipLine:
    """One clip as its page shows it, and whether the recording has a frame before and after it."""

    clip: TakeClip
    maker: str
    has_first: bool
    has_last: bool

    @property
    def notes(self) -> list[str]:
        """What a person should check in the compiled prompt."""
        return list(self.clip.prompt.get("notes", []))

    @property
    def compiled_text(self) -> str:
        return str(self.clip.prompt.get("text", ""))

    @property
    def has_preview(self) -> bool:
        """Whether there is a file to show: the conformed clip, or the upload."""
        return bool(self.clip.file or self.clip.upload)

    @property
    def is_prompt_open(self) -> bool:
        """Whether the prompt can still be changed: no clip was made from it yet."""
        is_made = self.clip.state == ClipState.READY and not self.clip.is_upload
        return not self.clip.is_bridge and not is_made


@dataclass(frozen=True, slots=True)
class ClipsOfTake:
    """Everything on the page of a take's clips."""

    edits: TakeEdits
    lines: tuple[ClipLine, ...]
    strips: Strips
    notes: tuple[str, ...]

    @property
    def counts(self) -> Counter[str]:
        """How many clips are in each state."""
        return Counter(line.clip.state for line in self.lines)

    @property
    def waiting_prompts(self) -> tuple[str, ...]:
        return tuple(
            line.clip.prompt_text for line in self.lines if line.clip.state == ClipState.PROMPT
        )


def clips_of_take(run_take: RunTake) -> ClipsOfTake | None:
    """The clips of a take with its cuts, None until they are planned.

    Two queries, and one more if a provider makes some.
    """
    planned = edits_of(run_take)
    if planned is None:
        return None
    edits = EditList.from_dict(planned.document)
    rate = Fraction(planned.recording["frame_rate"])
    clips = TakeClip.objects.filter(run_take=run_take)
    origins = ("edited_by", "uploaded_by", "taken_from__run_take__run")
    rows = list(clips.select_related(*origins).order_by("position"))
    words = {MANUAL if clip.is_upload else clip.maker for clip in rows}
    names = {word: maker_name(word) for word in words}
    lines = tuple(
        ClipLine(
            clip=clip,
            maker=names[MANUAL if clip.is_upload else clip.maker],
            has_first=round(Fraction(clip.before_s) * rate) > 0,
            has_last=round(Fraction(clip.after_s) * rate)
            < round(Fraction(edits.source_duration_s) * rate),
        )
        for clip in rows
    )
    notes = tuple(
        note.message if note.row_index is None else f"Row {note.row_index + 1}: {note.message}"
        for note in edits.notes
    )
    return ClipsOfTake(planned, lines, strips_of(edits), notes)


@dataclass(frozen=True, slots=True)
class WaitingTake:
    position: int
    name: str
    prompt_count: int
    upload_count: int
    clip_count: int

    @property
    def words(self) -> str:
        parts = []
        if self.prompt_count:
            parts.append(f"{_plural(self.prompt_count, 'prompt')} to approve")
        if self.upload_count:
            parts.append(f"{_plural(self.upload_count, 'clip')} to upload")
        return ", ".join(parts) or "all clips are ready: make the video"


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def waiting_takes_of(run: Run, *, limit: int = SHOWN_WAITING) -> list[WaitingTake]:
    """The first takes of a run that wait for a person (one query)."""
    rows = (
        RunTake.objects.filter(run=run, job__status=JobStatus.WAITING)
        .order_by("position")
        .values_list("position", "take__name")
        .annotate(
            prompts=Count("clips", filter=Q(clips__state=ClipState.PROMPT)),
            uploads=Count("clips", filter=Q(clips__state=ClipState.UPLOAD)),
            all_clips=Count("clips"),
        )
    )
    return [WaitingTake(*row) for row in rows[:limit]]
