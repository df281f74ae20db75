"""Turn takes of the corpus into procedures, with a representation for every step."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from django.db.models import Prefetch, QuerySet

from annotation.engine.corpus.content_hash import hash_take
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Take as EngineTake
from annotation.models import Dataset, Step, Take
from annotation.selectors.corpus.corpus import as_shown, procedure_from_rows
from generation.engine.english.analyser import analyse
from generation.engine.planner.checks import checked_procedure, step_problem
from generation.engine.planner.files.representations import normal_text
from generation.engine.planner.procedure_to_plan import (
    Procedure,
    field_warning,
    procedure_from_take,
)
from generation.engine.semrep import SemRepError
from generation.models import MadeSemRep

# Raise it when the analyser changes, so that cached representations are not read any more.
ANALYSER_VERSION = 1
TAKES_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class PreparedTake:
    """A take ready to be planned.

    `input_hash` is the hash of the take as it was read, so that a later change is noticed.
    `new_semreps` are representations by normal text that the analyser just made and the cache in
    the database does not have yet.
    """

    procedure: Procedure
    input_hash: str
    new_semreps: Mapping[str, str] = field(default_factory=dict)


def text_digest(normalised_text: str) -> str:
    return hashlib.sha256(normalised_text.encode()).hexdigest()


def prepare_take(row: Take) -> PreparedTake:
    """A take ready to be planned (queries: its steps, and the cache if a step has no semrep).

    Raises FormatError with every fault of the take, named by take, step, field and value.
    """
    return prepare_engine_take(procedure_from_rows(row, row.steps.order_by("index")), row)


def prepare_takes(rows: QuerySet[Take]) -> Iterator[PreparedTake | FormatError]:
    """Yield each take ready to be planned, or its error, in the order of `rows`.

    Only `TAKES_AT_ONCE` takes are in memory at a time.
    """
    steps = Prefetch("steps", Step.objects.order_by("index"), to_attr="ordered_steps")
    rows = rows.select_related("dataset").prefetch_related(steps)
    unread = [f"dataset__{name}" for name in ("native_labels", "derived", "import_warnings")]
    for row in rows.defer(*unread).iterator(chunk_size=TAKES_AT_ONCE):
        take = procedure_from_rows(row, row.ordered_steps)
        try:
            yield prepare_engine_take(take, row)
        except FormatError as error:
            yield error


def prepare_engine_take(stored: EngineTake, row: Take) -> PreparedTake:
    """An engine take ready to be planned; raises FormatError with every fault.

    Plans and texts use its sentences as people read them; the hash is of the stored ones.
    """
    take = as_shown(stored, row)
    without_semrep = [index for index, step in enumerate(take.steps) if not step.semrep]
    texts = {index: normal_text(take.steps[index].text) for index in without_semrep}
    by_digest = {text_digest(text): text for text in texts.values()}
    stored_semreps = MadeSemRep.objects.filter(
        text_digest__in=list(by_digest),
        made_by=MadeSemRep.RULES,
        analyser_version=ANALYSER_VERSION,
    ).values_list("text_digest", "semrep")
    cached = {by_digest[digest]: semrep for digest, semrep in stored_semreps}
    new = _analysed(take, {i: text for i, text in texts.items() if text not in cached})
    by_text = {**cached, **new}
    semreps = [step.semrep or by_text[texts[index]] for index, step in enumerate(take.steps)]
    procedure = procedure_from_take(take, semreps=semreps)
    by_rule = field_warning(
        take.uid, "semantic_representation", without_semrep, "none, made by rule from the text"
    )
    warnings = (*by_rule, *procedure.warnings, *checked_procedure(procedure))
    return PreparedTake(replace(procedure, warnings=warnings), hash_take(stored), new)


def _analysed(take: EngineTake, texts: Mapping[int, str]) -> dict[str, str]:
    """The analyser's representations, by normal text; raises FormatError with every fault."""
    semreps: dict[str, str] = {}
    problems = []
    for index, text in texts.items():
        if text in semreps:
            continue
        try:
            # Analysing the normal text makes it irrelevant which spelling comes first.
            semreps[text] = str(analyse(text))
        except SemRepError as error:
            problems.append(
                step_problem(
                    take.uid,
                    index,
                    "text",
                    take.steps[index].text,
                    f"an instruction; it {error.reason}",
                )
            )
    if problems:
        raise FormatError(problems)
    return semreps


def semreps_of_dataset(dataset: Dataset) -> list[str]:
    """The distinct representations in the data set's files, from which priors are computed."""
    rows = Step.objects.filter(take__dataset=dataset).exclude(semrep="").order_by("semrep")
    return list(rows.values_list("semrep", flat=True).distinct())
