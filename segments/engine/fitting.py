"""Fits segments of another tool's file to a scheme and a procedure, or says why they do not fit."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from segments.engine.model import Segment, fault_of
from segments.engine.scheme import UNDEFINED_STEP, LabelSource, Scheme, Track
from segments.engine.starting_segments import new_key


@dataclass(frozen=True, slots=True)
class Misfit:
    """A field of a segment that does not fit; `field` is "" for the whole segment."""

    key: str
    field: str
    value: str
    expected: str


def fitted(
    segments: Iterable[Segment],
    *,
    scheme: Scheme,
    steps: Mapping[str, str],
    file_steps: Mapping[str, str],
) -> tuple[tuple[Segment, ...], tuple[Misfit, ...]]:
    """The segments with the scheme's tracks, the procedure's steps and new keys; all misfits.

    `steps` are the texts of the procedure's steps by id, `file_steps` those of the file. A segment
    whose id is no step of the procedure is looked up by its words, for other tools know no ids; a
    mistake that belongs to nothing goes with the segment that it overlaps most. A scheme of one
    track takes segments of any track. A file with an id that the procedure lacks may number its
    steps differently: then the words of another step count more than the id. Keys are new because
    those of the file could tell who made it.
    """
    present = [segment for segment in segments if not segment.is_deleted]
    keys = {segment.key: new_key() for segment in present}
    counts_otherwise = not file_steps.keys() <= steps.keys()
    by_words = {
        _plain(words): step_id
        for step_id, text in reversed(list(steps.items()))
        for words in (f"{step_id} {text}", text)
    }
    fitting, misfits = [], []
    for segment in present:
        track = _track(segment, scheme)
        if track is None:
            expected = f"one of {', '.join(item.name for item in scheme.tracks)}"
            misfits.append(Misfit(segment.key, "track", segment.track, expected))
            continue
        adapted = replace(
            segment,
            key=keys[segment.key],
            track=track.name,
            parent_key=keys.get(segment.parent_key, ""),
        )
        if track.source is LabelSource.STEPS:
            words = file_steps.get(segment.step_id, segment.step_id)
            is_meant = _plain(steps.get(segment.step_id, "")) == _plain(words)
            is_another = counts_otherwise and not is_meant and _plain(words) in by_words
            if is_another or segment.step_id not in steps:
                adapted = _with_step(adapted, track, steps=steps, by_words=by_words, words=words)
        elif track.source is LabelSource.LABELS and not adapted.label:
            adapted = _with_label(adapted, track)
        if track.belongs_to and not adapted.parent_key:
            adapted = _with_parent(adapted, track, present, keys)
        fitting.append(adapted)
        misfits += _misfits(segment, adapted, track, steps)
    return tuple(fitting), tuple(misfits)


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
    """The segment with the step that its words, label or text name; unchanged if none does."""
    if track.is_undefined(segment.step_id):
        return segment
    for name, value in (("step_id", words), ("label", segment.label), ("text", segment.text)):
        step_id = value if value in steps else by_words.get(_plain(value)) if value else None
        if step_id is not None:
            # The label or text was the name of the step, so it is not kept as a label or text.
            label = "" if name == "label" else segment.label
            text = "" if name == "text" else segment.text
            return replace(segment, step_id=step_id, label=label, text=text)
    return segment


def _with_label(segment: Segment, track: Track) -> Segment:
    """The segment with the label that its name or text is, where other tools put it."""
    for name in ("step_id", "text"):
        if track.label(getattr(segment, name)) is not None:
            return replace(segment, **{"label": getattr(segment, name), name: ""})
    return segment


def _with_parent(
    segment: Segment, track: Track, present: Iterable[Segment], keys: Mapping[str, str]
) -> Segment:
    """The segment, belonging to the one that it overlaps most: other tools know no belonging."""
    if segment.start_s is None:
        return segment
    start_s, end_s = segment.span
    shared_s = {
        keys[item.key]: min(end_s, item.span[1]) - max(start_s, item.span[0])
        for item in present
        if item.track == track.belongs_to and item.start_s is not None
    }
    nearest = max(shared_s, key=lambda key: shared_s[key], default="")
    # A moment in a segment overlaps it by nothing.
    return replace(segment, parent_key=nearest) if shared_s.get(nearest, -1) >= 0 else segment


def _misfits(
    original: Segment, adapted: Segment, track: Track, steps: Mapping[str, str]
) -> Iterator[Misfit]:
    # Otherwise no gesture could ever change such a segment.
    if fault := fault_of(adapted):
        name, expected = fault
        yield Misfit(original.key, name, str(getattr(adapted, name)), expected)
    is_step = adapted.step_id in steps or track.is_undefined(adapted.step_id)
    if track.source is LabelSource.STEPS and not is_step:
        value = original.step_id or original.label or original.text
        expected = "a step of the procedure, by its id or its words"
        if track.has_undefined:
            expected += f", or {UNDEFINED_STEP} for none of them"
        yield Misfit(original.key, "step_id", value, expected)
    if adapted.label and track.label(adapted.label) is None:
        names = ", ".join(label.name for label in track.labels)
        expected = f"one of {names}" if names else "no label"
        yield Misfit(original.key, "label", adapted.label, expected)
    if track.source is LabelSource.LABELS and not adapted.label:
        yield Misfit(original.key, "label", "", "a label")
    if track.belongs_to and not adapted.parent_key:
        expected = f"a segment of {track.belongs_to}"
        yield Misfit(original.key, "parent_key", original.parent_key, expected)
    if track.is_points and adapted.start_s != adapted.end_s:
        yield Misfit(original.key, "end_s", f"{original.end_s}", "the start: a point has no length")
