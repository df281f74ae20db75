"""Links and parts about texts on the pages of data sets and of what made them."""

from annotation import page_links
from annotation.models import Dataset, User
from annotation.page_links import PagePart
from texts.launch import figures_to_show
from texts.selectors.sampling import has_mistakes_to_read, sense_rounds


def sense_part(user: User, dataset: Dataset) -> PagePart | None:
    """What people said of samples of a data set's mistakes, and where one is drawn."""
    if not has_mistakes_to_read(dataset):
        return None
    rounds = sense_rounds(user, dataset)
    shown = {"dataset": dataset, "readings": figures_to_show(rounds=rounds, actor=user)}
    return PagePart("texts/_dataset_sense.html", shown)


def register() -> None:
    page_links.add(page_links.DATASET_READINGS, sense_part)
