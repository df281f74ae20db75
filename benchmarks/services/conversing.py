"""Carry out what a task asks about one item where it asks several: each request paid for once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Sent:
    """A request as it was sent, what came of it, and what was seen with it."""

    request: Request
    reply: Reply
    saw: Mapping[str, Any]


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
    sent: list[_Sent] = []
    conversed: Conversed | None = None
    fault = ""
    try:
        request = next(talk)
        while True:
            reply, saw = carry_out(
                request, askers[request.role], asking.task, assessment.settings, item, repeat
            )
            sent.append(_Sent(request, reply, saw))
            text = reply.text if reply.is_readable else None
            has_failed = reply.status is AnswerStatus.FAILED
            request = talk.send(Response(text, reply.reason, has_failed=has_failed))
    except StopIteration as end:
        conversed = end.value
    except VideoFileError as error:
        fault = f"no pictures: {error}"
    stages = _note(answer, sent)
    if conversed is None:
        answer.status, answer.reason = AnswerStatus.FAILED, fault
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
    if request.until_s is not None:
        # The pictures are held to the moment of asking, where that is not the item's.
        item = Item(key=item.key, video=item.video, start_s=item.start_s, moment_s=request.until_s)
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


def _note(answer: Answer, sent: Sequence[_Sent]) -> list[AnswerStage]:
    """Note what came of all requests before it is read: the participant's last is the answer's."""
    own = max((place for place, one in enumerate(sent) if not one.request.role), default=-1)
    stages: list[AnswerStage] = []
    for place, one in enumerate(sent):
        role = one.request.role
        is_agent = answer.assessment.kind == ParticipantKind.AGENT and not role
        call = {"agent_call_id" if is_agent else "call_id": one.reply.call_id}
        fields = {"status": one.reply.status, "reason": one.reply.reason, "saw": one.saw, **call}
        answer.seconds = (answer.seconds or 0.0) + one.reply.seconds
        if place != own:
            number = len(stages) + 1
            stages.append(AnswerStage(answer=answer, number=number, role=role, **fields))
            continue
        answer.raw = one.reply.text
        for name, value in fields.items():
            setattr(answer, name, value)
        answer.saw = {**one.saw, "reading_version": READING_VERSION}
    return stages
