"""The kind of round in which traces are rated: what it brings to campaigns, pages and queues."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from annotation.campaign_acts import next_act_of_ratings
from annotation.engine.campaigns.allocation import AllocationResult
from annotation.engine.campaigns.guideline import guideline_from_dict
from annotation.engine.campaigns.guideline_difference import EntryChange, changed_entries
from annotation.engine.rubric.rubric import current_rubric, rubric
from annotation.forms.campaigns.campaigns import datasets_to_rate
from annotation.forms.campaigns.rounds import GuidelineForm
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    CampaignState,
    Dataset,
    GuidelineVersion,
    Phase,
    Round,
    User,
    round_kinds,
)
from annotation.models.round_kinds import (
    RATINGS,
    GuidelineDraft,
    KindWords,
    QueueCard,
    RoundKind,
    ShownPage,
    Work,
)
from annotation.selectors.campaigns.rounds import rounds_with_progress, text_of
from annotation.selectors.ratings.assignments import videos_watched_by_raters
from annotation.selectors.ratings.queue import queue_of
from annotation.selectors.ratings.reading import guideline_sections, pace_of
from annotation.selectors.ratings.remarks import shown_notes
from annotation.selectors.ratings.training import Training, trainings_of
from annotation.selectors.videos.access import WATCHED_AT_WORK
from annotation.services.campaigns.campaigns import NewCampaign
from annotation.services.ratings import rounds
from annotation.services.records.locks import hold_work

# The page of a campaign shows this many of the things that raters said; the CSV has all.
SHOWN_NOTES = 50


class RatingKind(RoundKind):
    """Rounds in which raters answer the questions of a rubric about traces."""

    name = RATINGS
    label = "Ratings"
    moves_campaign = True
    words = KindWords(
        thing="trace",
        person="Rater",
        act="rate",
        answer="answer",
        assigned="Assigned",
        last="Last rating",
        nobody_yet="Nobody rates here yet",
        closing="Nobody can then rate, submit or reopen traces. Ratings stay. A closed round is"
        " never reopened; to collect more, plan another round.",
        guideline="Raters read the version of their round beside each question, and every rating"
        " points to it.",
        invites="You watch short procedures with and without mistakes side by side, and answer"
        " questions about them.",
    )
    report_page = "campaign-report"
    next_page = "next-trace"
    new_campaign_page = "campaign-create"
    campaign_nav = "annotation/_rating_campaign_nav.html"
    consent_template = "annotation/protocol_page.html"
    welcome_template = "annotation/_rating_welcome.html"
    guideline_template = "annotation/_guideline_sections.html"

    def reading(self, round_: Round) -> dict[str, Any]:
        return {
            "sections": guideline_sections(round_),
            "titles": rubric(round_.ratings.rubric_version).titles,
            "pace": pace_of(round_.campaign_id),
        }

    def news(self, before: GuidelineVersion, after: GuidelineVersion) -> list[EntryChange]:
        """Nothing where one of the texts was not recorded."""
        return changed_entries(before.text, after.text) if before.text and after.text else []

    def begin(self, campaign: Campaign, new: NewCampaign, actor: User | None) -> None:
        rounds.begin_with_round(campaign, new, actor)

    def allocate(self, round_: Round, actor: User | None) -> AllocationResult:
        return rounds.allocate_round(round_, actor)

    def take_back(self, round_: Round, person: User) -> None:
        hold_work(Assignment.objects.filter(round=round_, rater=person))
        rounds.unbegun(round_).filter(rater=person).delete()

    def welcome(self, campaign: Campaign, people: Iterable[User]) -> None:
        rounds.mark_informed(campaign, people)

    def takes_newcomers(self, round_: Round, members: set[int]) -> bool:
        return True

    def after_closing(self, round_: Round, campaign: Campaign, actor: User | None) -> None:
        rounds.after_closing(round_, campaign, actor)

    def guideline_text(
        self, version: GuidelineVersion, text: Mapping[str, object], examples: Sequence[Any]
    ) -> dict[str, Any]:
        return guideline_from_dict(text, current_rubric()).to_dict()

    def work(self) -> Work:
        assignments = Assignment.objects.all()
        return Work(
            rows=assignments,
            person="rater",
            is_begun=Q(started_at__isnull=False) | Q(rating_events__isnull=False),
            is_done=Q(status=AssignmentStatus.SUBMITTED),
            things=assignments,
            counted="trace",
            changed_at="last_answer_at",
            answered="rated_count",
        )

    def datasets(self, user: User) -> QuerySet[Dataset]:
        return datasets_to_rate(user)

    def campaign_page(self, campaign: Campaign, hidden: str) -> ShownPage:
        can_freeze = campaign.state in rounds.FROZEN_FROM
        its_rounds = list(rounds_with_progress(campaign))
        # Who rates leaves them, and before there is a round nobody does.
        has_notes = its_rounds and not hidden
        notes, note_count = shown_notes(campaign, SHOWN_NOTES) if has_notes else ([], 0)
        return ShownPage(
            "annotation/campaign_detail.html",
            {
                "rounds": its_rounds,
                "states": CampaignState.choices,
                "next_act": next_act_of_ratings(campaign, its_rounds, hidden),
                "can_freeze": can_freeze,
                "versions": campaign.guideline_versions.order_by("-number") if can_freeze else (),
                "notes": notes,
                "note_count": note_count,
            },
        )

    def guideline_page(self, version: GuidelineVersion) -> ShownPage:
        before = version.parent
        changed = changed_entries(before.text, version.text) if before and before.text else ()
        titles = current_rubric().titles
        text = text_of(version) if version.text else None
        sections = [
            {
                "definition": definition,
                "texts": [
                    (subject, entry)
                    for (metric, subject), entry in text.texts.items()
                    if metric is definition.metric
                ],
                "examples": [
                    example
                    for example in version.examples
                    if example["metric"] == definition.metric.value
                ],
            }
            for definition in (current_rubric().metrics if text else ())
            if text
        ]
        return ShownPage(
            "annotation/guideline_detail.html",
            {
                "changed": [(titles.get(item.metric, item.metric), item) for item in changed],
                "sections": sections,
            },
        )

    def guideline_form(
        self, version: GuidelineVersion, data: QueryDict | None
    ) -> tuple[GuidelineDraft, str]:
        return GuidelineForm(version, data), "annotation/guideline_edit.html"

    def queue_cards(self, user: User) -> list[QueueCard]:
        cards = queue_of(user)
        is_training = any(card.round.phase == Phase.TRAINING for card in cards)
        trainings = {item.round.pk: item for item in trainings_of(user)} if is_training else {}
        pairs = [(card, trainings.get(card.round.pk)) for card in cards]
        # What was passed is there to be read, behind what is to be done.
        pairs.sort(key=lambda pair: pair[1] is not None and pair[1].qualification.is_qualified)
        return [
            QueueCard(
                "annotation/_rating_card.html",
                {
                    "card": card,
                    "training": training,
                    "waits_for_training": _waits_for_training(card.round, trainings),
                },
                card.round.is_closed,
            )
            for card, training in pairs
        ]


def _waits_for_training(round_: Round, trainings: Mapping[int, Training]) -> bool:
    """Whether a training of the person's lets them into the round, and they have not passed it."""
    checks = getattr(round_, "checks", None)
    training = trainings.get(checks.qualified_by_id) if checks else None
    return training is not None and not training.qualification.is_qualified


def register() -> None:
    round_kinds.register(RatingKind())
    WATCHED_AT_WORK.add(videos_watched_by_raters)
