"""What models were asked, word for word, with how their answers were read."""

import json
from collections.abc import Iterator
from typing import Any

from django.http import Http404

from annotation.models import User
from benchmarks.models import AgentCall, Answer, AnswerStage, Assessment
from benchmarks.selectors.assessments import get_assessment_for_user, with_requests
from benchmarks.selectors.readers import reader_of
from generation.models import TextCall

ROWS_AT_ONCE = 500


def get_asked_for_user(user: User, public_id: str) -> Assessment:
    """An assessment of which the user may read what it was asked; raises Http404."""
    assessment = get_assessment_for_user(user, public_id)
    if not reader_of(user, assessment.item_set).may_see_asked(assessment):
        raise Http404
    return assessment


def sent_pictures(answer: Answer) -> list[dict[str, Any]]:
    """The pictures of a request in their order; those of an example have its key as `example`."""
    return [
        {**picture, "example": example["key"]}
        for example in answer.saw.get("examples", ())
        for picture in example["pictures"]
    ] + list(answer.saw.get("pictures") or [])


def asked_of(answer: Answer) -> dict[str, Any]:
    """The request behind an answer as it was sent, the answer as it came, and its reading.

    `system` and what follows are None where no model was asked or no reply came. Pictures are those
    that were sent, with the hash of their JPEG. `stages` are the requests before this one, each
    with its reply, and with the same pictures, or in a conversation with its own, and with who was
    asked as its `role`. Read answers `with_requests`.
    """
    call = answer.call or answer.agent_call
    calls = [stage.call or stage.agent_call for stage in answer.stages.all()]
    captions = [] if call is None else [picture.get("caption", "") for picture in call.images]
    return {
        "key": answer.item.key,
        "repeat": answer.repeat,
        "prompt_version": answer.saw.get("prompt_version"),
        "stages": [
            {**_stage_of(stage), **_request_of(one), "raw": one.text if one else None}
            for stage, one in zip(answer.stages.all(), calls, strict=True)
        ],
        **_request_of(call),
        "pictures": [
            {**picture, "caption": captions[place] if place < len(captions) else ""}
            for place, picture in enumerate(sent_pictures(answer))
        ],
        "examples": [example["key"] for example in answer.saw.get("examples", ())],
        "model": call.model_name if call else None,
        "answered_by": call.answered_by if call else None,
        "finish_reason": call.finish_reason if call else None,
        "raw": answer.raw,
        "status": answer.status,
        "value": answer.value,
        "reason": answer.reason,
        # Answers from before the rule of reading had a version were read by the first.
        "reading_version": answer.saw.get("reading_version", 1) if call else None,
        "answered_at": answer.answered_at.isoformat(),
    }


def _stage_of(stage: AnswerStage) -> dict[str, Any]:
    """Who was asked in a conversation, "" for the participant, and what was seen; else {}."""
    if not stage.status:
        return {}
    return {"role": stage.role, "status": stage.status, "reason": stage.reason, **stage.saw}


def _request_of(call: TextCall | AgentCall | None) -> dict[str, Any]:
    names = ("system", "prompt", "schema")
    return {name: getattr(call, name) if call else None for name in names}


def asked_lines(assessment: Assessment) -> Iterator[str]:
    """A JSON line for every answer, in the order of the items."""
    rows = with_requests(assessment.answers.select_related("item"))
    rows = rows.order_by("item__position", "repeat")
    for answer in rows.iterator(chunk_size=ROWS_AT_ONCE):
        yield json.dumps(asked_of(answer), ensure_ascii=False) + "\n"
