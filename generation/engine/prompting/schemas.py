"""The shapes that answers must have, as JSON schemas that strict structured output accepts."""

from typing import Any

from annotation.engine.taxonomy import PUBLISHED_NAME_BY_ERROR_TYPE, Mod
from generation.engine.rewriting.freeform import FreeformMod

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


# The published form marks a missing index with "", for which strict mode has no type: null here.
REWRITE_SCHEMA = _object(
    final_steps=_list(_TEXT),
    meta=_list(
        _object(
            old=_INDEX_OR_NULL,
            new=_INDEX_OR_NULL,
            mod={"type": "string", "enum": [str(mod) for mod in Mod]},
            etype={
                "type": ["string", "null"],
                "enum": [*PUBLISHED_NAME_BY_ERROR_TYPE.values(), CORRECTION, None],
            },
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
