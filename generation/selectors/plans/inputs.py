"""A data set as the input of planning, for the commands that also take files."""

from annotation.engine.corpus.formats.errors import FormatError, Problem
from annotation.models import Dataset
from generation.engine.planner.files.plan_files import PlanningInput
from generation.engine.planner.files.representations import Representation, Representations
from generation.engine.planner.procedure_to_plan import Procedure
from generation.selectors.plans.procedures import prepare_takes, semreps_of_dataset


def planning_input_of_dataset(dataset: Dataset) -> PlanningInput:
    """The takes of a data set in the order of a run, with its representations.

    Raises FormatError with every fault of every take.
    """
    procedures: list[Procedure] = []
    problems: list[Problem] = []
    for prepared in prepare_takes(dataset.takes.order_by("name", "uid")):
        if isinstance(prepared, FormatError):
            problems += prepared.problems
        else:
            procedures.append(prepared.procedure)
    if problems:
        raise FormatError(problems)
    vocabulary = {
        semrep: Representation(semrep, dataset.public_id) for semrep in semreps_of_dataset(dataset)
    }
    return PlanningInput(
        procedures=tuple(procedures),
        representations=Representations(vocabulary, {}),
        inputs={"dataset": dataset.name},
    )
