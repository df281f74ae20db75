"""Segments that come back from another tool, with remarks that PIE-V wrote beside them.

What a file shows counts, because people see and change it there; a remark adds what the format
cannot show.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from annotation.engine.exceptions import shown_value
from segments.engine.model import Segment
from segments.engine.scheme import LabelSource, UnknownSchemeError, scheme
from segments.formats.exchange import SegmentedRecording

TRACK = "steps"
# The caption of a segment without words, where a format needs one.
EMPTY_CAPTION = "-"


@dataclass(frozen=True, slots=True)
class Row:
    """A segment as a file shows it.

    `shown` are its words by the name of their place, which one format chooses; a place that the
    file lacks is not in it. `key` is for a segment without a `remark`; `track` is "" where the
    format shows none.
    """

    place: str
    key: str
    times: tuple[float, float]
    shown: Mapping[str, str]
    remark: Segment | None = None
    track: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The steps of a recording by id, and labels by the track that they name segments of.

    The track of a label that stands beside a step is "".
    """

    steps: Mapping[str, str]
    labels: Mapping[str, str]
    _ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for step_id, words in self.steps.items():
            for name in (step_id, words, f"{step_id} {words}"):
                self._ids.setdefault(plain(name), step_id)
        self._ids.pop("", None)

    def step(self, words: str) -> str | None:
        """The step with this id, these words, or both."""
        return self._ids.get(plain(words))

    def of_names(self, names: Iterable[str], row: Row) -> dict[str, str]:
        """The step and label that words name.

        Words that name neither are taken for a step, so that the import names them.
        """
        words = [name for name in names if name.strip()]
        before = row.remark
        is_label = row.track in self.labels.values() if row.track else False
        if before is not None:
            is_label = bool(before.label and not before.step_id)
        if is_label:
            return {"label": words[0] if words else ""}
        step = next((name for name in words if self.step(name) is not None), None)
        others = [name for name in words if name is not step]
        if step is None and others and others[0] not in self.labels:
            step = others.pop(0)
        fields = {"label": others[0] if others else ""}
        if step is not None:
            fields["step_id"] = self.step(step) or step
        elif not words:
            fields["step_id"] = ""
        return fields


def meaning_of_columns(
    shown: Mapping[str, str], row: Row, vocabulary: Vocabulary
) -> Mapping[str, str]:
    """The fields of a name (a step, or else a label), a label and a text, as far as shown.

    What another tool added without a name is taken as it stands.
    """
    if row.remark is None and "name" not in row.shown:
        return shown
    fields = {name: shown[name] for name in ("label", "text") if name in shown}
    if "name" in shown and (row.remark or shown["name"].strip()):
        named = vocabulary.of_names([shown["name"]], row)
        if "step_id" in named:
            del named["label"]
        fields |= named
    return fields


def plain(words: str) -> str:
    return " ".join(words.casefold().split())


def step_name(segment: Segment, steps: Mapping[str, str]) -> str:
    """The words of a segment's step with its id, which tells steps of the same words apart."""
    return f"{segment.step_id} {steps.get(segment.step_id, '')}".strip()


def names_of(segment: Segment, steps: Mapping[str, str]) -> list[str]:
    """The words of a segment's step and its label, as far as it has them."""
    words = " ".join(steps.get(segment.step_id, segment.step_id).split())
    return [name for name in (words, segment.label) if name]


def caption_of(segment: Segment, steps: Mapping[str, str]) -> str:
    """The label of a segment and its text, or the text of its step."""
    text = segment.text or steps.get(segment.step_id, segment.step_id)
    return ": ".join(part for part in (segment.label, " ".join(text.split())) if part)


def shown_caption(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    return {"caption": caption_of(segment, steps) or EMPTY_CAPTION}


def meaning_of_caption(
    shown: Mapping[str, str], row: Row, vocabulary: Vocabulary
) -> dict[str, str]:
    """The fields of a caption: "label: text", or the text alone, which may name a step."""
    caption, before = shown.get("caption", "").strip(), row.remark
    label, colon, text = caption.partition(": ")
    if caption in vocabulary.labels or (
        before and caption and not caption_of(replace(before, label=""), vocabulary.steps)
    ):
        label, text = caption, ""
    elif not (colon and (label in vocabulary.labels or (before and before.label))):
        label, text = "", "" if caption == EMPTY_CAPTION else caption
    fields = {"label": label}
    if before and plain(text) == plain(caption_of(replace(before, label=""), vocabulary.steps)):
        return fields
    step_id = None if before and not before.step_id else vocabulary.step(text)
    return fields | ({"text": text} if step_id is None else {"step_id": step_id, "text": ""})


def vocabulary_of(about: SegmentedRecording, remarks: Iterable[Segment]) -> Vocabulary:
    """What words can mean in a file: the procedure, the scheme's labels and those in the file."""
    labels: dict[str, str] = {}
    try:
        tracks = scheme(about.scheme, about.scheme_version or None).tracks
    except UnknownSchemeError:
        tracks = ()
    for track in tracks:
        name = track.name if track.source is LabelSource.LABELS else ""
        labels |= {label.name: name for label in track.labels}
    for item in remarks:
        if item.label:
            labels.setdefault(item.label, "" if item.step_id else item.track)
    return Vocabulary(about.steps, labels)


def returned(
    about: SegmentedRecording,
    rows: Sequence[Row],
    untimed: Iterable[Segment],
    *,
    shown_of: Callable[[Segment, Mapping[str, str]], Mapping[str, str]],
    meaning_of: Callable[[Mapping[str, str], Row, Vocabulary], Mapping[str, Any]],
) -> tuple[SegmentedRecording, tuple[str, ...]]:
    """The recording with the segments of its rows, and a note on each that was changed.

    `shown_of` gives what the format's writer shows of a segment and its steps, `meaning_of` the
    fields that changed words mean. A copied segment gets a key of its own. Of `untimed` segments
    those go whose segment was removed, and marks of missing steps that somebody has added.
    """
    vocabulary = vocabulary_of(about, [row.remark for row in rows if row.remark])
    segments: dict[str, Segment] = {}
    notes: list[str] = []
    steps_named: set[str] = set()
    for row in rows:
        segment, changed = _segment(row, vocabulary, shown_of, meaning_of)
        if changed:
            notes.append(f"{row.place}: changed in another tool: {changed}")
        if row.remark is None or row.remark.step_id != segment.step_id:
            steps_named.add(segment.step_id)
        copies = (f"{row.key}-{number}" for number in count(2))
        keys = chain((segment.key, row.key), copies)
        key = next(item for item in keys if item not in segments)
        segments[key] = replace(segment, key=key)
    held = list(untimed)
    keys_held = segments.keys() | {item.key for item in held}
    for item in held:
        if item.parent_key and item.parent_key not in keys_held:
            notes.append(f"{item.key}: left out, the segment that it belongs to was removed")
        elif item.is_missing and item.step_id in steps_named:
            notes.append(f"{item.key}: left out, step {item.step_id} is not missing any more")
        else:
            segments[item.key] = item
    return replace(about, segments=tuple(segments.values()), scores={}), tuple(notes)


def _segment(
    row: Row,
    vocabulary: Vocabulary,
    shown_of: Callable[[Segment, Mapping[str, str]], Mapping[str, str]],
    meaning_of: Callable[[Mapping[str, str], Row, Vocabulary], Mapping[str, Any]],
) -> tuple[Segment, str]:
    """The segment of a row, and in words what of its remark was changed."""
    before = row.remark
    if before is None:
        fields = dict(meaning_of(row.shown, row, vocabulary))
        track = row.track or vocabulary.labels.get(fields.get("label", ""), "") or TRACK
        return replace(Segment(row.key, track, *row.times), **fields), ""
    written = shown_of(before, vocabulary.steps)
    shown = {
        name: words
        for name, words in row.shown.items()
        if " ".join(words.split()) != " ".join(written[name].split())
    }
    fields = dict(meaning_of(shown, row, vocabulary)) if shown else {}
    if row.track:
        fields["track"] = row.track
    after = replace(before, **fields)
    changes = [
        f"{name} {shown_value(getattr(after, name))} (was {shown_value(getattr(before, name))})"
        for name in fields
        if getattr(after, name) != getattr(before, name)
    ]
    return after, ", ".join(changes)
