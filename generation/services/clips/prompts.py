"""The prompts of a take's clips: by rules, or by the text model that the run's options name."""

from dataclasses import dataclass, replace

from generation.backends.text.exceptions import UnusableAnswerError
from generation.engine.prompting.clip_prompt import (
    MOST_CHARACTERS,
    ClipAnswerError,
    ClipPrompt,
    ClipStep,
    clip_prompt_request,
    compile_prompt,
    read_clip_prompt,
)
from generation.engine.run_options import BRIDGE, RULES
from generation.engine.splicing.edit_list import PieceKind
from generation.services.stage import TakeWork
from generation.services.texts.run_models import asker_of, model_failures, text_endpoint_by_id
from generation.services.texts.writing import request_for

TEMPERATURE = 0.2


@dataclass(frozen=True, slots=True)
class CompiledPrompt:
    """A prompt, and who compiled it: `rules`, or the name of a text model."""

    prompt: ClipPrompt
    by: str = RULES


def compiled_prompt(take: TakeWork, step: ClipStep, *, most_characters: int) -> CompiledPrompt:
    """The prompt of a clip; a model is asked only if somebody or something will read it.

    Raises TakeFailedError if the model cannot be asked. If its answer cannot be used, the rules
    compile the prompt, and a note says so.
    """
    options = take.settings.options.clips
    view, most = options.view, min(MOST_CHARACTERS, most_characters)
    by_rules = compile_prompt(step, view=view, most_characters=most)
    is_read = options.maker != BRIDGE and step.kind is not PieceKind.BRIDGE
    if options.prompts == RULES or not is_read or not step.text.strip():
        return CompiledPrompt(by_rules)
    endpoint = text_endpoint_by_id(options.prompts)
    prompt = clip_prompt_request(step, scenario=take.run_take.take.scenario)
    request = request_for(prompt, 1, temperature=TEMPERATURE, repeat=0)
    with model_failures(endpoint):
        try:
            answer = asker_of(take, endpoint)(request)
            by_model = read_clip_prompt(step, answer.parsed, view=view, most_characters=most)
        except (UnusableAnswerError, ClipAnswerError) as error:
            note = f"{endpoint.name} gave no usable answer ({error}); the rules wrote this prompt"
            return CompiledPrompt(replace(by_rules, notes=(*by_rules.notes, note)))
    return CompiledPrompt(by_model, endpoint.name)
