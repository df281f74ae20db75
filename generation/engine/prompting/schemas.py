"""The JSON schemas of answers, as strict structured output accepts them."""

from typing import Any

from annotation.engine.taxonomy import Mod
from generation.engine.planner.error_kind import error_kinds
from generation.engine.rewriting.freeform.freeform import FreeformMod

CORRECTION = "correction"
_TEXT = {"type": "string"}
_INDEX = {"type": "integer"}
_INDEX_OR_NULL = {"type": ["integer", "null"]}
_TEXT_OR_NULL = {"type": ["string", "null"]}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def rewrite_schema() -> dict[str, Any]:
    """The schema of a rewrite, with every registered error type."""
    types = [error_type.name for error_type in error_kinds()]
    # The published form marks a missing index with ""; strict mode cannot express that, so it is
    # null.
    return _object(
        final_steps=_list(_TEXT),
        meta=_list(
            _object(
                old=_INDEX_OR_NULL,
                new=_INDEX_OR_NULL,
                mod={"type": "string", "enum": [str(mod) for mod in Mod]},
                etype={"type": ["string", "null"], "enum": [*types, CORRECTION, None]},
                eid=_TEXT_OR_NULL,
                cid=_TEXT_OR_NULL,
            )
        ),
    )


FREEFORM_SCHEMA = _object(
    **{
        "final_steps": _list(_TEXT),
        "meta": _list(
            _object(
                source=_INDEX,
                mod={"type": "string", "enum": [str(mod) for mod in FreeformMod]},
                error_id=_TEXT_OR_NULL,
                correction_id=_TEXT_OR_NULL,
            )
        ),
        "del": _list(_object(source=_INDEX, error_id=_TEXT)),
    }
)

SEMREP_SCHEMA = _object(items=_list(_object(id=_TEXT, text=_TEXT, representation=_TEXT)))

CLIP_SCHEMA = _object(action=_TEXT, objects=_list(_TEXT))
