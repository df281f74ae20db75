"""Links and parts about texts on the pages of data sets and of what made them."""

from django.urls import reverse

from annotation import page_links
from annotation.models import Dataset, User
from annotation.page_links import PageLink, PagePart
from texts.selectors.sampling import has_mistakes_to_read, sense_readings


def sense_step(dataset: Dataset) -> PageLink | None:
    if not has_mistakes_to_read(dataset):
        return None
    address = reverse("text-sample", args=[dataset.public_id])
    return PageLink("Have its mistakes read by people", address)


def sense_part(user: User, dataset: Dataset) -> PagePart | None:
    readings = sense_readings(user, dataset)
    return PagePart("texts/_dataset_sense.html", readings) if readings else None


def register() -> None:
    page_links.add(page_links.DATASET_STEPS, sense_step)
    page_links.add(page_links.DATASET_READINGS, sense_part)
