"""Semantic representations by a text model: asked in batches, checked, kept in the cache.

They are never written into takes: what a source does not say stays unsaid there.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.model import Ask, TextRequest
from generation.engine.prompting.semrep import (
    BATCH_SIZE,
    VERSION,
    SemRepItem,
    read_semreps,
    semrep_prompt,
)
from generation.models import MadeSemRep
from generation.selectors.plans.procedures import text_digest

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
    ask: Ask,
    told: Callable[[int], None] = lambda count: None,
) -> ModelSemReps:
    """Return a model's representations of step texts, from the cache where it made them before.

    Each batch is kept as soon as it is read, so that a failure later loses nothing. `told` is told
    how many more texts are done.
    """
    wanted = list(dict.fromkeys(texts))
    made_by = f"{VERSION} {model_name}"
    known = _cached(wanted, made_by)
    left = [text for text in wanted if text not in known]
    told(len(known))
    problems: list[str] = []
    for start in range(0, len(left), BATCH_SIZE):
        made, unmade = _batch(left[start : start + BATCH_SIZE], ask)
        _keep(made, made_by)
        told(len(left[start : start + BATCH_SIZE]))
        known |= made
        problems += unmade
    return ModelSemReps({text: known[text] for text in wanted if text in known}, tuple(problems))


def _batch(texts: Sequence[str], ask: Ask) -> tuple[dict[str, str], tuple[str, ...]]:
    made: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    for sample in range(MAX_ANSWERS):
        items = [SemRepItem(_item_id(text), text) for text in texts if text not in made]
        try:
            reading = read_semreps(items, ask(_request(items, sample)).parsed)
        except UnusableAnswerError as error:
            problems = (f"{len(items)} texts: {error}",)
            continue
        text_by_id = {item.item_id: item.text for item in items}
        made |= {text_by_id[item_id]: semrep for item_id, semrep in reading.by_id.items()}
        problems = reading.problems
        if len(made) == len(texts):
            break
    return made, problems


def _request(items: Sequence[SemRepItem], sample: int) -> TextRequest:
    prompt = semrep_prompt(items)
    return TextRequest(
        system=prompt.system,
        prompt=prompt.text,
        prompt_version=prompt.version,
        schema=prompt.schema,
        temperature=TEMPERATURE,
        max_tokens=TOKENS_FOR_ALL + TOKENS_PER_ITEM * len(items),
        sample=sample,
    )


def _item_id(text: str) -> str:
    return text_digest(text)[:16]


def _cached(texts: Sequence[str], made_by: str) -> dict[str, str]:
    by_digest = {text_digest(text): text for text in texts}
    rows = MadeSemRep.objects.filter(text_digest__in=list(by_digest), made_by=made_by)
    found = rows.values_list("text_digest", "semrep")
    return {by_digest[digest]: semrep for digest, semrep in found}


def _keep(semrep_by_text: Mapping[str, str], made_by: str) -> None:
    rows = [
        MadeSemRep(
            text_digest=text_digest(text),
            made_by=made_by,
            analyser_version=NO_VERSION,
            text=text,
            semrep=semrep,
        )
        for text, semrep in semrep_by_text.items()
    ]
    MadeSemRep.objects.bulk_create(rows, ignore_conflicts=True)
