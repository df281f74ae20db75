"""Questions as messages, and what a reply answers.

A question is two texts, what to do and what is asked, then an object with the `question_id` and the
JSON schema of the answer, then the pictures, each after its caption. A reply is an object with the
same `question_id` and the fields of the schema, or a plain text. Ids are strings: numbers in
objects arrive as floats.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from a2a.helpers import get_data_parts, get_text_parts, new_data_part, new_raw_part, new_text_part
from a2a.types import Message, Part, Role

from generation.backends.text.model import Image, TextRequest

QUESTION_ID = "question_id"
JPEG = "image/jpeg"


class ReplyError(Exception):
    """A reply that is not the answer to the question; the message says why."""


def question_message(request: TextRequest, question_id: str, context_id: str) -> Message:
    """The message that asks a question; sent again it is the same message."""
    fields: dict[str, Any] = {
        QUESTION_ID: question_id,
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "repeat": request.repeat,
    }
    parts = [new_text_part(request.system), new_text_part(request.prompt), new_data_part(fields)]
    for image in request.images:
        parts += [new_text_part(image.caption), new_raw_part(image.jpeg, JPEG)]
    return Message(role=Role.ROLE_USER, message_id=question_id, context_id=context_id, parts=parts)


def read_question(message: Message) -> tuple[str, TextRequest]:
    """The id of a question and what to ask a model; raises ValueError for another message."""
    fields = next(
        (data for data in objects_in(message.parts) if isinstance(data.get(QUESTION_ID), str)), None
    )
    texts = get_text_parts(message.parts)
    if fields is None or len(texts) < 2:
        raise ValueError(f"expected two texts and an object with a {QUESTION_ID}")
    pictures = [part.raw for part in message.parts if part.HasField("raw")]
    captions = [*texts[2:], *[""] * len(pictures)]
    return fields[QUESTION_ID], TextRequest(
        system=texts[0],
        prompt=texts[1],
        prompt_version="agent.v1",
        schema=fields.get("schema"),
        images=tuple(map(Image, pictures, captions)),
        temperature=0.0,
        max_tokens=int(fields.get("max_tokens") or 400),
        repeat=int(fields.get("repeat") or 0),
    )


def answer_parts(question_id: str, text: str) -> list[Part]:
    """The parts of a reply: an object where the text is one, else the text as it is."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if isinstance(fields, dict):
        return [new_data_part({**fields, QUESTION_ID: question_id})]
    return [new_text_part(text)]


def text_of_reply(parts: Sequence[Part], question_id: str) -> str:
    """The answer in a reply as text, "" for none; raises ReplyError."""
    answers = []
    for fields in _answers_in(parts):
        other = fields.get(QUESTION_ID, question_id)
        if other != question_id:
            raise ReplyError("it answers another question: its question_id is not the one sent")
        rest = {name: value for name, value in fields.items() if name != QUESTION_ID}
        if rest not in answers:
            answers.append(rest)
    if len(answers) > 1:
        raise ReplyError(f"it answers {len(answers)} times, and differently; expected one answer")
    if answers:
        return json.dumps(answers[0], ensure_ascii=False)
    return "\n".join(get_text_parts(parts))


def _answers_in(parts: Sequence[Part]) -> Iterator[Mapping[str, Any]]:
    """The objects of a reply, also those that a text consists of, if they name a question."""
    yield from json_objects_of(parts, [it for it in get_text_parts(parts) if QUESTION_ID in it])


def json_objects_of(parts: Sequence[Part], texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The objects among the parts, and those that one of the texts consists of."""
    yield from objects_in(parts)
    for text in texts:
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(fields, dict):
            yield fields


def words_of(parts: Sequence[Part]) -> str:
    """All of a reply in words, to keep."""
    objects = [json.dumps(data, ensure_ascii=False) for data in get_data_parts(parts)]
    return "\n".join([*objects, *get_text_parts(parts)])


def objects_in(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """The objects among the parts, whole numbers as such."""
    for data in get_data_parts(parts):
        if isinstance(data, dict):
            yield _narrowed(data)


def _narrowed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _narrowed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_narrowed(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
