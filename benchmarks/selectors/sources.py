"""The sources that item sets are made from, by `Task.source`."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import User
from annotation.selectors.corpus.corpus import visible_datasets
from benchmarks.selectors.material import Source, dataset_source
from benchmarks.selectors.material_round import round_choices, round_source


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source: its title, what a user may choose (id and title), and how it is read."""

    title: str
    choices: Callable[[User], list[tuple[str, str]]]
    read: Callable[[User | None, str], Source]


def _dataset_choices(user: User) -> list[tuple[str, str]]:
    return list(visible_datasets(user).order_by("name").values_list("public_id", "name"))


SOURCES = {
    "dataset": SourceKind("Data set", _dataset_choices, dataset_source),
    "round": SourceKind("Round of ratings", round_choices, round_source),
}
