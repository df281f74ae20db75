"""The shapes of what runs keep as JSON and the API hands out verbatim, for its schema.

What a document has beside what is said here is said to be possible (`is_open`), where older runs,
models or profiles add to it.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.engine.taxonomy import Mod
from generation.engine.judging.report import AttemptKind, AttemptOutcome
from generation.engine.prompting.clip_prompt import View
from generation.engine.splicing.edit_list import PieceKind, StepLabel

Shape = dict[str, Any]

TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
TRUTH: Shape = {"type": "boolean"}
OPEN: Shape = {"type": "object", "additionalProperties": {}}


def _or_null(shape: Shape) -> Shape:
    return {**shape, "nullable": True}


def _list_of(shape: Shape) -> Shape:
    return {"type": "array", "items": shape}


def _one_of(words: Any) -> Shape:
    return {"type": "string", "enum": [str(word) for word in words]}


def _by_name(shape: Shape) -> Shape:
    return {"type": "object", "additionalProperties": shape}


def _object(*, is_open: bool = False, **properties: Shape) -> Shape:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": {} if is_open else False,
    }


SECONDS = _object(start_s=NUMBER, end_s=NUMBER)
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
    """Every setting of planning: a name, what it is, and parts with their settings."""


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
    """Figures of all takes that the published profile plans by; empty for the others."""


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
        warnings=_list_of(_object(where=TEXT, message=TEXT)),
    )
)
class PlanField(serializers.JSONField):
    """A plan in the published form."""


@extend_schema_field(
    _object(
        is_open=True,
        final_steps=_list_of(TEXT),
        meta=_list_of({"anyOf": [REWRITE_ROW, _list_of({})]}),
        changed_new_indices=_list_of(WHOLE),
    )
)
class RewriteField(serializers.JSONField):
    """A text in the published form; that of the freeform baseline has rows that are lists."""


@extend_schema_field(
    _list_of(
        _object(
            number=WHOLE,
            kind=_one_of(AttemptKind),
            name=TEXT,
            outcome=_one_of(AttemptOutcome),
            hard_before=WHOLE,
            soft_before=WHOLE,
            hard_after=_or_null(WHOLE),
            soft_after=_or_null(WHOLE),
            detail=TEXT,
        )
    )
)
class AttemptsField(serializers.JSONField):
    """What the judge tried in order to repair a text, in order."""


@extend_schema_field(
    _object(
        path=TEXT,
        reasons=_list_of(TEXT),
        frame_count=WHOLE,
        copied_count=WHOLE,
        encoded_count=WHOLE,
        duration_s=NUMBER,
        edits=_list_of(
            _object(source_start_s=NUMBER, source_end_s=NUMBER, start_s=NUMBER, end_s=NUMBER)
        ),
        seconds=_by_name(NUMBER),
        cpu_seconds=_by_name(NUMBER),
        verification=_object(
            is_passed=TRUTH, checks=_list_of(_object(name=TEXT, is_passed=TRUTH, seen=TEXT))
        ),
    )
)
class SpliceResultField(serializers.JSONField):
    """What the splice did and how it was verified; empty where there is no video."""


@extend_schema_field(
    _object(
        length_s=NUMBER,
        width=WHOLE,
        height=WHOLE,
        frame_rate=NUMBER,
        video_codec=TEXT,
        container=TEXT,
        size_bytes=WHOLE,
        plays_in_browsers=TRUTH,
        notes=_list_of(TEXT),
    )
)
class UploadFactsField(serializers.JSONField):
    """What an upload is and what becomes of it; empty without one."""


@extend_schema_field(_object(width=WHOLE, height=WHOLE, frame_rate=TEXT, has_sound=TRUTH))
class RecordingField(serializers.JSONField):
    """What the clips have to fit; frames per second as a fraction."""


@extend_schema_field(
    _object(
        format=TEXT,
        version=WHOLE,
        take_uid=TEXT,
        trace_uid=TEXT,
        source_duration_s=NUMBER,
        pieces=_list_of(
            _object(
                kind=_one_of(PieceKind),
                start_s=NUMBER,
                end_s=NUMBER,
                row_index=_or_null(WHOLE),
                source=_or_null(SECONDS),
                clip_id=TEXT,
                asked_s=_or_null(NUMBER),
            )
        ),
        steps=_list_of(
            _object(
                row_index=WHOLE,
                mod=_one_of(Mod),
                label=_one_of(StepLabel),
                text=TEXT,
                start_s=_or_null(NUMBER),
                end_s=_or_null(NUMBER),
                reference_index=_or_null(WHOLE),
                event_id=_or_null(TEXT),
                mistake_type=TEXT,
                sources=_list_of(SECONDS),
                is_generated=TRUTH,
            )
        ),
        notes=_list_of(_object(row_index=_or_null(WHOLE), message=TEXT)),
    )
)
class EditListField(serializers.JSONField):
    """The cuts of a video (docs/video_splicing.md)."""


@extend_schema_field(
    _object(
        writer=TEXT,
        judge=TEXT,
        budget_usd=_or_null(NUMBER),
        is_freeform=TRUTH,
        publishes_hard_findings=TRUTH,
        clips=_object(
            maker=TEXT,
            prompts=TEXT,
            view=_one_of(View),
            shows_caption=TRUTH,
            is_marked=TRUTH,
            cross_fade_s=NUMBER,
            reviews_prompts=TRUTH,
        ),
    )
)
class RunOptionsField(serializers.JSONField):
    """Who writes, who helps the judge, what it may cost, how clips are made."""
