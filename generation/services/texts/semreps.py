"""Semantic representations in the cache: the analyser's, and a text model's, asked in batches.

They are never written into takes: what a source does not say stays unsaid there.
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
# A batch is asked for once more for the items that its answer got wrong, and no more.
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
    told: Callable[[int], None] = lambda count: None,
) -> ModelSemReps:
    """A model's representations of step texts, from the cache where it made them before.

    Each batch is kept as soon as it is read, so that a failure later loses nothing. `told` is told
    how many more texts are done.
    """
    made_by = f"{VERSION} {model_name}"
    by_digest = {text_digest(text): text for text in texts}
    cached = MadeSemRep.objects.filter(text_digest__in=list(by_digest), made_by=made_by)
    known = {
        by_digest[digest]: semrep for digest, semrep in cached.values_list("text_digest", "semrep")
    }
    left = [text for text in by_digest.values() if text not in known]
    told(len(known))
    problems: list[str] = []
    for start in range(0, len(left), BATCH_SIZE):
        batch = left[start : start + BATCH_SIZE]
        made, unmade = _batch(batch, ask)
        _keep(made, made_by=made_by, version=NO_VERSION)
        told(len(batch))
        known |= made
        problems += unmade
    in_order = {text: known[text] for text in by_digest.values() if text in known}
    return ModelSemReps(in_order, tuple(problems))


def _batch(texts: Sequence[str], ask: AskModel) -> tuple[dict[str, str], tuple[str, ...]]:
    made: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    for repeat in range(MAX_ANSWERS):
        text_by_id = {text_digest(text)[:16]: text for text in texts if text not in made}
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
        made |= {text_by_id[item_id]: semrep for item_id, semrep in reading.by_id.items()}
        problems = reading.problems
        if len(made) == len(texts):
            break
    return made, problems


def store_made_semreps(semrep_by_text: Mapping[str, str]) -> None:
    """Keep representations that the analyser made, keyed by normal text."""
    if semrep_by_text:
        _keep(semrep_by_text, made_by=MadeSemRep.RULES, version=ANALYSER_VERSION)


def _keep(semrep_by_text: Mapping[str, str], *, made_by: str, version: int) -> None:
    """Add representations to the cache; what is there already stays."""
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
