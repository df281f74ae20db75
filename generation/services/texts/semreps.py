"""Semantic representations in the cache: the analyser's, and those that text models are asked for.

They are never written into takes, which keep only what their source says.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.model import AskModel, TextRequest
from generation.engine.prompting.semrep import (
    BATCH_SIZE,
    VERSION,
    read_semreps,
    semrep_prompt,
)
from generation.models import MadeSemRep
from generation.selectors.plans.procedures import ANALYSER_VERSION, text_digest

TEMPERATURE = 0.1
# An item comes back with its id, its text and the representation.
TOKENS_FOR_ALL, TOKENS_PER_ITEM = 500, 250
# Items that an answer got wrong are asked for once more, and no more often.
MAX_ANSWERS = 2
NO_VERSION = 0


@dataclass(frozen=True, slots=True)
class ModelSemReps:
    """Representations by text, and why other texts have none."""

    by_text: Mapping[str, str]
    problems: tuple[str, ...]


def semreps_by_model(
    texts: Iterable[str],
    *,
    model_name: str,
    ask: AskModel,
    on_progress: Callable[[int], None] = lambda count: None,
) -> ModelSemReps:
    """A model's representations of step texts, from the cache if it was asked before.

    Each batch is stored as soon as it is read, so that a later failure loses nothing. `on_progress`
    is called with how many more texts are done.
    """
    made_by = f"{VERSION} {model_name}"
    by_digest = {text_digest(text): text for text in texts}
    cached = MadeSemRep.objects.filter(text_digest__in=list(by_digest), made_by=made_by)
    semreps = {
        by_digest[digest]: semrep for digest, semrep in cached.values_list("text_digest", "semrep")
    }
    left = [text for text in by_digest.values() if text not in semreps]
    on_progress(len(semreps))
    problems: list[str] = []
    for start in range(0, len(left), BATCH_SIZE):
        batch = left[start : start + BATCH_SIZE]
        new, batch_problems = _ask_for_batch(batch, ask)
        _cache(new, made_by=made_by, version=NO_VERSION)
        on_progress(len(batch))
        semreps |= new
        problems += batch_problems
    in_order = {text: semreps[text] for text in by_digest.values() if text in semreps}
    return ModelSemReps(in_order, tuple(problems))


def _ask_for_batch(texts: Sequence[str], ask: AskModel) -> tuple[dict[str, str], tuple[str, ...]]:
    semreps: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    for repeat in range(MAX_ANSWERS):
        text_by_id = {text_digest(text)[:16]: text for text in texts if text not in semreps}
        prompt = semrep_prompt(text_by_id)
        request = TextRequest(
            system=prompt.system,
            prompt=prompt.text,
            prompt_version=prompt.version,
            schema=prompt.schema,
            temperature=TEMPERATURE,
            max_tokens=TOKENS_FOR_ALL + TOKENS_PER_ITEM * len(text_by_id),
            repeat=repeat,
        )
        try:
            reading = read_semreps(text_by_id, ask(request).parsed)
        except UnusableAnswerError as error:
            problems = (f"{len(text_by_id)} texts: {error}",)
            continue
        semreps |= {text_by_id[item_id]: semrep for item_id, semrep in reading.by_id.items()}
        problems = reading.problems
        if len(semreps) == len(texts):
            break
    return semreps, problems


def cache_semreps(semrep_by_text: Mapping[str, str]) -> None:
    """Cache the analyser's representations, keyed by normal text."""
    if semrep_by_text:
        _cache(semrep_by_text, made_by=MadeSemRep.RULES, version=ANALYSER_VERSION)


def _cache(semrep_by_text: Mapping[str, str], *, made_by: str, version: int) -> None:
    """Add representations to the cache; existing rows stay."""
    rows = [
        MadeSemRep(
            text_digest=text_digest(text),
            made_by=made_by,
            analyser_version=version,
            text=text,
            semrep=semrep,
        )
        for text, semrep in semrep_by_text.items()
    ]
    MadeSemRep.objects.bulk_create(rows, ignore_conflicts=True)
