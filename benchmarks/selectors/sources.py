"""What item sets are made of: by the name that a task calls its source."""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import User
from annotation.selectors.corpus import visible_datasets
from benchmarks.selectors.material import Source, dataset_source
from benchmarks.selectors.material_round import round_choices, round_source


@dataclass(frozen=True, slots=True)
class SourceKind:
    """What a source is called, what the user may choose (id and title), and how it is read."""

    title: str
    choices: Callable[[User], list[tuple[str, str]]]
    read: Callable[[User | None, str], Source]


def _dataset_choices(user: User) -> list[tuple[str, str]]:
    return list(visible_datasets(user).order_by("name").values_list("public_id", "name"))


SOURCES = {
    "dataset": SourceKind("Data set", _dataset_choices, dataset_source),
    "round": SourceKind("Round of ratings", round_choices, round_source),
}
