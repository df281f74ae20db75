"""Make the clips that a take still lacks, or say what a person has to do first.

A clip appears whole or not at all, under a name that says what it was made from. Placeholders lie
in the take's work folder and go with it; what a person uploaded or paid for is kept.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from annotation.backends import made_files
from annotation.backends.media.exceptions import VideoError
from annotation.services.records.parallel import each_done
from generation.backends.exceptions import ModelError
from generation.backends.video.clips.backend import ClipBackend, ClipRequest, anchors_of
from generation.backends.video.clips.bridge import BridgeBackend
from generation.backends.video.clips.conform import accept_upload
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.timed_check import StillWanted, TimedCheck
from generation.engine.prompting.clip_prompt import style_lock
from generation.engine.run_options import BRIDGE, MANUAL, ClipOptions
from generation.engine.splicing.limits import ClipLimits
from generation.engine.splicing.upload_rules import shortest_s
from generation.models import ClipState, TakeClip, VideoEndpoint
from generation.services.calls.keys import UnreadableKeyError
from generation.services.clips.planning import MOST_PROMPT_CHARACTERS, Filming, waiting_words
from generation.services.clips.provider_clips import ProviderClips
from generation.services.clips.videos import TakeFiles
from generation.services.run_payer import take_payer
from generation.services.stage import (
    RunStoppedError,
    TakeFailedError,
    TakeWaitsError,
    TakeWork,
    failing_takes,
)

KEY_CHARACTERS = 16


def placeholder_backend(options: ClipOptions, check: StillWanted) -> ClipBackend:
    return BridgeBackend(
        is_marked=options.is_marked, shows_caption=options.shows_caption, check=check
    )


@dataclass(frozen=True, slots=True)
class Makers:
    """Who makes the clips of a take; its cuts have to keep to `limits`.

    `provider` makes the clips of steps if the run's options name one.
    """

    placeholders: ClipBackend
    limits: ClipLimits
    prompt_characters: int = MOST_PROMPT_CHARACTERS
    provider: ProviderClips | None = None


def makers_of(take: TakeWork) -> Makers:
    """The makers that the run's options name; raises TakeFailedError if one was deleted."""
    options = take.settings.options.clips
    renderer = placeholder_backend(options, take.progress.keep_claim)
    if options.maker == MANUAL:
        # A person films, or uses a model that PIE-V does not know: take the usual lengths.
        return Makers(renderer, ClipLimits())
    if options.endpoint is not None:
        clips = provider_clips_of(take, options.endpoint)
        return Makers(renderer, clips.limits, clips.prompt_characters, clips)
    return Makers(renderer, renderer.limits)


def provider_clips_of(take: TakeWork, public_id: str) -> ProviderClips:
    """Clips for a take from the provider that the run's options name by its id.

    They stay within the run's budget and stop when the take is cancelled. Raises TakeFailedError if
    the endpoint or its adapter no longer exists.
    """
    endpoint = VideoEndpoint.objects.filter(public_id=public_id).first()
    if endpoint is None:
        raise TakeFailedError(f"The video model {public_id} of this run was deleted.")
    with provider_failures(endpoint):
        return ProviderClips(endpoint, take_payer(take), adapter=endpoint.adapter())


def provider_failures(endpoint: VideoEndpoint) -> AbstractContextManager[None]:
    """Turn a provider's errors into a failed or stopped take, with the reason."""
    return failing_takes(f"{endpoint.name} gave no clip", (ModelError, UnreadableKeyError))


def make_missing_clips(
    take: TakeWork, filming: Filming, clips: list[TakeClip], files: TakeFiles, makers: Makers
) -> dict[str, Path]:
    """The file of every clip by its id, after making the missing ones.

    Raises TakeWaitsError if a person has to do something for one of them; all others are made
    first. Paid clips come last, several at once if the provider accepts that.
    """
    paths = {clip.clip_id: _path_of(clip, filming, files, makers) for clip in clips}
    finished = [clip for clip in clips if made_files.bring(paths[clip.clip_id])]
    missing = [clip for clip in clips if clip not in finished]
    for clip in missing:
        if clip.is_upload and not made_files.is_kept(clip.upload):
            _refuse_upload(clip, "The uploaded file is gone; upload the clip again.")
    done_count, part_count = len(finished), len(clips) + 1
    take.progress.report(done_count, part_count)
    for clip in finished:
        _note_ready(clip, paths[clip.clip_id], files)
    making = partial(_make, paths=paths, take=take, filming=filming, makers=makers)
    for clip in _make_each([clip for clip in missing if not clip.needs_person], making, makers):
        # Conforming may have refused an upload, so that the clip waits for a person again.
        if not clip.needs_person:
            done_count += 1
            _note_ready(clip, paths[clip.clip_id], files)
            take.progress.report(done_count, part_count)
    if wanted := waiting_words(clips):
        raise TakeWaitsError(wanted)
    return paths


def _make_each(
    missing: list[TakeClip], making: Callable[[TakeClip], None], makers: Makers
) -> Iterator[TakeClip]:
    orders = [clip for clip in missing if clip.is_order]
    for clip in missing:
        if clip not in orders:
            making(clip)
            yield clip
    at_once = makers.provider.at_once if makers.provider else 1
    for clip, _ in each_done(orders, making, at_once=at_once):
        yield clip


def _path_of(clip: TakeClip, filming: Filming, files: TakeFiles, makers: Makers) -> Path:
    # An object in a storage has an etag; the time of its local copy says nothing.
    version = filming.video.etag or filming.recording.path.stat().st_mtime_ns
    made_from: list[object] = [clip.key, clip.maker, version]
    folder = files.clips
    if clip.is_upload:
        made_from.append(clip.upload)
    elif clip.maker == BRIDGE:
        made_from.append(makers.placeholders.name)
        folder = files.work
    else:
        made_from += [clip.prompt_text, clip.sample]
    digest = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()
    return folder / f"clip-{digest[:KEY_CHARACTERS]}.mp4"


def _refuse_upload(clip: TakeClip, reason: str) -> None:
    # Only the upload that was refused: somebody may have replaced it meanwhile.
    same = TakeClip.objects.filter(pk=clip.pk, upload=clip.upload)
    clip.state, clip.reason, clip.upload, clip.file = ClipState.UPLOAD, reason, "", ""
    same.update(state=clip.state, reason=reason, upload="", file="")


def _note_ready(clip: TakeClip, path: Path, files: TakeFiles) -> None:
    file = made_files.name_of(path) if path.parent == files.clips else ""
    if (clip.state, clip.file, clip.reason) == (ClipState.READY, file, ""):
        return
    if file:
        made_files.keep(path, stays=True)
    clip.state, clip.file, clip.reason = ClipState.READY, file, ""
    TakeClip.objects.filter(pk=clip.pk, upload=clip.upload).update(
        state=clip.state, file=file, reason=""
    )


def _make(
    clip: TakeClip, *, paths: dict[str, Path], take: TakeWork, filming: Filming, makers: Makers
) -> None:
    """Make a clip; if an order fails, the reason is stored with the clip and fails the take."""
    path = paths[clip.clip_id]
    path.parent.mkdir(parents=True, exist_ok=True)
    if clip.is_upload:
        _conform(clip, path, take, filming)
        return

    request = ClipRequest(
        prompt=clip.prompt_text,
        caption=clip.text,
        duration_s=filming.pieces[clip.clip_id].duration_s,
        recording=filming.recording,
        anchors=anchors_of(clip.clip_id, filming.edits, filming.recording),
        style_lock=style_lock(take.run_take.take.scenario),
        sample=clip.sample,
    )
    if clip.maker == BRIDGE:
        makers.placeholders.make_clip(request, path)
        return
    provider = makers.provider
    assert provider is not None  # noqa: S101 - clips are planned for the maker of the options
    try:
        with provider_failures(provider.endpoint):
            provider.make_clip(request, path)
    except RunStoppedError:
        raise
    except TakeFailedError as error:
        clip.state, clip.reason = ClipState.FAILED, str(error)
        TakeClip.objects.filter(pk=clip.pk).update(state=clip.state, reason=clip.reason)
        raise


def _conform(clip: TakeClip, path: Path, take: TakeWork, filming: Filming) -> None:
    piece = filming.pieces[clip.clip_id]
    try:
        with made_files.local(clip.upload) as upload:
            accept_upload(
                upload,
                filming.recording,
                path,
                shortest_s=shortest_s(piece.duration_s),
                longest_s=piece.duration_s,
                timed_check=TimedCheck(take.progress.keep_claim),
            )
    except (VideoError, VerificationError) as error:
        made_files.forget(clip.upload)
        _refuse_upload(clip, f"The uploaded clip could not be used: {error}.")
