"""Where a trace comes from, as pages say it; exports and the API keep the words of the code."""

from collections.abc import Callable, Mapping

from annotation.models import Dataset, User
from generation.engine.judging.judging import JudgedStatus
from generation.engine.run_options import NO_MODEL, RULES
from generation.models import Run
from generation.selectors.clips.makers import makers_in_words
from generation.selectors.runs import visible_runs

# What the format of a data set is called that no file was imported into.
GENERATED = "generated"
STATUS_WORDS = {
    str(JudgedStatus.OK): "no finding left",
    str(JudgedStatus.WITH_FINDINGS): "findings left",
}


def run_behind(user: User, dataset: Dataset) -> Run | None:
    """Return the run that made a data set, None where none did or the user may not see it."""
    if dataset.format != GENERATED:
        return None
    return visible_runs(user).filter(published_dataset=dataset).only("public_id", "name").first()


def _writer_in_words(writer: str) -> str:
    return "written by the rules" if writer == RULES else f"written by {writer}"


def _judge_in_words(judge: str) -> str:
    """Say who judged: always the rules; a model only repairs."""
    return "judged by the rules" + ("" if judge == NO_MODEL else f", repaired with {judge}")


# What a run told of a trace, in the order in which pages say it. The run itself is a link.
FACTS: Mapping[str, Callable[[str], str]] = {
    "profile": "profile {}".format,
    "seed": "seed {}".format,
    "writer": _writer_in_words,
    "answered_by": "answered by {}".format,
    "prompt_version": "prompt {}".format,
    "judge": _judge_in_words,
    "status": lambda status: STATUS_WORDS.get(status, status),
    "hard_findings": "{} of them hard".format,
    "clips": lambda makers: f"clips: {makers_in_words(makers)}",
}


def facts_in_words(provenance: Mapping[str, str]) -> list[str] | None:
    """What a run told of a trace; None of a trace that no run made."""
    if "run" not in provenance:
        return None
    return [say(provenance[name]) for name, say in FACTS.items() if name in provenance]
