"""Let a text model write a plan out, repair a rewrite, or write freely.

Each function takes `ask`, which sends one request and returns its answer; with
a `TextAsker` every call is recorded and none is paid for twice.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from generation.backends.exceptions import ModelError
from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.model import AskModel, Image, TextRequest
from generation.engine.judging.model import (
    NoAnswerError,
    RepairAnswer,
    Repairer,
    RepairRequest,
)
from generation.engine.planner.plan import Plan
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.prompting.prompt import Prompt
from generation.engine.prompting.rewrites import (
    freeform_prompt,
    published_freeform,
    repair_prompt,
    writer_prompt,
)
from generation.engine.rewriting.freeform.freeform import FreeformIssue, validate_freeform
from generation.engine.rewriting.freeform.reading import read_freeform
from generation.engine.rewriting.rewrite import Rewrite, RewriteFormError, rewrite_from_dict

# A model that fails three times at one plan rarely does better the fourth time.
MAX_ANSWERS = 3
WRITING_TEMPERATURE = 0.2
REPAIR_TEMPERATURE = 0.1
FREEFORM_TEMPERATURE = 0.6
# Each step comes back as a text and as a row of six fields: at most 79 tokens per step of the
# sample corpus, written with line breaks. Room for reasoning is added for models that reason.
TOKENS_FOR_ALL, TOKENS_PER_STEP = 1000, 150
SHOWN_ISSUES = 20


class NotWrittenError(Exception):
    """No answer could be read; the message gives the last reason."""


@dataclass(frozen=True, slots=True)
class ModelRewrite:
    """A model's readable text, not yet judged.

    `answered_by` is what the server calls its model; `notes` say why earlier answers were refused.
    """

    rewrite: Rewrite
    answered_by: str
    prompt_version: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFreeform:
    """A model's text without a plan, in the published form.

    `issues` says where the best of its answers breaks the contract; empty for a valid one.
    """

    document: Mapping[str, Any]
    answered_by: str
    prompt_version: str
    notes: tuple[str, ...] = ()
    issues: tuple[FreeformIssue, ...] = ()


def write_by_model(plan: Plan, *, ask: AskModel) -> ModelRewrite:
    """A model's rewrite of a plan; raises NotWrittenError after `MAX_ANSWERS`.

    Only an answer that cannot be read as a rewrite is asked for again, with the reason: mistakes in
    a readable one are for the judge. A `ModelError` that asking again cannot help (budget, key,
    connection) is raised as it is.
    """
    notes: list[str] = []
    for repeat in range(MAX_ANSWERS):
        prompt = writer_prompt(plan, problem=notes[-1] if notes else "")
        request = request_for(
            prompt, len(plan.steps), temperature=WRITING_TEMPERATURE, repeat=repeat
        )
        try:
            answer = ask(request)
            rewrite = rewrite_from_dict(answer.parsed)
        except (UnusableAnswerError, RewriteFormError) as error:
            notes.append(str(error))
        else:
            return ModelRewrite(rewrite, answer.model, prompt.version, tuple(notes))
    raise NotWrittenError(f"no readable answer in {MAX_ANSWERS}: {notes[-1]}")


def write_freely_by_model(procedure: Procedure, *, ask: AskModel) -> ModelFreeform:
    """A procedure with mistakes of the model's own choice.

    An answer that breaks the freeform contract is asked for again, with a list of its faults. If
    none of `MAX_ANSWERS` is valid, the one with the fewest faults is returned with them: how well a
    model keeps the contract is part of what the baseline measures. Raises NotWrittenError if no row
    of any answer can be read.
    """
    texts = [step.text for step in procedure.steps]
    notes: list[str] = []
    readable: list[ModelFreeform] = []
    for repeat in range(MAX_ANSWERS):
        prompt = freeform_prompt(procedure, problem=notes[-1] if notes else "")
        request = request_for(prompt, len(texts), temperature=FREEFORM_TEMPERATURE, repeat=repeat)
        try:
            answer = ask(request)
        except UnusableAnswerError as error:
            notes.append(str(error))
            # JSON that breaks the schema may still contain a text.
            answer = error.answer
            if not isinstance(answer.parsed, Mapping):
                continue
        document = published_freeform(answer.parsed)
        issues = validate_freeform(texts, document)
        freeform = ModelFreeform(document, answer.model, prompt.version, tuple(notes), issues)
        if not issues:
            return freeform
        if read_freeform(texts, document).rewrite.final_steps:
            readable.append(freeform)
        if len(notes) == repeat:
            notes.append("\n".join(f"- {issue.message}" for issue in issues[:SHOWN_ISSUES]))
    if not readable:
        raise NotWrittenError(f"no readable answer in {MAX_ANSWERS}: {notes[-1]}")
    best = min(readable, key=lambda freeform: len(freeform.issues))
    return replace(best, notes=tuple(notes))


def repairer(ask: AskModel) -> Repairer:
    """The function with which the judge's repair loop asks a model to repair a rewrite.

    If the model fails, the judge's report says why, and the take goes on; a stopped run (budget,
    cancelling) and a bug are raised as they are.
    """

    def repair(request: RepairRequest) -> RepairAnswer:
        prompt = repair_prompt(request)
        images = tuple(
            Image(frame.jpeg, f"Original step {frame.step_index}, at {frame.time_s:.1f} s")
            for frame in request.frames
        )
        text_request = request_for(
            prompt,
            len(request.plan.steps),
            temperature=REPAIR_TEMPERATURE,
            repeat=request.attempt,
            images=images,
        )
        try:
            answer = ask(text_request)
        except ModelError as error:
            raise NoAnswerError(str(error), prompt_version=prompt.version) from error
        return RepairAnswer(document=answer.parsed, prompt_version=prompt.version)

    return repair


def request_for(
    prompt: Prompt,
    step_count: int,
    *,
    temperature: float,
    repeat: int,
    images: tuple[Image, ...] = (),
) -> TextRequest:
    """The request of a prompt, with room for an answer of `step_count` steps."""
    return TextRequest(
        system=prompt.system,
        prompt=prompt.text,
        prompt_version=prompt.version,
        schema=prompt.schema,
        images=images,
        temperature=temperature,
        max_tokens=TOKENS_FOR_ALL + TOKENS_PER_STEP * step_count,
        repeat=repeat,
    )
