"""Fingerprints of takes and traces: equal exactly when an import would write the same rows."""

import hashlib
import json

from annotation.engine.procedure import Take, Trace


def _digest(content: object) -> str:
    encoded = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(encoded.encode()).hexdigest()


VERSION_CHARACTERS = 16


def content_version(*, trace_hash: str, take_hash: str, take_id: int) -> str:
    """What names the content that a rater sees: equal exactly while it stays the same.

    The reference is part of it: a person may choose another one without a change of the trace.
    Nothing can be read from it, so that a rater may have it.
    """
    return _digest([trace_hash, take_hash, take_id])[:VERSION_CHARACTERS]


def hash_take(take: Take) -> str:
    """The SHA-256 (hexadecimal) of everything that a take stores."""
    steps = [
        (
            step.text,
            step.step_id,
            step.start_s,
            step.end_s,
            step.is_essential,
            step.semrep,
            step.taxonomy_path,
        )
        for step in take.steps
    ]
    head = (take.uid, take.name, take.scenario, take.video_stem, take.order_deviations)
    return _digest([head, steps])


def hash_trace(trace: Trace, take_hash: str) -> str:
    """The SHA-256 (hexadecimal) of a trace and of the reference that it is read against.

    The reference counts, because its ratings were made against it: a changed reference is a
    changed trace.
    """
    steps = [
        (
            row.mod,
            row.text,
            row.reference_index,
            row.event_id,
            row.step_id,
            row.start_s,
            row.end_s,
            [(label.name, label.note, label.is_derived) for label in row.labels],
        )
        for row in trace.steps
    ]
    events = [
        (event.event_id, event.kind, event.proposed_type, event.target_event_id)
        for event in trace.events
    ]
    head = (trace.uid, trace.name, trace.take_uid, trace.video_stem, trace.reference_reason)
    provenance = sorted(trace.provenance.items())
    return _digest([take_hash, head, provenance, steps, events])
