"""Procedures and plans to write out, built in a few lines."""

import json

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.files.plan_json import plan_from_dict

STATISTICS = {
    "n_steps": 0, "total_duration_s": 0.0, "total_complexity": 0.0, "density_steps_per_min": 0.0,
    "risk_score": 0.0, "expected_errors_lambda": 0.0, "k_errors": 0,
    "hard_caps": {"max_errors": 5, "max_consecutive_errors": 3},
}  # fmt: skip
EXTRA_OF_SPEC = {
    ErrorType.WRONG_EXECUTION: {"predicate": "", "mutated_roles": [], "mutation_scopes": {}},
    ErrorType.SUBSTITUTION: {
        "original_predicate": "", "original_object": None, "substitution_strategies": [],
        "preference": {"prefer_same_taxonomy_block": True},
    },
}  # fmt: skip


def plan_of(steps, errors=(), corrections=(), scenario="Cooking"):
    """Return a plan over (text, representation) pairs or texts; see `error` and `correction`."""
    return plan_from_dict(
        "take-1",
        {
            "take_name": "take_1",
            "scenario": scenario,
            "procedure_stats": STATISTICS,
            "steps": [_step(index, step) for index, step in enumerate(steps)],
            "errors": list(errors),
            "corrections": list(corrections),
        },
    )


def _step(index, step):
    text, semrep = (step, "") if isinstance(step, str) else step
    return {
        "index": index, "start_time": float(index), "end_time": index + 1.0, "duration_s": 1.0,
        "step_description": text, "step_description_id": None, "step_unique_id": None,
        "is_essential": True, "semantic_representation": semrep, "predicate": "",
        "role_to_value": {}, "object_value": None, "taxonomy_block_id": 1,
        "taxonomy_block_name": "Block", "taxonomy_path": ["Root", "Block"], "complexity": 1.0,
        "norm_complexity": 0.0, "norm_duration": 0.0, "step_load": 0.0, "phase": "phase_1",
    }  # fmt: skip


def error(event_id, error_type, index, **spec):
    """Return an error event in the published form."""
    filled = {"notes": "", **EXTRA_OF_SPEC.get(error_type, {}), **spec}
    if error_type is ErrorType.INSERTION:
        filled = {"insert_before_step_index": index, "candidate_policy": "", **filled}
    return {
        "event_id": event_id, "step_index": index,
        "type": error_type.name, "phase": "phase_1",
        "taxonomy_block_name": "Block", "is_essential": True, "severity": "medium", "spec": filled,
    }  # fmt: skip


def wrong(event_id, index, **scopes):
    """Return a wrong execution of the given roles: `Object="entity"`."""
    return error(
        event_id, ErrorType.WRONG_EXECUTION, index,
        mutated_roles=list(scopes), mutation_scopes=scopes,
    )  # fmt: skip


def swap(event_id, source, target):
    """Return a transposition of two steps."""
    return error(
        event_id, ErrorType.TRANSPOSITION, source,
        transposition_source=source, transposition_target=target,
    )  # fmt: skip


def correction(event_id, error_type, correction_type, detect_index, **fields):
    """Return a correction in the published form; its id is the event's with a c before it."""
    return {
        "correction_id": f"c-{event_id}", "targets_error_id": event_id,
        "targets_error_type": error_type.name,
        "detect_at_step_index": detect_index, "latency_steps": fields.pop("latency_steps", 0),
        "correction_type": correction_type, **fields,
    }  # fmt: skip


def published_plans(shared_data):
    """Return the 50 published plans with corrections."""
    path = shared_data / "piev" / "split_50_error_plan_with_corrections.json"
    takes = json.loads(path.read_text())["takes"]
    return [plan_from_dict(uid, take) for uid, take in takes.items()]
