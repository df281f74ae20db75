"""The new annotation in the Ego-Exo4D form, with the labels that the published files lack.

The published annotations of edited takes have the shape of the split file and no field that says
which segment is a mistake. Here every segment also says what it is (`label`, `mod`), which event it
belongs to, and what it came from; steps that are not in the recording are listed beside it.
"""

from typing import Any

from annotation.engine.procedure import Step, Take
from generation.engine.splicing.edit_list import EditList, StepTime

# Milliseconds: far below a frame, and readable.
DECIMALS = 3


def ego_exo4d_document(edits: EditList, take: Take) -> dict[str, Any]:
    """The JSON document of one edited take; `take` is the one that was edited."""
    segments, missing = [], []
    for step in edits.steps:
        source = None if step.reference_index is None else take.steps[step.reference_index]
        if step.start_s is None or step.end_s is None:
            text = step.text or (source.text if source else "")
            missing.append({**_identity(source), "step_description": text, **_labels(step)})
            continue
        segments.append(
            {
                "start_time": round(step.start_s, DECIMALS),
                "end_time": round(step.end_s, DECIMALS),
                **_identity(source),
                "step_description": step.text,
                **_labels(step),
                "is_generated": step.is_generated,
            }
        )
    return {
        "annotations": [
            {
                "take_uid": edits.trace_uid,
                "source_take_uid": take.uid,
                "take_name": take.name,
                "scenario": take.scenario,
                "annotation_meta": {},
                "duration": round(edits.duration_s, DECIMALS),
                "segments": segments,
                "missing_steps": missing,
            }
        ]
    }


def _identity(source: Step | None) -> dict[str, Any]:
    if source is None:
        return {"step_id": None, "step_name": "", "is_essential": None}
    step_id = int(source.step_id) if source.step_id.isdecimal() else source.step_id
    name = source.taxonomy_path[-1] if source.taxonomy_path else ""
    return {"step_id": step_id, "step_name": name, "is_essential": source.is_essential}


def _labels(step: StepTime) -> dict[str, Any]:
    return {
        "label": str(step.label),
        "mod": str(step.mod),
        "mistake_type": step.mistake_type or None,
        "event_id": step.event_id,
        "source_step_index": step.reference_index,
        "source_ranges": [
            [round(part.start_s, DECIMALS), round(part.end_s, DECIMALS)] for part in step.sources
        ],
    }
