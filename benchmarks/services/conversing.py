"""Carry out what a task asks about one item where it asks several: each request paid for once."""

from collections.abc import Mapping
from typing import Any

from annotation.services.videos.local_videos import VideoFileError
from benchmarks.engine.reading import READING_VERSION
from benchmarks.engine.task import AnswerStatus, Conversed, Request, Response, Task
from benchmarks.models import Answer, AnswerStage, Item, ParticipantKind
from benchmarks.selectors.item_sets import engine_item
from benchmarks.services.asking import Asking, Reply, request_of, send, version_of
from benchmarks.services.pictures import Picture, pictures_at, times_of_stretches
from generation.models import TextEndpoint
from generation.services.texts.asker import PromptAsker


def converse_about(
    asking: Asking,
    askers: Mapping[str, "PromptAsker[Any]"],
    item: Item,
    repeat: int,
    state: Mapping[str, Any],
) -> tuple[Answer, list[AnswerStage]]:
    """Ask about an item as the task goes on asking; returns what is to be stored.

    `askers` are by the role, the participant's at "". `state` is that of the item before it.
    Raises StoppedError where the assessment cannot go on.
    """
    assessment = asking.assessment
    answer = Answer(assessment=assessment, item=item, repeat=repeat, state=dict(state))
    shown, settings = engine_item(item, with_truth=False), assessment.item_set.settings
    talk = asking.task.converse(shown, state, settings)
    stages: list[AnswerStage] = []
    try:
        request = next(talk)
        while True:
            reply, saw = carry_out(
                request, askers[request.role], asking.task, assessment.settings, item, repeat
            )
            _note(answer, stages, request, reply, saw)
            request = talk.send(Response(reply.text if reply.is_readable else None, reply.reason))
    except StopIteration as end:
        conversed: Conversed = end.value
    except VideoFileError as error:
        answer.status, answer.reason = AnswerStatus.FAILED, f"no pictures: {error}"
        return answer, stages
    answer.state = dict(conversed.state)
    if conversed.value is not None:
        answer.value, answer.status = dict(conversed.value), AnswerStatus.READ
    elif answer.status is AnswerStatus.READ:
        answer.status = AnswerStatus.MALFORMED
    answer.reason = conversed.reason
    return answer, stages


def carry_out(
    request: Request,
    asker: "PromptAsker[Any]",
    task: Task,
    settings: Mapping[str, Any],
    item: Item,
    repeat: int = 0,
    known: dict[float, Picture] | None = None,
) -> tuple[Reply, dict[str, Any]]:
    """Send one request of a task about an item; returns the reply and what was sent with it.

    `known` are pictures of the recording by their time: those are not decoded again, and those of
    this request are added.
    """
    prompt = request.prompt
    pictures: list[Picture] = []
    if not isinstance(asker.endpoint, TextEndpoint) or asker.endpoint.supports_images:
        times = times_of_stretches(request.stretches, settings.get("pictures", 0))
        pictures = pictures_at(item, times, settings.get("picture_side", 768), known or {})
        if known is not None:
            known.update({picture.time_s: picture for picture in pictures})
    temperature = settings.get("temperature")
    sent = request_of(task, prompt, temperature=temperature, repeat=repeat, pictures=pictures)
    saw = {
        "prompt_version": version_of(task, prompt),
        "until_s": item.moment_s,
        "pictures": [{"time_s": picture.time_s, "sha256": picture.sha256} for picture in pictures],
    }
    return send(asker, sent), saw


def _note(
    answer: Answer,
    stages: list[AnswerStage],
    request: Request,
    reply: Reply,
    saw: dict[str, Any],
) -> None:
    """Note what came of a request, before it is read."""
    is_agent = answer.assessment.kind == ParticipantKind.AGENT and not request.role
    call = {"agent_call_id" if is_agent else "call_id": reply.call_id}
    fields = {"status": reply.status, "reason": reply.reason, "saw": saw, **call}
    answer.seconds = (answer.seconds or 0.0) + reply.seconds
    if request.role:
        number = len(stages) + 1
        stages.append(AnswerStage(answer=answer, number=number, role=request.role, **fields))
        return
    answer.raw = reply.text
    for name, value in fields.items():
        setattr(answer, name, value)
    answer.saw = {**saw, "reading_version": READING_VERSION}
