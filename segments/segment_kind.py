"""The kind of round in which people segment recordings."""

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
from segments.engine.scheme import scheme
from segments.forms.campaigns import datasets_to_label
from segments.forms.rounds import SegmentGuidelineForm
from segments.models import DONE, SEGMENTS, Segmentation, SegmentRecording
from segments.selectors.rounds import segment_queue, segment_rounds, task_words
from segments.selectors.sources import unbegun
from segments.services.guidelines import checked_text
from segments.services.rounds import allocate_recordings


class SegmentKind(RoundKind):
    """Rounds in which people mark, check or decide when something begins and ends.

    Several run side by side, so opening or closing one does not change the campaign's state.
    """

    name = SEGMENTS
    label = "Segments"
    words = KindWords(
        thing="recording",
        person="Person",
        act="work",
        answer="segment",
        assigned="Assigned",
        last="Last change",
        nobody_yet="Nobody works here yet",
        closing="All its rounds end: nothing can be changed, submitted or returned any more. The"
        " segments stay, and can be published.",
        guideline="People read the version of their round while they work, and every segment points"
        " to it. The first version for a scheme has the boundaries of the scheme.",
        about="In a campaign of segments people mark when steps and mistakes begin and end, or"
        " check such marks.",
        invites="You watch recordings of procedures and mark when steps and mistakes begin and end,"
        " or check such marks.",
        new_campaign="New campaign of segments",
        tag="Segments",
    )
    report_page = "campaign-detail"
    next_page = "segments-next"
    new_campaign_page = "segment-campaign"
    campaign_nav = "segments/_campaign_nav.html"
    consent_template = "segments/consent.html"
    welcome_template = "segments/_welcome.html"

    def comparable(self, version: GuidelineVersion) -> Q:
        """Those of its scheme: rounds of several schemes run side by side."""
        return Q(kind=SEGMENTS, text__scheme=version.text["scheme"])

    def begin(self, campaign: Campaign, new: NewCampaign, actor: User | None) -> None:
        """Nothing: its rounds are planned one by one."""

    def allocate(self, round_: Round, actor: User | None) -> AllocationResult:
        return allocate_recordings(round_, actor)

    def take_back(self, round_: Round, person: User) -> None:
        hold_work(unbegun(round_).filter(person=person))
        unbegun(round_).filter(person=person).delete()

    def welcome(self, campaign: Campaign, people: Iterable[User]) -> None:
        """Nothing: people who segment never learn a source."""

    def takes_newcomers(self, round_: Round, members: set[int]) -> bool:
        """Whether all earlier members work in it; a round of chosen people gets nobody else."""
        return members <= set(round_.raters.values_list("rater_id", flat=True))

    def after_closing(self, round_: Round, campaign: Campaign, actor: User | None) -> None:
        """Nothing: the researcher plans the next round."""

    def guideline_text(
        self, version: GuidelineVersion, text: Mapping[str, object], examples: Sequence[Any]
    ) -> dict[str, Any]:
        return checked_text(version, text, examples)

    def work(self) -> Work:
        return Work(
            rows=Segmentation.objects.all(),
            person="person",
            is_begun=Q(started_at__isnull=False),
            is_done=Q(status__in=DONE),
            things=SegmentRecording.objects.all(),
            changed_at="events__received_at",
        )

    def datasets(self, user: User) -> QuerySet[Dataset]:
        return datasets_to_label(user)

    def campaign_page(self, campaign: Campaign, hidden: str) -> ShownPage:
        # With their counts, which the type of a round does not have.
        counted_rounds: list[Any] = list(segment_rounds(campaign))
        rounds = [(round_, task_words(round_)) for round_ in counted_rounds]
        own = campaign.public_id
        stands = [
            RoundStand(
                called=f"round {round_.number}",
                address=reverse("segment-round", args=[own, round_.number]),
                is_open=round_.is_open,
                is_planned=not round_.opened_at,
                people=round_.rater_count,
                assigned=round_.assigned_count,
                done=round_.submitted_count,
                size="" if hidden else f"{counted(round_.recording_count, 'recording')}.",
            )
            for round_ in counted_rounds
        ]
        reason = "it gives recordings to people, to label, check or decide."
        first = PageLink("Plan a round", reverse("segment-round-new", args=[own]), reason=reason)
        act = act_of_rounds_side_by_side(campaign, stands, first, hidden)
        return ShownPage("segments/campaign_detail.html", {"rounds": rounds, "next_act": act})

    def guideline_page(self, version: GuidelineVersion) -> ShownPage:
        before = version.parent
        words, old = version.text["text"], before.text["text"] if before else ""
        return ShownPage(
            "segments/guideline_detail.html",
            {
                "parts": word_parts(old, words) if before and old != words else (),
                "scheme": scheme(version.text["scheme"], version.text["scheme_version"]),
            },
        )

    def guideline_form(
        self, version: GuidelineVersion, data: QueryDict | None
    ) -> tuple[GuidelineDraft, str]:
        return SegmentGuidelineForm(version, data), "segments/guideline_edit.html"

    def queue_cards(self, user: User) -> list[QueueCard]:
        return [
            QueueCard(
                "segments/_card.html",
                {"card": card},
                card.round.is_closed,
                any(recording.reason for recording in card.open_recordings),
            )
            for card in segment_queue(user)
        ]
