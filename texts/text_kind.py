"""The kind of round in which people read short texts about recordings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.urls import reverse

from annotation.campaign_acts import RoundStand, act_of_rounds_side_by_side
from annotation.engine.campaigns.allocation import AllocationResult
from annotation.engine.campaigns.guideline_difference import word_parts
from annotation.engine.counting import counted
from annotation.models import Campaign, Dataset, GuidelineVersion, Round, User
from annotation.models.round_kinds import (
    GuidelineDraft,
    KindWords,
    QueueCard,
    RoundKind,
    ShownPage,
    Work,
)
from annotation.page_links import PageLink
from annotation.services.campaigns.campaigns import NewCampaign
from annotation.services.records.locks import hold_work
from texts.forms.campaigns import TextGuidelineForm, datasets_to_read
from texts.models import TEXTS, TextItem, TextVerdict
from texts.selectors.rounds import pace_of, text_queue, text_rounds
from texts.services.guidelines import checked_text
from texts.services.rounds import allocate_texts


class TextKind(RoundKind):
    """Rounds in which people give verdicts on texts; several run side by side."""

    name = TEXTS
    label = "Texts"
    words = KindWords(
        thing="text",
        person="Reader",
        act="read",
        answer="verdict",
        assigned="Texts",
        last="Last verdict",
        nobody_yet="Nobody reads here yet",
        closing="No verdict can be given or changed any more. The verdicts stay.",
        guideline="People read the version of their round beside each text.",
        about="In a campaign of texts people say of short texts about recordings whether they"
        " can be used, or make sense.",
        invites="You read short texts about recordings, and say of each whether it can be used, or"
        " makes sense.",
        new_campaign="New campaign of texts",
        tag="Texts",
    )
    report_page = "campaign-detail"
    next_page = "text-next"
    new_campaign_page = "text-campaign"
    campaign_nav = "texts/_campaign_nav.html"
    consent_template = "texts/consent.html"
    welcome_template = "texts/_welcome.html"

    def reading(self, round_: Round) -> dict[str, Any]:
        return {"pace": pace_of(round_.campaign_id)}

    def begin(self, campaign: Campaign, new: NewCampaign, actor: User | None) -> None:
        """Nothing: whoever has texts plans its rounds."""

    def allocate(self, round_: Round, actor: User | None) -> AllocationResult:
        return allocate_texts(round_, actor) if round_.opened_at else AllocationResult()

    def take_back(self, round_: Round, person: User) -> None:
        """Also what was opened only: a text would wait for a verdict that never comes."""
        places = TextVerdict.objects.filter(round=round_, person=person)
        hold_work(places)
        places.filter(verdict="", blind_answer="").delete()

    def welcome(self, campaign: Campaign, people: Iterable[User]) -> None:
        """Nothing: who reads a text never learns where it comes from."""

    def takes_newcomers(self, round_: Round, members: set[int]) -> bool:
        return True

    def after_closing(self, round_: Round, campaign: Campaign, actor: User | None) -> None:
        """Nothing: whoever handed the texts over reads the verdicts."""

    def guideline_text(
        self, version: GuidelineVersion, text: Mapping[str, object], examples: Sequence[Any]
    ) -> dict[str, Any]:
        return checked_text(text, examples)

    def work(self) -> Work:
        return Work(
            rows=TextVerdict.objects.all(),
            person="person",
            is_begun=Q(started_at__isnull=False),
            is_done=~Q(verdict=""),
            things=TextItem.objects.all(),
            changed_at="given_at",
        )

    def datasets(self, user: User) -> QuerySet[Dataset]:
        return datasets_to_read(user)

    def campaign_page(self, campaign: Campaign, hidden: str) -> ShownPage:
        # With their counts, which the type of a round does not have.
        rounds: list[Any] = list(text_rounds(campaign))
        stands = [
            RoundStand(
                called=f"round {round_.number}",
                address=reverse("text-round", args=[campaign.public_id, round_.number]),
                is_open=round_.is_open,
                is_planned=not round_.opened_at,
                people=round_.rater_count,
                assigned=round_.assigned_count,
                done=round_.given_count,
                size="" if hidden else f"{counted(round_.text_count, 'text')}.",
            )
            for round_ in rounds
        ]
        reason = "its page hands texts over to be read; a question set does so too."
        first = PageLink("Open a data set", reverse("datasets"), reason=reason)
        act = act_of_rounds_side_by_side(campaign, stands, first, hidden)
        return ShownPage("texts/campaign_detail.html", {"rounds": rounds, "next_act": act})

    def guideline_page(self, version: GuidelineVersion) -> ShownPage:
        before = version.parent
        words, old = version.text["text"], before.text["text"] if before else ""
        parts = word_parts(old, words) if before and old != words else ()
        return ShownPage("texts/guideline_detail.html", {"parts": parts})

    def guideline_form(
        self, version: GuidelineVersion, data: QueryDict | None
    ) -> tuple[GuidelineDraft, str]:
        return TextGuidelineForm(version, data), "texts/guideline_edit.html"

    def queue_cards(self, user: User) -> list[QueueCard]:
        return [
            QueueCard("texts/_card.html", {"card": card}, card.round.is_closed)
            for card in text_queue(user)
        ]
