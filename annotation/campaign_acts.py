"""The one next act of a campaign: what, where, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from annotation.models import Campaign, CampaignState, Phase
from annotation.page_links import PageLink
from annotation.selectors.campaigns.rounds import must_freeze_first
from annotation.selectors.ratings.reading import size_of_round

# What comes next while no round is planned or open: words, page, reason.
BETWEEN_ROUNDS = {
    CampaignState.DRAFT: (
        "Plan a pilot",
        "round-new",
        "few traces, rated by everybody, show where the guideline is unclear.",
    ),
    CampaignState.DISCUSSION: (
        "Discuss what raters disagree on",
        "desk",
        "then change the guideline, and repeat the pilot or freeze a version for the main round.",
    ),
    CampaignState.FROZEN: (
        "Plan the main round",
        "round-new",
        "the guideline is frozen for it.",
    ),
}
CALLED = {Phase.PILOT: "the pilot", Phase.TRAINING: "the training", Phase.MAIN: "the main round"}


@dataclass(frozen=True, slots=True)
class RoundStand:
    """Where a round stands: what it is called, its page, and what it gives out to whom.

    `size` says what opening it gives people to do.
    """

    called: str
    address: str
    is_open: bool
    is_planned: bool
    people: int
    assigned: int
    done: int
    size: str = ""


def act_in_round(campaign: Campaign, stand: RoundStand) -> PageLink:
    """The next act in a planned or an open round."""
    things = f"{campaign.round_kind.words.thing}s"
    people = reverse("campaign-detail", args=[campaign.public_id]) + "#people-title"
    if stand.is_planned:
        if not stand.people:
            reason = f"nobody would get the {things} of {stand.called}."
            return PageLink("Add people", people, reason=reason)
        return PageLink(f"Open {stand.called}", stand.address, reason=stand.size)
    if not stand.assigned:
        return PageLink("Add people", people, reason=f"no {things} are in a queue.")
    if stand.done == stand.assigned:
        return PageLink(f"Close {stand.called}", stand.address, reason="everybody has finished.")
    reason = f"{stand.done:,} of {stand.assigned:,} are done; close it when all are."
    return PageLink(f"See how far {stand.called} is", stand.address, reason=reason)


def act_between_rounds(campaign: Any, hidden: str) -> PageLink | None:
    """What has to be there before any round: things to work on, and people.

    `campaign` as `campaigns_with_people` counts it; data sets that are `hidden` from who looks
    are not in it.
    """
    own = reverse("campaign-detail", args=[campaign.public_id])
    if not hidden and not campaign.datasets.exists():
        reason = "rounds are about what is in data sets."
        return PageLink("Add a data set", f"{own}#settings-title", reason=reason)
    if not campaign.rater_count:
        reason = f"they find their {campaign.round_kind.words.thing}s in their queue."
        return PageLink("Add people", f"{own}#people-title", reason=reason)
    return None


def act_of_rounds_side_by_side(
    campaign: Campaign, stands: Sequence[RoundStand], first: PageLink, hidden: str
) -> PageLink:
    """The next act where several rounds may be open; `first` is how the first one comes about.

    A round that is planned comes before one that is under way, and that before a finished one.
    """
    if not stands:
        return act_between_rounds(campaign, hidden) or first
    open_ones = [stand for stand in stands if stand.is_open]
    waiting = [stand for stand in open_ones if stand.done < stand.assigned or not stand.assigned]
    for stand in [*(stand for stand in stands if stand.is_planned), *waiting, *open_ones]:
        return act_in_round(campaign, stand)
    last = stands[-1]
    reason = "every round is closed: nothing changes in them any more."
    return PageLink(f"Read the figures of {last.called}", last.address, reason=reason)


def next_act_of_ratings(campaign: Campaign, rounds: Sequence[Any], hidden: str) -> PageLink | None:
    """What is to be done next; `rounds` as `rounds_with_progress` counts them.

    None for a released campaign. `hidden` says that figures are kept from who looks.
    """
    if campaign.state == CampaignState.RELEASED:
        return None
    running = [round_ for round_ in rounds if round_.is_open]
    planned = [round_ for round_ in rounds if not round_.opened_at]
    for round_ in [*running, *planned]:
        if must_freeze_first(round_, campaign) and round_.rater_count:
            own = reverse("campaign-detail", args=[campaign.public_id])
            reason = "the main round goes by a version that no longer changes."
            return PageLink("Freeze the guideline", f"{own}#freeze", reason=reason)
        if round_.is_open or hidden or campaign.datasets.exists():
            return act_in_round(campaign, _stand_of(campaign, round_, hidden))
    if lacking := act_between_rounds(campaign, hidden):
        return lacking
    if campaign.state == CampaignState.CLOSED:
        own = reverse("campaign-detail", args=[campaign.public_id])
        reason = "when its figures are published; to collect more, plan another round."
        return PageLink("Release the campaign", f"{own}#release", reason=reason)
    state = CampaignState(campaign.state)
    words, page, reason = BETWEEN_ROUNDS.get(state, BETWEEN_ROUNDS[CampaignState.DRAFT])
    return PageLink(words, reverse(page, args=[campaign.public_id]), reason=reason)


def _stand_of(campaign: Campaign, round_: Any, hidden: str) -> RoundStand:
    is_sized = not round_.opened_at and round_.rater_count and not hidden
    return RoundStand(
        called=CALLED[Phase(round_.phase)],
        address=reverse("round-detail", args=[campaign.public_id, round_.number]),
        is_open=round_.is_open,
        is_planned=not round_.opened_at,
        people=round_.rater_count,
        assigned=round_.assigned_count,
        done=round_.submitted_count,
        size=f"{size_of_round(round_).words}." if is_sized else "",
    )
