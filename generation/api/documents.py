"""The shapes, for the API's schema, of what runs store as JSON and the API returns unchanged.

A shape allows further properties only where older runs, models or profiles have them.
"""

from dataclasses import is_dataclass
from enum import StrEnum
from typing import Any, get_args, get_origin, get_type_hints

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from generation.backends.video.checking.expected import FileCheck
from generation.backends.video.clips.uploads import UploadedClip
from generation.backends.video.splicing.splice import SpliceResult
from generation.engine.judging.report import AttemptKind, AttemptOutcome
from generation.engine.run_options import RunOptions
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.upload_rules import ClipFrame

Shape = dict[str, Any]

TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
TRUTH: Shape = {"type": "boolean"}
OPEN: Shape = {"type": "object", "additionalProperties": {}}
PLAIN = {str: TEXT, int: WHOLE, float: NUMBER, bool: TRUTH}


def _or_null(shape: Shape) -> Shape:
    return {**shape, "nullable": True}


def _list_of(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def _by_name(shape: Shape) -> Shape:
    return {"type": "object", "additionalProperties": shape}


def _object(**properties: Shape) -> Shape:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _shape_of(kind: Any) -> Shape:
    """The shape of a value stored with `asdict`, from the types of its fields."""
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        return _object(**_fields_of(kind))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [str(word) for word in kind]}
    first, *others = get_args(kind)
    if type(None) in others:
        return _or_null(_shape_of(first))
    if get_origin(kind) is dict:
        return _by_name(_shape_of(others[0]))
    return _list_of(_shape_of(first))


def _fields_of(kind: Any) -> dict[str, Shape]:
    return {name: _shape_of(type_) for name, type_ in get_type_hints(kind).items()}


RANGE = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
PROFILE = {
    "type": "object",
    "properties": {"name": TEXT, "description": TEXT},
    "additionalProperties": OPEN,
}
REWRITE_ROW = _object(
    old={"anyOf": [WHOLE, TEXT]},
    new={"anyOf": [WHOLE, TEXT]},
    mod=TEXT,
    etype=_or_null(TEXT),
    eid=_or_null(TEXT),
    cid=_or_null(TEXT),
    repair_reason=TEXT,
)


@extend_schema_field(PROFILE)
class ProfileField(serializers.JSONField):
    """Every setting of planning: name, description, and the settings of each part."""


@extend_schema_field({"anyOf": [TEXT, PROFILE | {"properties": {"base": TEXT, "name": TEXT}}]})
class ProfileOrNameField(serializers.JSONField):
    """The name of a shipped profile, or settings that change the one that `base` names."""


@extend_schema_field(
    _object(
        complexity_range=RANGE,
        density_range=RANGE,
        duration_range_s=RANGE,
        reuse_by_predicate=_by_name(_list_of(WHOLE)),
    )
)
class RunStatisticsField(serializers.JSONField):
    """Figures over all takes that the published profile needs; empty for other profiles."""


@extend_schema_field(
    _object(
        take_name=TEXT,
        scenario=TEXT,
        procedure_stats=OPEN,
        steps=_list_of(OPEN),
        errors=_list_of(OPEN),
        corrections=_list_of(OPEN),
        noticed_not_acted=_list_of(OPEN),
        simulation_log_lines=_list_of(TEXT),
        simulation_log=TEXT,
        empty_reason=TEXT,
        passed_over=_list_of(OPEN),
        warnings=_list_of(_object(where=TEXT, message=TEXT)),
    )
)
class PlanField(serializers.JSONField):
    """A plan in the published form."""


@extend_schema_field(
    _object(
        final_steps=_list_of(TEXT),
        meta=_list_of({"anyOf": [REWRITE_ROW, _list_of({})]}),
        changed_new_indices=_list_of(WHOLE),
    )
    | {"additionalProperties": {}}
)
class RewriteField(serializers.JSONField):
    """A text in the published form; that of the freeform baseline has rows that are lists."""


@extend_schema_field(
    _list_of(
        _object(
            number=WHOLE,
            kind=_shape_of(AttemptKind),
            name=TEXT,
            outcome=_shape_of(AttemptOutcome),
            hard_before=WHOLE,
            soft_before=WHOLE,
            hard_after=_or_null(WHOLE),
            soft_after=_or_null(WHOLE),
            detail=TEXT,
        )
    )
)
class AttemptsField(serializers.JSONField):
    """The judge's attempts to repair a text, in order."""


@extend_schema_field(
    _object(
        **{
            **_fields_of(SpliceResult),
            "path": TEXT,
            "verification": _object(is_passed=TRUTH, checks=_list_of(_shape_of(FileCheck))),
        }
    )
)
class SpliceResultField(serializers.JSONField):
    """What the splice did and how it was verified; empty if there is no video."""


@extend_schema_field(
    _object(
        **{name: shape for name, shape in _fields_of(UploadedClip).items() if name != "frame"},
        **_fields_of(ClipFrame),
        notes=_list_of(TEXT),
    )
)
class UploadFactsField(serializers.JSONField):
    """What an upload is and how it is adapted; empty without one."""


@extend_schema_field(_object(width=WHOLE, height=WHOLE, frame_rate=TEXT, has_sound=TRUTH))
class RecordingField(serializers.JSONField):
    """What the clips have to match; frames per second as a fraction."""


@extend_schema_field(_object(format=TEXT, version=WHOLE, **_fields_of(EditList)))
class EditListField(serializers.JSONField):
    """The cuts of a video (docs/video_splicing.md)."""


@extend_schema_field(_shape_of(RunOptions))
class RunOptionsField(serializers.JSONField):
    """Who writes, who helps the judge, what the run may cost, how clips are made."""
