"""ELAN documents (EAF 3.0); many annotators work on video in this tool.

Each track is a tier of times with its steps or labels as controlled vocabulary; dependent tiers
hold label, text and the fields that ELAN has no place for. Times are whole milliseconds. ELAN
refuses annotations that overlap in a tier: those go to tiers `steps-2`, `steps-3` and so on.
Source: EAF annotation format 3.0, Max Planck Institute for Psycholinguistics (schema EAFv3.0.xsd).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as ET

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    lanes_of,
    note_of_moved,
    on_frames,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
    whole_ms,
)
from segments.formats.returning import Row, meaning_of_columns, returned, step_name

TITLE = "ELAN"
SUFFIX = ".eaf"
ONE_RECORDING = True
SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
_XSI = "http://www.w3.org/2001/XMLSchema-instance"
RECORDING, UNTIMED = "piev-recording", "piev-untimed"
# The dependent tiers of a tier of times; each of its annotations has one in each of them.
DEPENDENT = ("label", "text", "data")
# EAF requires a date; a fixed one keeps equal segments in equal files.
DATE = "1970-01-01T00:00:00+00:00"
LANGUAGE = "und"
# More digits are no time, and Python refuses to read numbers of thousands of digits.
_MILLISECONDS = re.compile(r"\d{1,12}")
# Of a tier that holds what overlaps on its track.
_LANE = re.compile(r"-\d+$")
# XML 1.0 cannot hold these characters, not even escaped.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(slots=True)
class Document:
    """An EAF while it is built; annotations and time slots are numbered in order."""

    slots: list[int] = field(default_factory=list)
    annotation_count: int = 0
    tiers: list[ET.Element] = field(default_factory=list)
    types: list[ET.Element] = field(default_factory=list)
    vocabularies: list[ET.Element] = field(default_factory=list)
    moved: int = 0

    def annotation_id(self) -> str:
        self.annotation_count += 1
        return f"a{self.annotation_count}"

    def slot(self, time_ms: int) -> str:
        self.slots.append(time_ms)
        return f"ts{len(self.slots)}"

    def text(self, properties: list[tuple[str, str]], media: str) -> str:
        root = ET.Element(
            "ANNOTATION_DOCUMENT",
            {
                "xmlns:xsi": _XSI,
                "xsi:noNamespaceSchemaLocation": SCHEMA,
                "AUTHOR": "PIE-V",
                "DATE": DATE,
                "FORMAT": "3.0",
                "VERSION": "3.0",
            },
        )
        header = ET.SubElement(root, "HEADER", {"MEDIA_FILE": "", "TIME_UNITS": "milliseconds"})
        # ELAN looks for it beside the document where it is not at the address.
        name = quote(media)
        descriptor = {
            "MEDIA_URL": f"file:///{name}",
            "MIME_TYPE": guess_type(media)[0] or "unknown",
            "RELATIVE_MEDIA_URL": f"./{name}",
        }
        ET.SubElement(header, "MEDIA_DESCRIPTOR", descriptor)
        last = "lastUsedAnnotationId", str(self.annotation_count)
        for name, value in (*properties, last):
            ET.SubElement(header, "PROPERTY", {"NAME": name}).text = value
        order = ET.SubElement(root, "TIME_ORDER")
        for number, time_ms in enumerate(self.slots, start=1):
            attributes = {"TIME_SLOT_ID": f"ts{number}", "TIME_VALUE": str(time_ms)}
            ET.SubElement(order, "TIME_SLOT", attributes)
        root.extend(self.tiers)
        root.extend(self.types)
        language = {
            "LANG_DEF": "http://cdb.iso.org/lg/CDB-00130975-001",
            "LANG_ID": LANGUAGE,
            "LANG_LABEL": "undetermined (und)",
        }
        ET.SubElement(root, "LANGUAGE", language)
        association = {
            "DESCRIPTION": "1-1 association with a parent annotation",
            "STEREOTYPE": "Symbolic_Association",
        }
        ET.SubElement(root, "CONSTRAINT", association)
        root.extend(self.vocabularies)
        ET.indent(root)
        body = ET.tostring(root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def write(file: SegmentFile, settings: Settings) -> Written:
    """One document of one recording, with tiers for each of its annotators."""
    document, properties = Document(), []
    lanes_added = 0
    for number, recording in enumerate(file.recordings, start=1):
        prefix = f"{number}." if len(file.recordings) > 1 else ""
        properties.append((f"{prefix}{RECORDING}", packed_recording(recording)))
        timed = [item for item in recording.shown if item.start_s is not None]
        untimed = [item for item in recording.shown if item.start_s is None]
        for place, item in enumerate(untimed):
            properties.append((f"{prefix}{UNTIMED}-{place}", packed(item)))
        for track in dict.fromkeys(item.track for item in timed):
            lanes = lanes_of([item for item in timed if item.track == track], _times_ms)
            lanes_added += len(lanes) - 1
            for place, lane in enumerate(lanes, start=1):
                name = f"{prefix}{track}" + (f"-{place}" if place > 1 else "")
                _add_tiers(document, name, lane, recording)
    notes = note_of_moved(document.moved, "millisecond")
    if lanes_added:
        notes += (f"{lanes_added} more tiers hold segments that overlap",)
    [media, *_] = [item.media or f"{item.uid}.mp4" for item in file.recordings] or [""]
    return Written(document.text(properties, media), notes)


def _times_ms(segment: Segment) -> tuple[int, int]:
    """An annotation has to last, if only for a millisecond."""
    start_ms, end_ms = (whole_ms(time_s) for time_s in segment.span)
    return start_ms, max(end_ms, start_ms + 1)


def _add_tiers(
    document: Document, name: str, lane: list[Segment], recording: SegmentedRecording
) -> None:
    shared = {"PARTICIPANT": recording.annotator} if recording.annotator else {}
    parents = []
    names = [_shown(item, recording.steps)["name"] for item in lane]
    tier = ET.Element("TIER", {"LINGUISTIC_TYPE_REF": name, **shared, "TIER_ID": name})
    for item, value in zip(lane, names, strict=True):
        times = _times_ms(item)
        document.moved += sum(
            ms / 1000 != time_s for ms, time_s in zip(times, item.span, strict=True)
        )
        attributes = {
            "ANNOTATION_ID": document.annotation_id(),
            "TIME_SLOT_REF1": document.slot(times[0]),
            "TIME_SLOT_REF2": document.slot(times[1]),
        }
        parents.append(attributes["ANNOTATION_ID"])
        _annotate(tier, "ALIGNABLE_ANNOTATION", attributes, value)
    document.tiers.append(tier)
    _add_type(document, name, dict.fromkeys(names), constraint="")
    for below in DEPENDENT:
        values = [packed(item) if below == "data" else str(getattr(item, below)) for item in lane]
        child = ET.Element(
            "TIER",
            {"LINGUISTIC_TYPE_REF": f"{name}.{below}", "PARENT_REF": name, **shared,
             "TIER_ID": f"{name}.{below}"},
        )  # fmt: skip
        for parent, value in zip(parents, values, strict=True):
            attributes = {"ANNOTATION_ID": document.annotation_id(), "ANNOTATION_REF": parent}
            _annotate(child, "REF_ANNOTATION", attributes, value)
        document.tiers.append(child)
        words = dict.fromkeys(value for value in values if value) if below == "label" else {}
        _add_type(document, f"{name}.{below}", words, constraint="Symbolic_Association")


def _annotate(tier: ET.Element, kind: str, attributes: dict[str, str], value: str) -> None:
    annotation = ET.SubElement(ET.SubElement(tier, "ANNOTATION"), kind, attributes)
    ET.SubElement(annotation, "ANNOTATION_VALUE").text = _UNWRITABLE.sub(" ", value)


def _add_type(document: Document, name: str, words: dict[str, None], *, constraint: str) -> None:
    attributes = {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": name}
    if constraint:
        attributes["CONSTRAINTS"] = constraint
    if words:
        attributes["CONTROLLED_VOCABULARY_REF"] = name
        vocabulary = ET.Element("CONTROLLED_VOCABULARY", {"CV_ID": name})
        ET.SubElement(vocabulary, "DESCRIPTION", {"LANG_REF": LANGUAGE})
        count = sum(len(item) - 1 for item in document.vocabularies)
        for number, word in enumerate(words, start=count + 1):
            entry = ET.SubElement(vocabulary, "CV_ENTRY_ML", {"CVE_ID": f"cveid{number}"})
            value = {"DESCRIPTION": "", "LANG_REF": LANGUAGE}
            ET.SubElement(entry, "CVE_VALUE", value).text = _UNWRITABLE.sub(" ", word)
        document.vocabularies.append(vocabulary)
    attributes["TIME_ALIGNABLE"] = "false" if constraint else "true"
    document.types.append(ET.Element("LINGUISTIC_TYPE", attributes))


def read(path: Path, settings: Settings) -> SegmentFile:
    """Tiers of other tools become tracks, with the values of their annotations as text.

    Their annotations that refer to others instead of times are left out; the notes count them.
    """
    text = read_text(path)
    # Nested entities could expand a small file without end, and no EAF needs any.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise fault_of_file(path.name, "a DOCTYPE", "an EAF without one")
    try:
        root = ET.fromstring(text)  # noqa: S314 - entities were refused above
    except ET.ParseError as error:
        raise fault_of_file(path.name, str(error), "XML") from error
    if root.tag != "ANNOTATION_DOCUMENT":
        raise fault_of_file(path.name, root.tag, "an ANNOTATION_DOCUMENT")
    faults = Faults(path.name)
    properties = {item.get("NAME", ""): item.text or "" for item in root.iter("PROPERTY")}
    recordings, notes = [], list(_notes_of_lost(root))
    about = [name for name in properties if name.endswith(RECORDING)]
    for name in about or [RECORDING]:
        prefix = name.removesuffix(RECORDING)
        untimed = [
            unpacked(value, key, faults, (None, None))
            for key, value in properties.items()
            if key.startswith(f"{prefix}{UNTIMED}-")
        ]
        rows = list(_rows(root, prefix, faults, is_ours=bool(about)))
        recording = (
            unpacked_recording(properties[name], name, faults)
            if about
            else SegmentedRecording(path.stem, ())
        )
        recording, changes = returned(
            recording, rows, untimed, shown_of=_shown, meaning_of=meaning_of_columns
        )
        recordings.append(on_frames(recording))
        notes += changes
    faults.raise_if_any()
    return SegmentFile(tuple(recordings), notes=tuple(notes))


def _shown(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    name = step_name(segment, steps) if segment.step_id else segment.label
    words = {"name": name, "label": segment.label, "text": segment.text}
    return {place: _UNWRITABLE.sub(" ", value) for place, value in words.items()}


def _notes_of_lost(root: ET.Element) -> Iterator[str]:
    lost = sum(
        len(list(tier.iter("REF_ANNOTATION")))
        for tier in root.iter("TIER")
        if tier.get("TIER_ID") not in {f"{tier.get('PARENT_REF')}.{below}" for below in DEPENDENT}
    )
    if lost:
        yield f"annotations without times of their own left out: {lost}"


def _dependent(root: ET.Element) -> dict[tuple[str, str], dict[str, str]]:
    """The values of our dependent tiers by the annotation they lean on, by parent tier and name."""
    tiers: dict[tuple[str, str], dict[str, str]] = {}
    for tier in root.iter("TIER"):
        parent = tier.get("PARENT_REF") or ""
        below = (tier.get("TIER_ID") or "").removeprefix(f"{parent}.")
        if parent and below in DEPENDENT:
            tiers[parent, below] = {
                item.get("ANNOTATION_REF") or "": item.findtext("ANNOTATION_VALUE") or ""
                for item in tier.iter("REF_ANNOTATION")
            }
    return tiers


def _rows(root: ET.Element, prefix: str, faults: Faults, *, is_ours: bool) -> Iterator[Row]:
    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    dependent = _dependent(root)
    for tier in root.iter("TIER"):
        name = tier.get("TIER_ID") or ""
        if not name.startswith(prefix):
            continue
        below = {place: dependent[name, place] for place in DEPENDENT if (name, place) in dependent}
        track = name.removeprefix(prefix)
        for item in tier.iter("ALIGNABLE_ANNOTATION"):
            key = item.get("ANNOTATION_ID") or ""
            place = f"tier {name}, annotation {key}"
            times = _times(item, slots, place, faults)
            value = item.findtext("ANNOTATION_VALUE") or ""
            if not is_ours:
                yield Row(place, key, times, {"text": value}, track=track)
                continue
            remark = below.get("data", {}).get(key, "")
            ours = (
                unpacked(remark, place, faults, times, point_s=0.001) if is_remark(remark) else None
            )
            shown = {"name": value}
            shown |= {word: below[word].get(key, "") for word in ("label", "text") if word in below}
            yield Row(place, key, times, shown, ours, _LANE.sub("", track))


def _times(
    item: ET.Element, slots: Mapping[str | None, str | None], place: str, faults: Faults
) -> tuple[float, float]:
    times = []
    for reference in ("TIME_SLOT_REF1", "TIME_SLOT_REF2"):
        time_ms = slots.get(item.get(reference))
        if time_ms is None or not _MILLISECONDS.fullmatch(time_ms):
            faults.add(place, reference, time_ms, "a time slot with milliseconds")
            time_ms = "0"
        times.append(int(time_ms) / 1000)
    return times[0], times[1]
