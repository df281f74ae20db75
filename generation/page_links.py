"""What pages of the corpus say about runs, and their links to them."""

from django.urls import reverse

from annotation import page_links
from annotation.models import Dataset, User
from annotation.page_links import PageLink
from generation.selectors.provenance import facts_in_words, run_behind


def launch_step(dataset: Dataset) -> PageLink:
    address = f"{reverse('run-launch')}?dataset={dataset.public_id}"
    reason = "it makes traces with mistakes out of them."
    return PageLink("Launch a run on its takes", address, reason=reason)


def run_link(user: User, dataset: Dataset) -> PageLink | None:
    run = run_behind(user, dataset)
    if run is None:
        return None
    return PageLink(run.name, reverse("run-detail", args=[run.public_id]), lead="made by run")


def register() -> None:
    page_links.add(page_links.DATASET_STEPS, launch_step)
    page_links.add(page_links.DATASET_MAKERS, run_link)
    page_links.add(page_links.PROVENANCE_WORDS, facts_in_words)
