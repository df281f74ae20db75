"""Links and parts about segments on the pages of data sets."""

from django.urls import reverse

from annotation import page_links
from annotation.models import Dataset, User
from annotation.page_links import PageLink, PagePart
from segments.selectors.publications import origin_of_dataset
from segments.selectors.rounds import rounds_with_dataset


def label_step(dataset: Dataset) -> PageLink:
    address = f"{reverse('segment-campaign')}?dataset={dataset.public_id}"
    reason = "its recordings then have segments, with how far people agree on them."
    return PageLink("Label or check its steps", address, reason=reason)


def origin(user: User, dataset: Dataset) -> PagePart | None:
    shown = origin_of_dataset(user, dataset)
    if shown is None:
        return None
    return PagePart("segments/_made_of_segments.html", shown, words="made of segments")


def rounds_part(user: User, dataset: Dataset) -> PagePart | None:
    rounds = list(rounds_with_dataset(user, dataset))
    return PagePart("segments/_dataset_rounds.html", rounds) if rounds else None


def register() -> None:
    page_links.add(page_links.DATASET_STEPS, label_step)
    page_links.add(page_links.DATASET_ORIGINS, origin)
    page_links.add(page_links.DATASET_PARTS, rounds_part)
