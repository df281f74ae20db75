"""The guideline: every sentence that a rater reads about a question, by metric and kind of event.

A guideline text is plain data with one shape, always: a name, and for each metric one
entry per subject (`mistake`, `correction`, `trace`; `event` stands for both kinds of event). The
built-in texts are files of that shape; they never change once ratings refer to them.
"""

import hashlib
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from annotation.engine.rubric.rubric import Metric, MetricDefinition, Rubric, Scale, Scope, rubric
from annotation.engine.taxonomy import EventKind

FOLDER = Path(__file__).parent.parent / "rubric" / "versions"
BOTH_KINDS = "event"


class Subject(StrEnum):
    """What a question is asked about."""

    MISTAKE = EventKind.MISTAKE.value
    CORRECTION = EventKind.CORRECTION.value
    TRACE = "trace"


class GuidelineError(ValueError):
    """A guideline text lacks an entry, or has one that nothing asks for; says which and where."""


@dataclass(frozen=True, slots=True)
class QuestionText:
    """One question: the line beside its control, the text behind it, the ends of a 1-5 scale."""

    question: str
    how_to_judge: str
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True)
class GuidelineText:
    """All that raters read about the questions of one rubric."""

    name: str
    texts: Mapping[tuple[Metric, Subject], QuestionText]

    def to_dict(self) -> dict[str, object]:
        """The texts by metric and subject, as `guideline_from_dict` reads them."""
        shown: defaultdict[str, dict[str, object]] = defaultdict(dict)
        for (metric, subject), text in self.texts.items():
            shown[metric.value][subject.value] = asdict(text)
        return {"name": self.name, **shown}


@cache
def built_in_guideline(rubric_version: str) -> GuidelineText:
    """The text that comes with a rubric; raises `RubricVersionError` if there is none."""
    rubric_ = rubric(rubric_version)
    path = FOLDER / f"v{rubric_version}.toml"
    return guideline_from_dict(tomllib.loads(path.read_text(encoding="utf-8")), rubric_)


def guideline_from_dict(data: Mapping[str, object], rubric_: Rubric) -> GuidelineText:
    """Raises `GuidelineError` naming the first entry that is wrong."""
    name = data.get("name")
    if not isinstance(name, str) or not name:
        raise GuidelineError(f"name is {name!r}; expected a word for this text")
    known = {"name", *(item.metric.value for item in rubric_.metrics)}
    for entry in data:
        if entry not in known:
            raise GuidelineError(f"{entry} is no metric of rubric {rubric_.version}")
    texts = {
        (definition.metric, subject): text
        for definition in rubric_.metrics
        for subject, text in _texts_of(definition, data.get(definition.metric.value))
    }
    return GuidelineText(name, texts)


def _texts_of(
    definition: MetricDefinition, entries: object
) -> Iterator[tuple[Subject, QuestionText]]:
    subjects = (
        [Subject.TRACE]
        if definition.scope is Scope.TRACE
        else [Subject.MISTAKE, Subject.CORRECTION]
    )
    given = entries if isinstance(entries, dict) else {}
    known = {*subjects, *([BOTH_KINDS] if definition.scope is Scope.EVENT else [])}
    for unknown in given.keys() - known:
        raise GuidelineError(f"{definition.metric}.{unknown} is asked of nothing")
    for subject in subjects:
        entry = given.get(subject.value, given.get(BOTH_KINDS))
        place = f"{definition.metric}.{subject}"
        if not isinstance(entry, dict):
            raise GuidelineError(f"{place} has no text")
        wanted = ["question", "how_to_judge"]
        wanted += ["low", "high"] if definition.scale is Scale.LIKERT else []
        for field in wanted:
            if not isinstance(entry.get(field), str) or not entry[field].strip():
                raise GuidelineError(f"{place}.{field} is {entry.get(field)!r}; expected a text")
        yield subject, QuestionText(**{field: entry[field] for field in wanted})


def content_hash(text: Mapping[str, object], examples: Sequence[Mapping[str, object]]) -> str:
    """The SHA-256 of a version's text and examples, which no other wording has."""
    stated = json.dumps([text, examples], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(stated.encode()).hexdigest()
