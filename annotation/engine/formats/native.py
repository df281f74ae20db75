"""PIE-V's own JSON: a `Reading` written down completely, so that it can be read back unchanged.

One object: `format` ("piev-corpus"), `version` (1), and what the dataclasses of `procedure` hold,
field by field. A field that has its default value may be left out, and `to_dict` leaves it out:
a data set of one's own can be written by hand with little more than texts and times.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from annotation.engine.formats.native_checks import check_reading
from annotation.engine.formats.reading import Entry, Faults, fault_of_file, read_json
from annotation.engine.procedure import (
    Event,
    NativeLabel,
    Reading,
    ReadingWarning,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
)
from annotation.engine.taxonomy import EventKind, Mod, event_type, event_types

TITLE = "PIE-V's own JSON"
DESCRIPTION = "A JSON file of takes and traces as PIE-V itself writes them (format piev-corpus)"
IS_VERIFIED = True

FORMAT_NAME = "piev-corpus"
VERSION = 1

Word = TypeVar("Word", bound=StrEnum)


def read(path: Path) -> Reading:
    """Raise `FormatError` with every fault of the file."""
    if path.is_dir():
        sentence = "PIE-V's own format is one JSON file, and these are several files."
        raise fault_of_file(path.name, "a folder", "one JSON file", sentence=sentence)
    return _reading_of(read_json(path))


def from_dict(content: object, *, file: str = "") -> Reading:
    """What `to_dict` was given; `file` is how faults name the source."""
    return _reading_of(Entry(content, "", Faults(file)))


def to_dict(reading: Reading) -> dict[str, object]:
    """The reading as JSON values; `from_dict` gives an equal reading back."""
    written = _written(reading)
    assert isinstance(written, dict)
    return {"format": FORMAT_NAME, "version": VERSION, **written}


def _written(value: object) -> object:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_written(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        written = {}
        for field in fields(value):
            default = field.default  # MISSING, which no value equals, where there is none
            if field.default_factory is not MISSING:
                default = field.default_factory()
            if getattr(value, field.name) != default:
                written[field.name] = _written(getattr(value, field.name))
        return written
    return value


def _reading_of(entry: Entry) -> Reading:
    root = entry.as_object()
    if root.raw("format") != FORMAT_NAME:
        root.fault("format", root.raw("format") if root.has("format") else None, FORMAT_NAME)
    if root.raw("version") != VERSION:
        root.fault("version", root.raw("version") if root.has("version") else None, str(VERSION))
    root.faults.raise_if_any()
    _refuse_unknown(root, Reading, extra={"format", "version"})
    reading = Reading(
        takes=tuple(
            Take(
                uid=item.text("uid"),
                name=item.text("name"),
                scenario=item.text("scenario"),
                steps=tuple(_step_of(step) for step in item.objects("steps")),
                video_stem=item.text("video_stem", is_required=False),
                order_deviations=(
                    item.integer("order_deviations") if item.has("order_deviations") else 0
                ),
            )
            for item in _objects(root, "takes", Take)
        ),
        traces=tuple(_trace_of(item) for item in _objects(root, "traces", Trace)),
        task_graphs=tuple(
            TaskGraph(item.text("scenario"), _pairs_of(item, "nodes"), _pairs_of(item, "edges"))
            for item in _objects(root, "task_graphs", TaskGraph)
        ),
        native_labels=_counts_of(root, "native_labels"),
        derived=_counts_of(root, "derived"),
        warnings=tuple(
            ReadingWarning(item.text("where", is_required=False), item.text("message"))
            for item in _objects(root, "warnings", ReadingWarning)
        ),
    )
    # Values of a wrong kind stand in as blanks: what they belong to is checked once they are right.
    root.faults.raise_if_any()
    check_reading(reading, root.faults)
    root.faults.raise_if_any()
    return reading


def _refuse_unknown(entry: Entry, kind: type, *, extra: Iterable[str] = ()) -> None:
    known = {field.name for field in fields(kind)} | set(extra)
    for name, item in entry.items():
        if name not in known:
            entry.fault(name, item.value, f"one of the fields {', '.join(sorted(known))}")


def _objects(entry: Entry, field: str, kind: type) -> Iterator[Entry]:
    """The objects of a list that may be left out; fields that the kind does not have are faults."""
    for item in entry.objects(field) if entry.has(field) else ():
        _refuse_unknown(item, kind)
        yield item


def _step_of(entry: Entry) -> Step:
    _refuse_unknown(entry, Step)
    start_s, end_s = _times_of(entry)
    path = entry.elements_of("taxonomy_path") if entry.has("taxonomy_path") else []
    return Step(
        text=entry.text("text"),
        step_id=entry.text("step_id", is_required=False),
        start_s=start_s,
        end_s=end_s,
        is_essential=entry.boolean("is_essential") if _is_given(entry, "is_essential") else None,
        semrep=entry.text("semrep", is_required=False),
        taxonomy_path=tuple(part.as_text() for part in path),
    )


def _trace_of(entry: Entry) -> Trace:
    provenance = entry.child("provenance").items() if entry.has("provenance") else ()
    return Trace(
        uid=entry.text("uid"),
        name=entry.text("name"),
        take_uid=entry.text("take_uid"),
        steps=tuple(_trace_step_of(item) for item in entry.objects("steps")),
        events=tuple(_event_of(item) for item in entry.objects("events")),
        video_stem=entry.text("video_stem", is_required=False),
        reference_reason=entry.text("reference_reason", is_required=False),
        provenance={key: item.as_text() for key, item in provenance},
    )


def _trace_step_of(entry: Entry) -> TraceStep:
    _refuse_unknown(entry, TraceStep)
    start_s, end_s = _times_of(entry)
    has_reference = _is_given(entry, "reference_index")
    return TraceStep(
        mod=_word_of(entry, "mod", Mod, Mod.UNCHANGED),
        text=entry.text("text", is_required=False),
        reference_index=entry.integer("reference_index") if has_reference else None,
        event_id=entry.text("event_id") if _is_given(entry, "event_id") else None,
        step_id=entry.text("step_id", is_required=False),
        start_s=start_s,
        end_s=end_s,
        labels=tuple(
            NativeLabel(
                name=item.text("name"),
                note=item.text("note", is_required=False),
                is_derived=item.boolean("is_derived") if item.has("is_derived") else False,
            )
            for item in _objects(entry, "labels", NativeLabel)
        ),
    )


def _event_of(entry: Entry) -> Event:
    _refuse_unknown(entry, Event)
    proposed_type = None
    if _is_given(entry, "proposed_type"):
        label, known = entry.raw("proposed_type"), event_types()
        if isinstance(label, str) and label in known:
            proposed_type = event_type(label)
        else:
            entry.fault("proposed_type", label, f"one of {', '.join(known)}")
    has_target = _is_given(entry, "target_event_id")
    return Event(
        event_id=entry.text("event_id"),
        kind=_word_of(entry, "kind", EventKind, EventKind.MISTAKE),
        proposed_type=proposed_type,
        target_event_id=entry.text("target_event_id") if has_target else None,
    )


def _is_given(entry: Entry, field: str) -> bool:
    return entry.has(field) and entry.raw(field) is not None


def _times_of(entry: Entry) -> tuple[float | None, float | None]:
    if not _is_given(entry, "start_s") and not _is_given(entry, "end_s"):
        return None, None
    return entry.times("start_s", "end_s")


def _word_of(entry: Entry, field: str, words: type[Word], stand_in: Word) -> Word:
    value = entry.raw(field)
    if isinstance(value, str) and value in words._value2member_map_:
        return words(value)
    if entry.has(field):
        entry.fault(field, value, f"one of {', '.join(words)}")
    return stand_in


def _pairs_of(entry: Entry, field: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for item in entry.elements_of(field):
        texts = tuple(part.as_text() for part in item.elements())
        if len(texts) == 2:
            pairs.append((texts[0], texts[1]))
        else:
            item.fault("", item.value, "a list of two texts")
    return tuple(pairs)


def _counts_of(entry: Entry, field: str) -> dict[str, int]:
    if not entry.has(field):
        return {}
    counts = entry.child(field)
    return {key: counts.integer(key) for key, _item in counts.items()}
