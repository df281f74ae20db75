"""The published cache of representations, looked up by the text of a step.

Form: id -> {"step_description", "semantic_representation"}. Whole-number ids are the published
vocabulary, every other id belongs to a text that a writer made up; of equal texts the vocabulary's
entry counts. A text without an exact match is looked up without regard to case and spacing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.engine.corpus.formats.errors import FormatError, Problem
from generation.engine.planner.checks import semrep_condition
from generation.engine.planner.files.input_fields import FieldReader, as_mapping

TEXT_FIELD = "step_description"
SEMREP_FIELD = "semantic_representation"


@dataclass(frozen=True, slots=True)
class Representation:
    """One entry; `vocabulary_id` is None for texts outside the published vocabulary."""

    semrep: str
    vocabulary_id: str | None


@dataclass(frozen=True, slots=True)
class Representations:
    """A cache of representations, searchable by text."""

    by_text: Mapping[str, Representation]
    by_normal_text: Mapping[str, Representation]

    def find(self, text: str) -> Representation | None:
        """The representation of a step text, None where the cache has none."""
        return self.by_text.get(text.strip()) or self.by_normal_text.get(normal_text(text))

    def vocabulary_semreps(self) -> list[str]:
        """The representations of the vocabulary, from which role priors are estimated."""
        return [entry.semrep for entry in self.by_text.values() if entry.vocabulary_id is not None]


NO_REPRESENTATIONS = Representations({}, {})


def normal_text(text: str) -> str:
    """The text without regard to case and spacing.

    >>> normal_text(" Get  the Cup")
    'get the cup'
    """
    return " ".join(text.split()).casefold()


def representations_from(data: object, *, file: str) -> Representations:
    """The representations of a parsed cache file; raises FormatError with every fault."""
    problems: list[Problem] = []
    by_text: dict[str, Representation] = {}
    by_normal_text: dict[str, Representation] = {}
    entries = as_mapping(data, file=file, place="", field="")
    for entry_id, fields in sorted(entries.items(), key=lambda item: not item[0].isdigit()):
        place = f"entry {entry_id}"
        reader = FieldReader(fields, file=file, place=place, problems=problems)
        text = reader.text(TEXT_FIELD).strip()
        semrep = reader.text(SEMREP_FIELD).strip()
        if semrep and (fault := semrep_condition(semrep).fault):
            reader.fault(SEMREP_FIELD, f"PREDICATE(Role: value, ...); it {fault}")
        entry = Representation(semrep, entry_id if entry_id.isdigit() else None)
        by_text.setdefault(text, entry)
        by_normal_text.setdefault(normal_text(text), entry)
    if problems:
        raise FormatError(problems)
    return Representations(by_text, by_normal_text)
