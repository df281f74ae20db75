"""Ways to spoil a valid input, for tests that a reader answers with FormatError or a reading."""

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.lengths import check_lengths
from annotation.engine.corpus.procedure import Reading
from annotation.engine.taxonomy import MODS_WITH_EVENT, MODS_WITHOUT_REFERENCE, EventKind, Mod

STRANGE_NUMBERS = (0, -1, 7, 10**400, 1.5, -2.0, math.nan, math.inf)
STRANGE_TEXTS = ("", " ", "x", "E01", "u", "d", "\x00", "\ud800", "9" * 30, "x" * 300)
STRANGE_HOLDERS = ([], [1], [None], [[]], [{}], {}, {"a": 1})
STRANGE_VALUES = (None, True, False, *STRANGE_NUMBERS, *STRANGE_TEXTS, *STRANGE_HOLDERS)


def nodes_of(document: object, path: tuple = ()) -> list[tuple]:
    """Return the paths of all values below the root."""
    if isinstance(document, dict):
        children = list(document.items())
    elif isinstance(document, list):
        children = list(enumerate(document))
    else:
        return []
    paths = [(*path, key) for key, _value in children]
    for key, value in children:
        paths.extend(nodes_of(value, (*path, key)))
    return paths


def _spoil(document: object, path: tuple, action: str, value: object) -> None:
    holder = document
    for key in path[:-1]:
        if not isinstance(holder, dict | list):
            return
        try:
            holder = holder[key]
        except (KeyError, IndexError, TypeError):
            return
    try:
        if action == "replace":
            holder[path[-1]] = copy.deepcopy(value)
        elif action == "delete":
            del holder[path[-1]]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
    except (KeyError, IndexError, TypeError):
        return


@st.composite
def spoiled(draw: st.DrawFn, document: object) -> object:
    """Return a copy of `document` with one to three values replaced, deleted or repeated."""
    made = copy.deepcopy(document)
    paths = nodes_of(document)
    for _ in range(draw(st.integers(1, 3))):
        action = draw(st.sampled_from(["replace", "replace", "delete", "repeat"]))
        _spoil(made, draw(st.sampled_from(paths)), action, draw(st.sampled_from(STRANGE_VALUES)))
    return made


def assert_storable(reading: Reading) -> None:
    """Assert what the database asks of a reading, whatever file it came from."""
    assert all(len(trace.reference_reason) <= 300 for trace in reading.traces)
    sizes = {take.uid: len(take.steps) for take in reading.takes}
    assert len(sizes) == len(reading.takes)
    assert all(step.text for take in reading.takes for step in take.steps)
    assert len({trace.uid for trace in reading.traces}) == len(reading.traces)
    for trace in reading.traces:
        event_ids = {event.event_id for event in trace.events}
        corrections = {e.event_id for e in trace.events if e.kind is EventKind.CORRECTION}
        for event in trace.events:
            if event.target_event_id is not None:
                assert event.event_id in corrections
                assert event.target_event_id in event_ids - corrections
        assert len(event_ids) == len(trace.events)
        for step in trace.steps:
            if step.reference_index is not None:
                assert 0 <= step.reference_index < sizes[trace.take_uid]
            assert step.event_id is None or step.event_id in event_ids
            if step.mod in MODS_WITH_EVENT:
                assert step.event_id is not None
            if step.mod is Mod.UNCHANGED:
                assert step.event_id is None
            if step.mod in MODS_WITHOUT_REFERENCE:
                assert step.reference_index is None
            if step.mod is Mod.DELETION:
                assert step.reference_index is not None
                assert (step.text, step.start_s, step.end_s) == ("", None, None)
            else:
                assert step.text


def assert_reads_or_refuses(
    read: Callable[[Path], Reading], document: object, path: Path, *, at: Path | None = None
) -> None:
    """Write `document` to `path` as JSON and assert a sound reading of `at` or a FormatError."""
    path.write_text(json.dumps(document))
    try:
        reading = check_lengths(read(at or path), path)
    except FormatError:
        return
    assert_storable(reading)
