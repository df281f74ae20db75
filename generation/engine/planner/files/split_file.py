"""Procedures from a split file in the form of Ego-Exo4D annotations.

Form: {"annotations": [{"take_uid", "take_name", "scenario", "segments": [...]}]}. Segments are not
in time order; a procedure has them by start time, and with the same start in file order.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem
from generation.engine.english.analyser import analyse
from generation.engine.planner.checks import semrep_condition, semrep_warnings
from generation.engine.planner.files.input_fields import FieldReader, as_mapping
from generation.engine.planner.files.representations import NO_REPRESENTATIONS, Representations
from generation.engine.planner.files.taxonomy_tree import NO_TAXONOMY, ScenarioTaxonomy
from generation.engine.planner.procedure_to_plan import (
    Procedure,
    ProcedureStep,
    field_warning,
    step_warnings,
)
from generation.engine.semrep import SemRepError


@dataclass(frozen=True, slots=True)
class _Context:
    file: str
    taxonomies: Mapping[str, ScenarioTaxonomy]
    representations: Representations
    problems: list[Problem]


def procedures_from(
    data: object,
    *,
    file: str,
    taxonomies: Mapping[str, ScenarioTaxonomy] | None = None,
    representations: Representations = NO_REPRESENTATIONS,
) -> tuple[Procedure, ...]:
    """The procedures of a parsed split file, in file order.

    Raises FormatError with every fault: a take or step without text, time or id, a time that is
    negative, not finite or before its start, a uid that occurs twice, a representation that cannot
    be read. Other oddities become `warnings` of the procedure.
    """
    context = _Context(file, taxonomies or {}, representations, [])
    whole = as_mapping(data, file=file, place="", field="")
    takes = whole.get("annotations")
    if not isinstance(takes, list):
        fault = problem(
            file=file, place="", field="annotations", value=takes, expected="a list of takes"
        )
        raise FormatError([fault])
    procedures = [_procedure(take, position, context) for position, take in enumerate(takes)]
    seen: dict[str, int] = {}
    for position, procedure in enumerate(procedures):
        first = seen.setdefault(procedure.take_uid, position)
        if procedure.take_uid and first != position:
            expected = f"a uid of its own; take {first} has this one"
            reader = FieldReader(
                takes[position], file=file, place=f"take {position}", problems=context.problems
            )
            reader.fault("take_uid", expected)
    if context.problems:
        raise FormatError(context.problems)
    return tuple(procedures)


def _procedure(take: object, position: int, context: _Context) -> Procedure:
    data = as_mapping(take, file=context.file, place=f"take {position}", field="")
    place = f"take {data.get('take_uid') or position}"
    reader = FieldReader(data, file=context.file, place=place, problems=context.problems)
    uid, scenario = reader.text("take_uid"), reader.text("scenario")
    segments = data.get("segments")
    if not isinstance(segments, list):
        reader.fault("segments", "a list of steps")
        segments = []
    read = [_step(item, index, place, scenario, context) for index, item in enumerate(segments)]
    steps = tuple(sorted(read, key=lambda step: step.start_s or 0.0))
    unmarked = [
        index
        for index, item in enumerate(segments)
        if isinstance(item, Mapping) and item.get("is_essential") is None
    ]
    analysed = [
        index
        for index, step in enumerate(steps)
        if step.semrep and context.representations.find(step.text) is None
    ]
    by_rule = "none given, made by the built-in analyser"
    return Procedure(
        take_uid=uid,
        take_name=reader.text("take_name"),
        scenario=scenario,
        steps=steps,
        warnings=(
            *field_warning(uid, "is_essential", unmarked, "not stated, taken for essential"),
            *step_warnings(uid, steps),
            *field_warning(uid, "semantic_representation", analysed, by_rule),
            *semrep_warnings(uid, steps),
        ),
    )


def _step(
    segment: object, index: int, place: str, scenario: str, context: _Context
) -> ProcedureStep:
    place = f"{place}, step {index}"
    reader = FieldReader(segment, file=context.file, place=place, problems=context.problems)
    text, step_id = reader.text("step_description"), reader.whole_number("step_id")
    start_s, end_s = reader.seconds("start_time"), reader.seconds("end_time")
    if start_s is not None and end_s is not None and end_s < start_s:
        reader.fault("end_time", f"seconds, not before start_time {start_s}")
    unique_id = (
        None if reader.data.get("step_unique_id") is None else reader.whole_number("step_unique_id")
    )
    entry = context.representations.find(text)
    try:
        semrep = entry.semrep if entry else str(analyse(text))
    except SemRepError:
        semrep = ""
    if semrep and (fault := semrep_condition(semrep).fault):
        reader.fault("semantic_representation", f"PREDICATE(Role: value, ...); it {fault}", semrep)
    taxonomy = context.taxonomies.get(scenario, NO_TAXONOMY)
    return ProcedureStep(
        text=text,
        start_s=start_s,
        end_s=end_s,
        step_id=str(step_id),
        unique_id=unique_id,
        vocabulary_id=entry.vocabulary_id if entry else None,
        is_essential=reader.flag("is_essential") is not False,
        semrep=semrep,
        block=taxonomy.by_node_id.get(step_id),
        shared_id_block=None if unique_id is None else taxonomy.by_unique_id.get(unique_id),
    )
