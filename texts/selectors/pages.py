"""The page of one text, as the person who reads it sees it.

Nothing here may reveal who made the text, what group it is of, or what others said.
"""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.models import Step, User
from annotation.selectors.videos.media import ShownMedia, shown_media
from texts.engine.vocabulary import Vocabulary
from texts.models import TextVerdict
from texts.selectors.verdicts import own_verdict


@dataclass(frozen=True, slots=True)
class ShownStep:
    number: int
    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class TextPage:
    """One text, number `number` of the person's `total`, of which `given` have a verdict.

    `asks_blind`: the answer is not shown until the person has given one.
    """

    own: TextVerdict
    vocabulary: Vocabulary
    steps: tuple[ShownStep, ...]
    media: ShownMedia | None
    number: int
    total: int
    given: int
    asks_blind: bool

    @property
    def has_others(self) -> bool:
        """Whether others in the person's queue wait for a verdict."""
        return self.can_give and self.given + (not self.own.verdict) < self.total

    @property
    def can_give(self) -> bool:
        return not self.own.round.is_closed


def text_page(user: User, public_id: str) -> TextPage:
    """One of the user's own; raises `TextVerdict.DoesNotExist` (4 queries)."""
    own = own_verdict(user, public_id)
    item = own.item
    places = TextVerdict.objects.filter(round=own.round_id, person=own.person_id)
    counts = places.aggregate(
        before=Count("pk", filter=Q(position__lt=own.position)),
        given=Count("pk", filter=~Q(verdict="")),
        total=Count("pk"),
    )
    shown_text = shown_text_of(item.take.dataset.format)
    steps = Step.objects.filter(take=item.take_id).order_by("index").values_list("index", "text")
    video = item.recorded.video
    return TextPage(
        own=own,
        vocabulary=Vocabulary.from_dict(own.round.texts.vocabulary),
        steps=tuple(
            ShownStep(number, shown_text(text), is_marked=index == item.step_index)
            for number, (index, text) in enumerate(steps, start=1)
        ),
        media=shown_media(video) if video else None,
        number=counts["before"] + 1,
        total=counts["total"],
        given=counts["given"],
        asks_blind=own.round.texts.is_blind_first and bool(item.answer) and not own.blind_answer,
    )
