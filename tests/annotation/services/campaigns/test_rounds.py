from collections import Counter

import pytest

from annotation.engine.campaigns.guideline import GuidelineError, content_hash
from annotation.models import Assignment, AuditEntry, GuidelineVersion, Phase, Rating
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.guidelines import FrozenGuidelineError, edit_version, new_version
from annotation.services.campaigns.rounds import ProtocolError, close_round
from annotation.services.ratings.rounds import (
    NewRound,
    freeze_protocol,
    open_round,
    plan_round,
    release_campaign,
)
from tests.annotation.campaigns import make_dataset
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    campaign = create_campaign(
        new=NewCampaign("Spring", phase=None), datasets=[make_dataset(10)], actor=None
    )
    add_raters(campaign=campaign, raters=UserFactory.create_batch(3), actor=None)
    return campaign


def opened(campaign, phase, **choices):
    guideline = choices.pop("guideline", None) or campaign.guideline_versions.latest("number")
    new = NewRound(phase, guideline, **choices)
    made = plan_round(campaign=campaign, new=new, actor=None)
    open_round(planned=made, actor=None)
    campaign.refresh_from_db()
    made.refresh_from_db()
    return made


def test_the_whole_protocol_goes_from_draft_to_release(draft):
    states = [draft.state]
    pilot = opened(draft, Phase.PILOT, per_dataset=3)
    states.append(draft.state)
    close_round(closing=pilot, actor=None)
    draft.refresh_from_db()
    states.append(draft.state)
    second = new_version(campaign=draft, parent=pilot.guideline, actor=None)
    states.append(freeze_protocol(campaign=draft, guideline=second, actor=None).state)
    main = opened(draft, Phase.MAIN, guideline=second)
    states.append(draft.state)
    close_round(closing=main, actor=None)
    states.append(release_campaign(campaign=draft, actor=None).state)

    assert states == ["draft", "pilot", "discussion", "frozen", "main", "released"]
    traces = {made: set(made.ratings.traces.values_list("pk", flat=True)) for made in (pilot, main)}
    assert (len(traces[pilot]), len(traces[main]), traces[pilot] & traces[main]) == (3, 7, set())
    actions = Counter(AuditEntry.objects.values_list("action", flat=True))
    assert (actions["round.open"], actions["round.close"], actions["campaign.release"]) == (2, 2, 1)
    with pytest.raises(ProtocolError, match="state released; it can from: closed, draft, frozen"):
        opened(draft, Phase.MAIN)


def test_traces_of_the_pilot_are_rated_again_when_asked_for(draft):
    pilot = opened(draft, Phase.PILOT, per_dataset=3)
    close_round(closing=pilot, actor=None)
    freeze_protocol(campaign=draft, guideline=pilot.guideline, actor=None)

    main = opened(draft, Phase.MAIN, rates_pilot_again=True)

    assert main.ratings.traces.count() == 10
    both = Assignment.objects.filter(trace__in=pilot.ratings.traces.all())
    assert set(Counter(both.values_list("round__number", flat=True))) == {1, 2}
    close_round(closing=main, actor=None)
    assert opened(draft, Phase.MAIN).ratings.traces.count() == 7


def test_a_frozen_version_refuses_edits_and_its_hash_is_that_of_its_words(draft):
    version = draft.guideline_versions.get()
    text = version.text | {"error_validity": version.text["error_validity"]}
    text["error_validity"]["mistake"]["question"] = "Does it matter?"
    edit_version(version=version, actor=None, text=text, examples=[], changes="Shorter")
    made = opened(draft, Phase.PILOT)

    version.refresh_from_db()
    assert version.content_hash == content_hash(version.text, [])
    assert version.text["error_validity"]["mistake"]["question"] == "Does it matter?"
    with pytest.raises(FrozenGuidelineError, match="frozen since"):
        edit_version(version=version, actor=None, text=text, examples=[], changes="")
    assert made.guideline == version


def test_a_frozen_campaign_opens_no_main_round_with_a_draft(draft):
    freeze_protocol(campaign=draft, guideline=draft.guideline_versions.get(), actor=None)
    later = new_version(campaign=draft, parent=draft.guideline_versions.get(), actor=None)

    with pytest.raises(ProtocolError, match="Version 2 of the guideline is a draft"):
        opened(draft, Phase.MAIN, guideline=later)


def test_a_text_without_an_entry_is_refused_by_name(draft):
    version = draft.guideline_versions.get()
    text = {**version.text}
    del text["confusability"]

    with pytest.raises(GuidelineError, match=r"confusability\.mistake has no text"):
        edit_version(version=version, actor=None, text=text, examples=[], changes="")


def test_a_round_is_opened_once_and_never_reopened(draft):
    pilot = opened(draft, Phase.PILOT)
    with pytest.raises(ProtocolError, match="opened before"):
        open_round(planned=pilot, actor=None)
    close_round(closing=pilot, actor=None)
    close_round(closing=pilot, actor=None)
    with pytest.raises(ProtocolError, match="opened before"):
        open_round(planned=pilot, actor=None)

    again = opened(draft, Phase.PILOT)
    assert (again.number, draft.state) == (2, "pilot")


def test_nobody_has_anything_of_a_planned_round(draft):
    guideline = draft.guideline_versions.get()
    plan_round(campaign=draft, new=NewRound(Phase.PILOT, guideline), actor=None)

    assert not Assignment.objects.exists()
    draft.refresh_from_db()
    assert (draft.state, GuidelineVersion.objects.get().is_frozen) == ("draft", False)


def test_who_joins_while_a_round_is_open_works_in_it(draft):
    made = opened(draft, Phase.MAIN, overlap=4)
    newcomer = UserFactory()

    add_raters(campaign=draft, raters=[newcomer], actor=None)

    assert made.raters.filter(rater=newcomer).exists()
    assert Assignment.objects.filter(round=made, rater=newcomer).count() == 10
    assert not Rating.objects.exists()
