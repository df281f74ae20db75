"""The events of plans as rows of a CSV file: one per error, correction and ignored error."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.engine.csv_cells import Cell

COLUMNS = (
    "take_uid",
    "take_name",
    "scenario",
    "event_id",
    "kind",
    "type",
    "step_index",
    "step_text",
    "phase",
    "severity",
    "is_essential",
    "target_event_id",
    "latency_steps",
    "parameters",
)
# Fields with their own columns; the others are the parameters of an event.
_ERROR_FIELDS = {
    "event_id", "type", "step_index", "phase", "severity", "is_essential", "taxonomy_block_name",
}  # fmt: skip
_CORRECTION_FIELDS = {
    "correction_id", "correction_type", "detect_at_step_index", "targets_error_id",
    "targets_error_type", "latency_steps",
}  # fmt: skip


def event_rows(take_uid: str, document: Mapping[str, Any]) -> Iterator[list[Cell]]:
    """Yield the rows of one plan, in the published form, under `COLUMNS`."""
    texts = {step["index"]: step["step_description"] for step in document["steps"]}
    phases = {step["index"]: step["phase"] for step in document["steps"]}
    for error in document["errors"]:
        yield _row(take_uid, document, {
            **{name: error[name] for name in ("event_id", "type", "step_index", "phase")},
            "kind": "error",
            "step_text": texts[error["step_index"]],
            "severity": error["severity"],
            "is_essential": str(error["is_essential"]).lower(),
            "parameters": _others(error, _ERROR_FIELDS),
        })  # fmt: skip
    noticed = document.get("noticed_not_acted", ())
    for kind, items in (("correction", document.get("corrections", ())), ("ignored", noticed)):
        for item in items:
            index = item["detect_at_step_index"]
            yield _row(take_uid, document, {
                "event_id": item.get("correction_id", ""),
                "kind": kind,
                "type": item.get("correction_type", ""),
                "step_index": index,
                "step_text": texts[index],
                "phase": phases[index],
                "target_event_id": item["targets_error_id"],
                "latency_steps": item["latency_steps"],
                "parameters": _others(item, _CORRECTION_FIELDS),
            })  # fmt: skip


def _row(take_uid: str, document: Mapping[str, Any], cells: Mapping[str, Any]) -> list[Cell]:
    whole = {
        "take_uid": take_uid,
        "take_name": document["take_name"],
        "scenario": document["scenario"],
        **cells,
    }
    return [whole.get(name) for name in COLUMNS]


def _others(item: Mapping[str, Any], excluded: set[str]) -> str:
    rest = {name: value for name, value in item.items() if name not in excluded}
    return json.dumps(rest, ensure_ascii=False, sort_keys=True)
