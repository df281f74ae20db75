"""Where a trace comes from, as pages say it; exports and the API keep the words of the code."""

from collections.abc import Callable, Mapping

from annotation.models import Dataset, User
from generation.engine.judging.judging import JudgedStatus
from generation.engine.run_options import NO_MODEL, RULES
from generation.models import Run
from generation.selectors.clips.makers import makers_in_words
from generation.selectors.runs import visible_runs

# The format of a data set that a run published, as opposed to an imported file.
GENERATED = "generated"
STATUS_WORDS = {
    str(JudgedStatus.OK): "no finding left",
    str(JudgedStatus.WITH_FINDINGS): "findings left",
}


def run_behind(user: User, dataset: Dataset) -> Run | None:
    """The run that published a data set, None if none did or the user may not see it."""
    if dataset.format != GENERATED:
        return None
    return visible_runs(user).filter(published_dataset=dataset).only("public_id", "name").first()


# What pages say about how a run made a trace, in this order. The run itself is a link.
FACTS: Mapping[str, Callable[[str], str]] = {
    "profile": "profile {}".format,
    "seed": "seed {}".format,
    "writer": lambda writer: f"written by {'the rules' if writer == RULES else writer}",
    "answered_by": "answered by {}".format,
    "prompt_version": "prompt {}".format,
    # The rules always judge; a model only repairs.
    "judge": lambda judge: (
        "judged by the rules" + ("" if judge == NO_MODEL else f", repaired with {judge}")
    ),
    "status": lambda status: STATUS_WORDS.get(status, status),
    "hard_findings": "{} of them hard".format,
    "sense_findings": "checked for sense by the rules, which find {} left".format,
    "clips": lambda makers: f"clips: {makers_in_words(makers)}",
}


def facts_in_words(provenance: Mapping[str, str]) -> list[str] | None:
    """How a run made a trace, in words; None for a trace that no run made."""
    if "run" not in provenance:
        return None
    return [say(provenance[name]) for name, say in FACTS.items() if name in provenance]
