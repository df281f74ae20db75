"""What pages of the corpus say of benchmarks and where they link to them."""

from django.urls import reverse

from annotation import page_links
from annotation.models import User
from annotation.page_links import PageLink
from benchmarks.models import Assessment


def questions_of(user: User) -> list[PageLink]:
    """The item sets that a person has begun to answer and not finished (one query)."""
    own = Assessment.objects.filter(person=user, frozen_at__isnull=True).select_related("item_set")
    return [
        PageLink(
            row.item_set.name,
            reverse("answering", args=[row.public_id]),
            lead=f"{row.item_set.item_count} questions that models answer too.",
        )
        for row in own.order_by("pk")
    ]


def register() -> None:
    page_links.QUEUE_WORK.append(questions_of)
