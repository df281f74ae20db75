"""What a user may read of an item set now: its items, its answers, what models were asked."""

from dataclasses import dataclass

from django.db.models import QuerySet

from annotation.models import User
from benchmarks.models import Assessment, Item, ItemSet
from benchmarks.selectors.item_sets import can_look_up_truth, is_answering


@dataclass(frozen=True, slots=True)
class Reader:
    """What a user may read of a set at this moment, found once for all that a page shows.

    Make it anew for each request: what somebody may read changes when they begin to answer.
    """

    user: User
    item_set: ItemSet
    is_answering: bool
    sees_truth: bool

    def items(self) -> QuerySet[Item]:
        """The items that the user may read now, see `readable_items`."""
        return _open_items(self.item_set, is_answering=self.is_answering)

    def assessments(self) -> list[Assessment]:
        """The assessments of the set whose answers the user may read (one query).

        Other participants' answers reveal the truth: a user who may not see it sees them only after
        their own answers to this set are final, and nobody sees them while answering.
        """
        user_id = self.user.pk
        rows = list(self.item_set.assessments.order_by("pk")) if self.item_set.is_frozen else []
        if self.is_answering:
            return [row for row in rows if row.person_id == user_id]
        own = [row for row in rows if user_id in {row.person_id, row.owner_id}]
        return rows if self.sees_truth or any(row.frozen_at for row in own) else own

    def may_see_asked(self, assessment: Assessment) -> bool:
        """Whether the user may read what a participant of the set was asked.

        Of their own participants, and of all where they may see the truth; of none while they
        answer the set, whose later items the questions tell.
        """
        return not self.is_answering and (self.sees_truth or assessment.owner_id == self.user.pk)


def reader_of(user: User, item_set: ItemSet) -> Reader:
    answers_now = is_answering(user, item_set)
    sees_truth = not answers_now and can_look_up_truth(user, item_set)
    return Reader(user, item_set, answers_now, sees_truth)


def readable_items(user: User, item_set: ItemSet) -> QuerySet[Item]:
    """The items that the user may read now.

    While they answer the set, sequences are left out: each item of these opens on the answering
    page once the one before it is answered.
    """
    return _open_items(item_set, is_answering=is_answering(user, item_set))


def _open_items(item_set: ItemSet, *, is_answering: bool) -> QuerySet[Item]:
    items = item_set.items.all() if item_set.is_made else Item.objects.none()
    return items.filter(sequence="") if is_answering else items


def may_see_answers(user: User, assessment: Assessment) -> bool:
    """Whether the answers of an assessment are among those that the user may read."""
    return assessment in reader_of(user, assessment.item_set).assessments()
