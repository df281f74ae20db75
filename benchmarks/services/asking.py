"""Ask a model about one item, or a judge about one answer; every attempt ends in a status.

An item may take several requests, each of them a recorded call: a worker that goes on after another
reads the replies that came from their records.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any

from annotation.services.videos.local_videos import VideoFileError
from benchmarks.engine.reading import READING_VERSION
from benchmarks.engine.task import (
    AnswerStatus,
    Earlier,
    Prompt,
    Reading,
    Task,
    Turn,
    Value,
    Variant,
)
from benchmarks.engine.task import Item as ShownItem
from benchmarks.models import Answer, AnswerStage, Assessment, Item, ParticipantKind
from benchmarks.selectors.item_sets import engine_item
from benchmarks.services.examples import ExamplePool
from benchmarks.services.pictures import Picture, picture_times, pictures_at, times_of_stretches
from generation.backends.exceptions import ModelError, Outcome
from generation.backends.server_text import is_storable
from generation.backends.text.exceptions import (
    ModelRefusedError,
    TruncatedError,
    UnusableAnswerError,
)
from generation.backends.text.model import Image, TextRequest
from generation.services.texts.asker import PromptAsker

# What came is no answer to the question, so it is not read as one.
NO_ANSWER = {Outcome.EMPTY, Outcome.MALFORMED}
# A reply may contain anything, and a task that fails on one must not stop the others.
READER_ERRORS = (
    ValueError, TypeError, KeyError, AttributeError, RecursionError, ArithmeticError,
)  # fmt: skip
# A judge whose grade cannot be read is asked once more.
JUDGE_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one request: its text, or the reason for none, and the recorded call."""

    status: AnswerStatus
    text: str = ""
    reason: str = ""
    call_id: int | None = None
    seconds: float = 0.0

    @property
    def is_readable(self) -> bool:
        """Whether it has a text, also one that breaks the schema, which tasks may accept."""
        has_text = self.status in {AnswerStatus.READ, AnswerStatus.MALFORMED}
        return has_text and bool(self.text.strip())


@dataclass(frozen=True, slots=True)
class Asking:
    """How an assessment asks about each of its items."""

    assessment: Assessment
    task: Task
    variant: Variant
    pool: ExamplePool


def ask_item(
    asking: Asking,
    asker: "PromptAsker[Any]",
    item: Item,
    repeat: int,
    earlier: Sequence[Earlier],
) -> tuple[Answer, list[AnswerStage]]:
    """Ask an assessment's endpoint about an item; returns what is to be stored.

    The endpoint gets what a participant may read, and pictures up to the item's moment. Raises
    StoppedError where the assessment cannot go on.
    """
    assessment, task = asking.assessment, asking.task
    answer = Answer(assessment=assessment, item=item, repeat=repeat)
    try:
        drawn = asking.pool.drawn_for(item, repeat)
    except ValueError as error:
        answer.status, answer.reason = AnswerStatus.FAILED, f"no examples: {error}"
        return answer, []
    try:
        pictures = _pictures(assessment, item)
        pictures_of = {one.item.key: _pictures(assessment, one.row) for one in drawn}
    except VideoFileError as error:
        answer.status, answer.reason = AnswerStatus.FAILED, f"no pictures: {error}"
        return answer, []
    shown = engine_item(item, with_truth=False)
    turn, replies = Turn(asking.variant.name, tuple(one.item for one in drawn)), list[Reply]()
    request = partial(
        request_of,
        task,
        temperature=assessment.settings.get("temperature"),
        repeat=repeat,
        pictures=pictures,
        pictures_of=pictures_of,
    )
    while not replies or _goes_on(asking, shown, turn, replies[-1]):
        prompt = task.prompt(shown, earlier, turn)
        replies.append(send(asker, request(prompt)))
        turn = replace(turn, replies=(*turn.replies, replies[-1].text))
    answer.saw = {
        "prompt_version": version_of(task, prompt),
        "reading_version": READING_VERSION,
        "until_s": item.moment_s,
        "pictures": _noted(pictures),
    }
    if keys := [example.item.key for example in prompt.examples]:
        answer.saw["examples"] = [
            {"key": key, "pictures": _noted(pictures_of[key])} for key in keys
        ]
    call = "agent_call_id" if assessment.kind == ParticipantKind.AGENT else "call_id"
    setattr(answer, call, replies[-1].call_id)
    _read_into(answer, task, shown, replies[-1])
    if answer.status != AnswerStatus.FAILED:
        answer.seconds = sum(reply.seconds for reply in replies)
    stages = [
        AnswerStage(answer=answer, number=number, **{call: reply.call_id})
        for number, reply in enumerate(replies[:-1], start=1)
    ]
    return answer, stages


def _pictures(assessment: Assessment, item: Item) -> list[Picture]:
    """The pictures of an item that the assessment's endpoint gets; raises VideoFileError."""
    settings = assessment.settings
    if settings.get("is_text_only"):
        return []
    count, stretches = settings.get("pictures", 0), engine_item(item, with_truth=False).stretches
    times = times_of_stretches(stretches, count) if stretches else picture_times(item, count)
    return pictures_at(item, times, settings.get("picture_side", 768))


def _noted(pictures: Sequence[Picture]) -> list[dict[str, Any]]:
    return [{"time_s": picture.time_s, "sha256": picture.sha256} for picture in pictures]


def _goes_on(asking: Asking, shown: ShownItem, turn: Turn, reply: Reply) -> bool:
    """Whether another request about the item follows; none where a task fails on the reply."""
    if len(turn.replies) >= asking.variant.request_count or not reply.is_readable:
        return False
    try:
        return asking.task.goes_on(shown, turn)
    except READER_ERRORS:
        return False


def _read_into(answer: Answer, task: Task, shown: ShownItem, reply: Reply) -> None:
    """Read the last reply as the answer."""
    answer.raw, answer.status, answer.reason = reply.text, reply.status, reply.reason
    if reply.is_readable:
        reading = _read(partial(task.read, shown, reply.text))
        answer.value = None if reading.value is None else dict(reading.value)
        is_read = reading.value is not None
        answer.status = AnswerStatus.READ if is_read else AnswerStatus.MALFORMED
        answer.reason = "" if is_read else reading.reason or reply.reason


def ask_judge(
    asker: "PromptAsker[Any]", task: Task, item: ShownItem, value: Value
) -> dict[str, Any]:
    """Ask a judge about an answer; returns its "value", or "status" and "reason" for none.

    Of several texts those that have no grade leave the others theirs; "reason" counts them.
    """
    found: list[dict[str, Any]] = []
    for prompt in task.judge_prompts(item, value):
        found.append(_judgement(asker, task, prompt))
        # The whole is asked again later; what was answered is read from its record then.
        if found[-1]["status"] == AnswerStatus.FAILED:
            return found[-1]
    joined = task.joined_judgement(item, value, [one["value"] for one in found])
    unread = [one for one in found if one["value"] is None]
    judgement = {**(unread or found)[0], "value": None if joined is None else dict(joined)}
    if unread and len(found) > 1:
        first = judgement["reason"]
        judgement["reason"] = f"{len(unread)} of {len(found)} have no grade, the first: {first}"
    return judgement


def _judgement(asker: "PromptAsker[Any]", task: Task, prompt: Prompt) -> dict[str, Any]:
    """The same of one request."""
    judgement: dict[str, Any] = {}
    for repeat in range(JUDGE_ATTEMPTS):
        reply = send(asker, request_of(task, prompt, repeat=repeat))
        judgement = {"status": str(reply.status), "reason": reply.reason, "value": None}
        if reply.status is AnswerStatus.FAILED:
            return judgement
        if reply.is_readable:
            reading = _read(partial(task.read_judgement, reply.text))
            if reading.value is not None:
                return {"status": "read", "reason": "", "value": dict(reading.value)}
            judgement |= {"status": "malformed", "reason": reading.reason}
    return judgement


def needs_judge(judged: Mapping[str, Any], judge: str) -> bool:
    """Whether a judge, by name, has not judged an answer yet, or failed to."""
    return judge not in judged or judged[judge]["status"] == AnswerStatus.FAILED


def _read(read: Callable[[], Reading]) -> Reading:
    """Call a task's reader; an exception in it means that the answer was not read."""
    try:
        reading = read()
    except READER_ERRORS as error:
        return Reading(None, f"the reader failed: {type(error).__name__}: {error}")
    if reading.value is not None and not is_storable(dict(reading.value)):
        return Reading(None, "a NUL or half a character cannot be kept")
    return reading


def request_of(
    task: Task,
    prompt: Prompt,
    *,
    temperature: float | None = 0.0,
    repeat: int = 0,
    pictures: Sequence[Picture] = (),
    pictures_of: Mapping[str, Sequence[Picture]] = MappingProxyType({}),
) -> TextRequest:
    """The request to send; the same prompt, pictures, temperature and repeat make the same one.

    `pictures_of` are those of the examples by the keys of their items.
    """
    examples = [
        f"Example {number}:\n\n{example.text}"
        for number, example in enumerate(prompt.examples, start=1)
    ]
    text = "\n\n".join([*examples, *(["Now the question:"] if examples else []), prompt.text])
    images = [
        image
        for number, example in enumerate(prompt.examples, start=1)
        for image in _images(pictures_of.get(example.item.key, ()), f"Example {number}, picture")
    ]
    if pictures and prompt.picture_note:
        first = "Pictures of the examples, then:\n" if images else ""
        text = f"{text}\n\n{first}{prompt.picture_note}"
    return TextRequest(
        system=prompt.system,
        prompt=text,
        prompt_version=version_of(task, prompt),
        schema=prompt.schema,
        images=(*images, *_images(pictures, "Picture")),
        temperature=temperature,
        max_tokens=prompt.max_tokens,
        repeat=repeat,
    )


def _images(pictures: Sequence[Picture], what: str) -> list[Image]:
    return [
        Image(picture.jpeg, f"{what} {number} of {len(pictures)}, at {picture.time_s:.1f} s")
        for number, picture in enumerate(pictures, start=1)
    ]


def version_of(task: Task, prompt: Prompt) -> str:
    return f"{task.name}.{prompt.version}"[:64]


def send(asker: "PromptAsker[Any]", request: TextRequest) -> Reply:
    """Send a request; the reply says why it has no text. A recorded one is not paid for again."""
    status, reason, call_ids = AnswerStatus.READ, "", list[int]()
    try:
        answer = replace(asker, report_call=call_ids.append).ask(request)
        text = answer.text
    except UnusableAnswerError as error:
        answer, text, reason = error.answer, error.answer.text, str(error)
        status = AnswerStatus.MALFORMED
        if isinstance(error, ModelRefusedError):
            status = AnswerStatus.REFUSED
        elif isinstance(error, TruncatedError):
            status = AnswerStatus.CUT_OFF
        elif error.outcome in NO_ANSWER:
            text = ""
    except ModelError as error:
        return Reply(AnswerStatus.FAILED, reason=f"{error.outcome.label}: {error}")
    return Reply(status, text, reason, call_ids[-1], answer.seconds)
