"""The steps of recordings that somebody annotated, each with its classes of mistakes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import Mod
from benchmarks.engine.error_classes import classes_of_row
from benchmarks.engine.happenings import watched_recordings
from benchmarks.engine.material import Material, Recording, tags_of


@dataclass(frozen=True, slots=True)
class AskedStep:
    """A row of a recording with its classes; `words` "" where the procedure has none."""

    recording: Recording
    place: int
    words: str
    classes: tuple[str, ...]
    start_s: float | None
    end_s: float | None
    is_contradicted: bool


def is_by_rule(row: Any) -> bool:
    """Whether only a rule says that the step was left out: nobody annotated it."""
    return row.mod is Mod.DELETION and bool(row.labels) and not tags_of(row)


def asked_steps(material: Material) -> Iterator[AskedStep]:
    """Every row that somebody annotated, in the order of its recording."""
    for recording in watched_recordings(material):
        assert recording.trace is not None
        events = {event.event_id: event for event in recording.trace.events}
        classes = [
            classes_of_row(material, recording, place, events)
            for place in range(len(recording.rows))
        ]
        clips = [(row.start_s, row.end_s, recording.words_of(row)) for row in recording.rows]
        answers: dict[Any, set[tuple[str, ...]]] = {}
        for clip, own in zip(clips, classes, strict=True):
            answers.setdefault(clip, set()).add(own)
        for place, (start_s, end_s, words) in enumerate(clips):
            if is_by_rule(recording.rows[place]):
                continue
            is_contradicted = start_s is not None and len(answers[start_s, end_s, words]) > 1
            yield AskedStep(
                recording, place, words, classes[place], start_s, end_s, is_contradicted
            )
