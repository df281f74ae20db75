"""A kind of round that gives people nothing but a list: the takes that they are to read.

Nobody answers anything, so there is no table of its own: who is in the round has the whole list.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import include, path
from django.utils import timezone

from annotation.engine.campaigns.allocation import AllocationResult
from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.forms.corpus.datasets import choose_among
from annotation.models import Campaign, Dataset, GuidelineVersion, Round, RoundRater, Take, User
from annotation.models.round_kinds import (
    GuidelineDraft,
    KindWords,
    QueueCard,
    RoundKind,
    ShownPage,
    Work,
)
from annotation.permissions import researcher_required
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.campaigns.campaigns import NewCampaign
from annotation.services.campaigns.guidelines import freeze_version, new_version
from annotation.services.campaigns.rounds import add_round
from annotation.views.campaigns.campaigns import create_campaign_page

READING = "reading"


class ReadingGuidelineForm(forms.Form):
    """What readers are told."""

    text = forms.CharField()

    def to_text(self) -> dict[str, object]:
        return {"text": self.cleaned_data["text"]}

    def to_examples(self) -> list[dict[str, Any]]:
        return []


class ReadingKind(RoundKind):
    """Rounds in which people read the takes of a campaign; they are open until it is closed."""

    name = READING
    label = "Reading"
    words = KindWords(
        thing="list",
        person="Reader",
        act="read",
        answer="note",
        assigned="Lists",
        last="Last change",
        nobody_yet="Nobody reads here yet",
        closing="Its list leaves the queues.",
        guideline="Readers see the version of their round above the list.",
        about="In a campaign of reading people get a list of takes.",
        invites="You read a list of takes.",
        new_campaign="New campaign of reading",
        tag="Reading",
    )
    report_page = "campaign-detail"
    next_page = "reading-next"
    new_campaign_page = "reading-campaign"
    campaign_nav = "reading/_nav.html"
    consent_template = "reading/consent.html"

    def begin(self, campaign: Campaign, new: NewCampaign, actor: User | None) -> None:
        text = {"text": "Read each take from its first step to its last."}
        version = new_version(campaign=campaign, actor=actor, text=text)
        frozen = freeze_version(version=version, actor=actor)
        add_round(campaign, kind=READING, guideline=frozen, opened_at=timezone.now())

    def allocate(self, round_: Round, actor: User | None) -> AllocationResult:
        """Everybody has the whole list."""
        return AllocationResult()

    def take_back(self, round_: Round, person: User) -> None:
        """Nothing: the list goes with the place in the round."""

    def welcome(self, campaign: Campaign, people: Iterable[User]) -> None:
        """Nothing is to be known of readers."""

    def takes_newcomers(self, round_: Round, members: set[int]) -> bool:
        return True

    def after_closing(self, round_: Round, campaign: Campaign, actor: User | None) -> None:
        """Nothing follows."""

    def guideline_text(
        self, version: GuidelineVersion, text: Mapping[str, object], examples: Sequence[Any]
    ) -> dict[str, Any]:
        return dict(text)

    def work(self) -> Work:
        places = RoundRater.objects.filter(round__kind=READING)
        return Work(
            rows=places.alias(started_at=F("round__opened_at")),
            person="rater",
            is_begun=Q(),
            is_done=Q(round__closed_at__isnull=False),
            things=places,
            counted="round",
        )

    def datasets(self, user: User) -> QuerySet[Dataset]:
        return visible_datasets(user)

    def campaign_page(self, campaign: Campaign, hidden: str) -> ShownPage:
        return ShownPage("reading/campaign.html", {"rounds": campaign.rounds.all()})

    def guideline_page(self, version: GuidelineVersion) -> ShownPage:
        return ShownPage("reading/guideline.html")

    def guideline_form(
        self, version: GuidelineVersion, data: QueryDict | None
    ) -> tuple[GuidelineDraft, str]:
        return ReadingGuidelineForm(data), "reading/guideline.html"

    def queue_cards(self, user: User) -> list[QueueCard]:
        mine = Round.objects.filter(kind=READING, raters__rater=user, closed_at__isnull=True)
        cards = (
            {"round": round_, "takes": Take.objects.filter(dataset__campaigns=round_.campaign)}
            for round_ in mine.select_related("campaign", "guideline")
        )
        return [QueueCard("reading/_card.html", {"card": card}) for card in cards]


class ReadingCampaignForm(CampaignForm):
    overlap = None  # type: ignore[assignment]
    phase = None  # type: ignore[assignment]
    guideline_version = None  # type: ignore[assignment]
    seed = None  # type: ignore[assignment]

    def __init__(
        self, user: User, data: QueryDict | None = None, *, chosen: Sequence[str] = ()
    ) -> None:
        super().__init__(user, data, chosen=chosen)
        choose_among(self, datasets=visible_datasets(user))

    def to_campaign(self) -> NewCampaign:
        return NewCampaign(self.cleaned_data["name"], kind=READING)


@researcher_required
def create(request: HttpRequest) -> HttpResponse:
    return create_campaign_page(
        request, ReadingCampaignForm, "reading/create.html", "Now add the people who read."
    )


@login_required
def go_on(request: HttpRequest, public_id: str) -> HttpResponse:
    """The list is in the queue itself."""
    return redirect("queue")


urlpatterns = [
    path("reading/new/", create, name="reading-campaign"),
    path("reading/<slug:public_id>/next/", go_on, name="reading-next"),
    path("", include("piev_site.urls")),
]
