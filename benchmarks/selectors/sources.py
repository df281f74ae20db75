"""The sources that item sets are made from, by `Task.source`."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import User
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.selectors.material import NamedSource, Source, dataset_source, find_dataset
from benchmarks.selectors.material_questions import (
    find_question_set,
    question_set_choices,
    question_source,
)
from benchmarks.selectors.material_round import find_round, round_choices, round_source


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source: its title, what a user may choose (id and title), and how it is read.

    `find` raises Http404 as `read` does, and reads nothing of what is inside. Of some kinds an item
    set may have several.
    """

    title: str
    choices: Callable[[User], list[tuple[str, str]]]
    find: Callable[[User | None, str], NamedSource]
    read: Callable[[User | None, str], Source]
    may_be_several: bool = True


def _dataset_choices(user: User) -> list[tuple[str, str]]:
    return list(visible_datasets(user).order_by("name").values_list("public_id", "name"))


ROUND, QUESTIONS = "round", "questions"
SOURCES = {
    "dataset": SourceKind("Data set", _dataset_choices, find_dataset, dataset_source),
    QUESTIONS: SourceKind("Question set", question_set_choices, find_question_set, question_source),
    ROUND: SourceKind(
        "Round of ratings", round_choices, find_round, round_source, may_be_several=False
    ),
}
