"""Fingerprints of takes and traces: equal exactly when an import would write the same rows."""

import hashlib
import json
from operator import attrgetter

from annotation.engine.corpus.procedure import Take, Trace

# What counts of each thing, in this order for good: another one would be another fingerprint.
_of_take = attrgetter("uid", "name", "scenario", "video_stem", "order_deviations")
_of_step = attrgetter(
    "text", "step_id", "start_s", "end_s", "is_essential", "semrep", "taxonomy_path"
)
_of_trace = attrgetter("uid", "name", "take_uid", "video_stem", "reference_reason")
_of_row = attrgetter("mod", "text", "reference_index", "event_id", "step_id", "start_s", "end_s")
_of_label = attrgetter("name", "note", "is_derived")
_of_event = attrgetter("event_id", "kind", "proposed_type", "target_event_id")
VERSION_CHARACTERS = 16


def _digest(content: object) -> str:
    encoded = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(encoded.encode()).hexdigest()


def content_version(*, trace_hash: str, take_hash: str, take_id: int) -> str:
    """What names the content that a rater sees: equal exactly while it stays the same.

    The reference is part of it: a person may choose another one without a change of the trace.
    Nothing can be read from it, so that a rater may have it.
    """
    return _digest([trace_hash, take_hash, take_id])[:VERSION_CHARACTERS]


def hash_take(take: Take) -> str:
    """The SHA-256 (hexadecimal) of everything that a take stores."""
    # A take without intervals has the fingerprint that it had before takes could have any.
    intervals = [take.intervals] if take.intervals else []
    return _digest([_of_take(take), list(map(_of_step, take.steps)), *intervals])


def hash_trace(trace: Trace, take_hash: str) -> str:
    """The SHA-256 (hexadecimal) of a trace and of the reference that it is read against.

    The reference counts, because its ratings were made against it: a changed reference is a
    changed trace.
    """
    steps = [(*_of_row(row), list(map(_of_label, row.labels))) for row in trace.steps]
    events = list(map(_of_event, trace.events))
    provenance = sorted(trace.provenance.items())
    return _digest([take_hash, _of_trace(trace), provenance, steps, events])
