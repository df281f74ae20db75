"""Writes the finished segments of a round in any format, without holding all in memory.

People are opaque codes; nobody is named.
"""

import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from django.utils.text import slugify

from annotation.engine.exceptions import NotNowError, shown_value
from annotation.models import Round
from segments.formats.exchange import (
    SegmentedRecording,
    SegmentFile,
    SegmentFormat,
    Settings,
    named_as_read,
)
from segments.models import Segmentation
from segments.selectors.reading import (
    people_of,
    person_code,
    recordings_of,
    scheme_of_round,
    stream_segments,
)
from segments.selectors.sources import FINISHED

# The segmentations in memory at a time.
HELD = 200
NOTES = "notes.txt"
MOST_RATE = 1000.0


class UnknownPersonError(ValueError):
    """The code is of nobody with finished segments in the round."""


class SegmentExportError(NotNowError):
    """The format cannot hold these segments; says why."""


@dataclass(frozen=True, slots=True)
class SegmentExport:
    """The format of a file, its settings, and whose segments it holds.

    `original` is the file that segments were imported from: unchanged ones are written as there.
    `person` is the code of the only person to write; "" for everybody.
    """

    form: SegmentFormat
    settings: Settings = field(default_factory=Settings)
    original: SegmentFile | None = None
    person: str = ""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A written file: its name, and `notes` on what the format could not keep."""

    name: str
    content_type: str
    notes: tuple[str, ...]


CONTENT_TYPES = {
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".zip": "application/zip",
    ".vtt": "text/vtt; charset=utf-8",
    ".eaf": "application/xml",
    ".TextGrid": "text/plain; charset=utf-8",
}


def segmented_recordings(
    round_: Round, *, person: str = "", has_frame_times: bool = False
) -> Iterator[SegmentedRecording]:
    """The finished work of a round, by recording and then by person."""
    scheme = scheme_of_round(round_)
    names = round_.recordings.values_list("take_id", "trace_id", "take__uid", "trace__uid")
    uids = Counter(trace or take for _, _, take, trace in set(names.order_by()))
    codes = {
        pk: person_code(round_.campaign, pk)
        for pk in round_.segmentations.order_by().values_list("person", flat=True).distinct()
    }
    work = round_.segmentations.filter(status__in=FINISHED)
    by_recording = "recording__take__uid", "recording__trace__uid", "recording", "person"
    rows = [
        row
        for row in work.order_by(*by_recording).values_list("pk", "recording", "person", "head")
        if person in ("", codes[row[2]])
    ]
    for start in range(0, len(rows), HELD):
        held = rows[start : start + HELD]
        ids = {row[1] for row in held}
        recordings = recordings_of(round_, ids, has_frame_times=has_frame_times)
        keys = Segmentation.objects.filter(pk__in=[row[0] for row in held])
        segments = dict(stream_segments(keys))
        for pk, recording, person_id, head in held:
            about = recordings[recording]
            yield SegmentedRecording(
                # Two data sets may use one uid for different recordings.
                uid=about.uid if uids[about.uid] == 1 else f"{about.uid} ({about.dataset})",
                segments=tuple(segments.get(pk, ())),
                scenario=about.scenario,
                duration_s=about.duration_s,
                rate=about.rate,
                steps=about.steps,
                annotator=codes[person_id],
                round=round_.public_id,
                scheme=scheme.name,
                scheme_version=scheme.version,
                guideline=round_.guideline.name,
                head=head,
                scores={
                    item.key: about.scores[item.key]
                    for item in segments.get(pk, ())
                    if item.key in about.scores
                },
                frame_times=about.frame_times,
                media=about.media,
            )


def export_segments(round_: Round, export: SegmentExport, out: BinaryIO) -> ExportedFile:
    """Write the finished work of a round into `out`, a seekable file.

    A format of one recording per file gives an archive. Raises `SegmentExportError` where the
    format cannot hold these segments, `UnknownPersonError`, and `MixedSchemesError` as
    `scheme_of_round` does.
    """
    form = export.form
    if export.person and export.person not in (people := people_of(round_)):
        expected = ", ".join(people) or "nobody yet"
        raise UnknownPersonError(
            f"person is {shown_value(export.person)}; expected the code of somebody with finished"
            f" segments in this round: {expected}"
        )
    recordings = segmented_recordings(
        round_, person=export.person, has_frame_times=form.has_frame_times
    )
    recordings = _as_in(export.original, recordings)
    name = f"segments-{slugify(round_.campaign.name)}-round-{round_.number}"
    try:
        if form.is_of_one:
            notes = _write_archive(recordings, export, out)
            return ExportedFile(f"{name}-{form.name}.zip", CONTENT_TYPES[".zip"], notes)
        if form.lines is not None:
            for line in form.lines(recordings, export.settings):
                out.write(line.encode())
            notes = ()
        else:
            held = tuple(recordings)
            if not form.has_annotators:
                _refuse_several(held, form)
            original = export.original.original if export.original else None
            written = form.write(SegmentFile(held, original), export.settings)
            out.write(written.text.encode())
            notes = written.notes
    except ValueError as error:
        raise SegmentExportError(f"{form.title}: {error}.") from error
    return ExportedFile(f"{name}-{form.name}{form.suffix}", CONTENT_TYPES[form.suffix], notes)


def _as_in(
    original: SegmentFile | None, recordings: Iterable[SegmentedRecording]
) -> Iterator[SegmentedRecording]:
    """The recordings with the keys of the file that they were imported from."""
    sources = {item.uid: item for item in original.recordings} if original else {}
    for recording in recordings:
        source = sources.get(recording.uid)
        if source is None:
            yield recording
        else:
            # The numbers of steps in the file refer to its own procedure, so it is written back.
            named = replace(recording, scenario=source.scenario, steps=source.steps)
            yield named_as_read(named, source)


def _refuse_several(recordings: Iterable[SegmentedRecording], form: SegmentFormat) -> None:
    counts = Counter(item.uid for item in recordings)
    several = [uid for uid, count in counts.items() if count > 1]
    if several:
        raise SegmentExportError(
            f"{form.title} holds each recording once, and {', '.join(several[:5])}"
            f"{' and others' * (len(several) > 5)} have several people's segments: choose one"
            " person, or a format that keeps people apart."
        )


def _write_archive(
    recordings: Iterable[SegmentedRecording], export: SegmentExport, out: BinaryIO
) -> tuple[str, ...]:
    """A file for each recording and person, and one with the notes of all."""
    form = export.form
    used: Counter[str] = Counter()
    notes = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for recording in recordings:
            stem = f"{slugify(recording.uid) or 'recording'}-{recording.annotator}"
            used[stem] += 1
            name = f"{stem}-{used[stem]}" if used[stem] > 1 else stem
            written = form.write(SegmentFile((recording,)), export.settings)
            archive.writestr(f"{name}{form.suffix}", written.text.encode())
            notes += [f"{name}{form.suffix}: {note}" for note in written.notes]
        if notes:
            archive.writestr(NOTES, "\n".join(notes) + "\n")
    return tuple(notes)
