"""The links from pages of the lower apps to benchmarks and task graphs."""

from django.urls import reverse

from annotation import page_links
from annotation.models import Dataset, Phase, Round, Take, Trace, User
from annotation.models.round_kinds import RATINGS
from annotation.page_links import PageLink
from benchmarks.models import Assessment, QueueSorting


def questions_of(user: User) -> list[PageLink]:
    """The item sets that a person answers and has not finished (one query)."""
    assessments = Assessment.objects.filter(person=user, frozen_at__isnull=True).select_related(
        "item_set"
    )
    return [
        PageLink(
            row.item_set.name,
            reverse("answering", args=[row.public_id]),
            lead=f"{row.item_set.item_count} questions that models answer too.",
        )
        for row in assessments.order_by("pk")
    ]


def graphs_of(dataset: Dataset) -> PageLink | None:
    if not dataset.task_graphs.exists():
        return None
    return PageLink("See its task graphs", reverse("graphs", args=[dataset.public_id]))


def walk_of(recording: Take | Trace) -> PageLink | None:
    """The recording in the task graph of its procedure, if its data set has one."""
    kind, take = ("take", recording) if isinstance(recording, Take) else ("trace", recording.take)
    if not recording.dataset.task_graphs.filter(scenario=take.scenario).exists():
        return None
    return PageLink("In its task graph", reverse("walk", args=[kind, recording.public_id]))


def features_step(dataset: Dataset) -> PageLink:
    address = f"{reverse('feature-sets')}?dataset={dataset.public_id}"
    return PageLink("Features of its recordings", address)


def queue_step(round_: Round) -> PageLink | None:
    """The page where a round's queues can be sorted, and how they are sorted now (one query)."""
    if round_.kind != RATINGS or round_.phase == Phase.TRAINING or not round_.is_open:
        return None
    sorting = QueueSorting.objects.filter(round=round_).first()
    lead = "" if sorting is None else f"The queues are sorted by {sorting.rule} of {sorting.name}."
    words = "Let a model sort the queues" if sorting is None else "Change it"
    return PageLink(words, reverse("queue-sorting", args=[round_.public_id]), lead=lead)


def register() -> None:
    page_links.add(page_links.DATASET_STEPS, graphs_of)
    page_links.add(page_links.RECORDING_PAGES, walk_of)
    page_links.add(page_links.ROUND_STEPS, queue_step)
    page_links.add(page_links.QUEUE_WORK, questions_of)
    page_links.add(page_links.DATASET_STEPS, features_step)
