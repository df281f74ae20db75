"""Segments of a foreign file made to fit a scheme and a procedure, or why they do not."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from segments.engine.given import new_key
from segments.engine.model import Segment, fault_of
from segments.engine.scheme import UNDEFINED_STEP, LabelSource, Scheme, Track


@dataclass(frozen=True, slots=True)
class Misfit:
    """What of a segment does not fit; `field` is "" for the whole segment."""

    key: str
    field: str
    value: str
    expected: str


def fitted(
    segments: Iterable[Segment],
    *,
    scheme: Scheme,
    steps: Mapping[str, str],
    named: Mapping[str, str],
) -> tuple[tuple[Segment, ...], tuple[Misfit, ...]]:
    """The segments with the scheme's tracks, the procedure's steps and new keys; all misfits.

    `steps` are the texts of the procedure's steps by id, `named` those that the file tells. What
    names no step of the procedure by id is looked up by its words: other tools know no ids, and a
    scheme of one track takes whatever a tool calls it. Where a file has an id that the procedure
    lacks it may count otherwise, so words that are another step's go before the id. Keys of a file
    would tell who made it.
    """
    held = [segment for segment in segments if not segment.is_deleted]
    keys = {segment.key: new_key() for segment in held}
    counts_otherwise = not named.keys() <= steps.keys()
    by_words = {_plain(text): step_id for step_id, text in reversed(list(steps.items()))}
    found, misfits = [], []
    for segment in held:
        track = _track(segment, scheme)
        if track is None:
            expected = f"one of {', '.join(item.name for item in scheme.tracks)}"
            misfits.append(Misfit(segment.key, "track", segment.track, expected))
            continue
        made = replace(
            segment,
            key=keys[segment.key],
            track=track.name,
            parent_key=keys.get(segment.parent_key, ""),
        )
        if track.source is LabelSource.STEPS:
            words = named.get(segment.step_id, "")
            is_meant = _plain(steps.get(segment.step_id, "")) == _plain(words)
            is_another = counts_otherwise and not is_meant and _plain(words) in by_words
            if is_another or segment.step_id not in steps:
                made = _with_step(made, track, steps=steps, by_words=by_words, words=words)
        found.append(made)
        misfits += _misfits(segment, made, track, steps)
    return tuple(found), tuple(misfits)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _track(segment: Segment, scheme: Scheme) -> Track | None:
    if len(scheme.tracks) == 1:
        return scheme.tracks[0]
    return next((item for item in scheme.tracks if item.name == segment.track), None)


def _with_step(
    segment: Segment,
    track: Track,
    *,
    steps: Mapping[str, str],
    by_words: Mapping[str, str],
    words: str,
) -> Segment:
    """With the step that its id or, where the procedure has no such id, its words name."""
    if track.is_undefined(segment.step_id):
        return segment
    for name, value in (("step_id", words), ("label", segment.label), ("text", segment.text)):
        step_id = value if value in steps else by_words.get(_plain(value)) if value else None
        if step_id is not None:
            # What named the step is no label and no description of its own.
            found = replace(segment, step_id=step_id)
            if name == "label":
                return replace(found, label="")
            return replace(found, text="") if name == "text" else found
    return segment


def _misfits(
    given: Segment, made: Segment, track: Track, steps: Mapping[str, str]
) -> Iterator[Misfit]:
    # People could not change what their own gestures cannot make.
    if found := fault_of(made):
        name, expected = found
        yield Misfit(given.key, name, str(getattr(made, name)), expected)
    is_step = made.step_id in steps or track.is_undefined(made.step_id)
    if track.source is LabelSource.STEPS and not is_step:
        told = given.step_id or given.label or given.text
        expected = "a step of the procedure, by its id or its words"
        if track.has_undefined:
            expected += f", or {UNDEFINED_STEP} for none of them"
        yield Misfit(given.key, "step_id", told, expected)
    if made.label and track.label(made.label) is None:
        known = ", ".join(label.name for label in track.labels)
        yield Misfit(given.key, "label", made.label, f"one of {known}" if known else "no label")
    if track.source is LabelSource.LABELS and not made.label:
        yield Misfit(given.key, "label", "", "a label")
    if track.belongs_to and not made.parent_key:
        yield Misfit(given.key, "parent_key", given.parent_key, f"a segment of {track.belongs_to}")
    if track.is_points and made.start_s != made.end_s:
        yield Misfit(given.key, "end_s", f"{given.end_s}", "the start: a point has no length")
