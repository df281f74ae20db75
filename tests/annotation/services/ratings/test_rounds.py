"""What happens when a round of ratings opens and closes: in this order, all of it or nothing."""

import pytest

from annotation.models import AuditEntry, Phase, RoundRater
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings import rounds
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.campaigns import make_dataset
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def planned(phase):
    campaign = create_campaign(
        new=NewCampaign("Spring", phase=None), datasets=[make_dataset(4)], actor=None
    )
    add_raters(campaign=campaign, raters=UserFactory.create_batch(3), actor=None)
    guideline = campaign.guideline_versions.get()
    return plan_round(campaign=campaign, new=NewRound(phase, guideline), actor=None)


def actions_after(entry):
    return list(
        AuditEntry.objects.filter(pk__gt=entry.pk).order_by("pk").values_list("action", flat=True)
    )


def test_a_main_round_freezes_and_files_before_traces_are_given_out():
    round_ = planned(Phase.MAIN)
    before = AuditEntry.objects.latest("pk")

    open_round(planned=round_, actor=None)

    assert actions_after(before) == [
        "guideline.freeze", "protocol.file", "round.open", "campaign.allocate"
    ]  # fmt: skip


def test_giving_out_lets_nobody_in_and_sets_gold_aside_before_it_shares(monkeypatch):
    steps = ("hold_back_unqualified", "set_gold_aside", "share_out", "reserve", "place_checks")
    done = []
    for name in steps:
        step = getattr(rounds, name)

        def noted(*args, name=name, step=step, **options):
            done.append(name)
            return step(*args, **options)

        monkeypatch.setattr(rounds, name, noted)

    open_round(planned=planned(Phase.PILOT), actor=None)

    assert done == list(steps)


def test_a_pilot_moves_the_campaign_on_and_draws_its_cases_when_it_closes():
    round_ = planned(Phase.PILOT)
    open_round(planned=round_, actor=None)
    before = AuditEntry.objects.latest("pk")

    close_round(closing=round_, actor=None)

    round_.campaign.refresh_from_db()
    assert (round_.campaign.state, actions_after(before)) == ("discussion", ["round.close"])


def test_a_round_stays_open_where_what_follows_its_closing_fails(monkeypatch):
    round_ = planned(Phase.PILOT)
    open_round(planned=round_, actor=None)

    def fail(**options):
        raise RuntimeError("no desk today")

    monkeypatch.setattr(rounds, "draw_cases", fail)
    with pytest.raises(RuntimeError, match="no desk"):
        close_round(closing=round_, actor=None)

    round_.refresh_from_db()
    round_.campaign.refresh_from_db()
    assert (round_.is_closed, round_.campaign.state) == (False, "pilot")
    assert RoundRater.objects.filter(round=round_).count() == 3
