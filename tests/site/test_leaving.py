"""What somebody saves while their work is given to others stays, in rounds of every kind."""

import pytest

from annotation.engine.rubric.rubric import Metric
from annotation.models import CampaignRater, RatingEvent, Round, RoundRater, User
from annotation.services.campaigns.campaigns import add_raters, remove_rater
from segments.models import SegmentEvent
from tests.annotation import rating_changes
from tests.at_once import WITH_TWO_WRITERS, raised_after
from tests.factories import (
    AssignmentFactory,
    EventFactory,
    SegmentationFactory,
    SegmentRecordingFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
)
from tests.segments import segmenting
from tests.texts.reading_rounds import text_round
from texts.models import TextVerdict
from texts.services.verdicts import SentVerdict, give_verdict

pytestmark = WITH_TWO_WRITERS


def ratings():
    first = rating_changes.make_assignment()
    second = AssignmentFactory(
        round=first.round, rater=first.rater, trace=TraceFactory(dataset=first.trace.dataset)
    )
    EventFactory(trace=second.trace, index=0)
    first.round.campaign.datasets.add(first.trace.dataset)
    change = rating_changes.change(1, Metric.HUMAN_PLAUSIBILITY, "4")
    return first.rater, lambda own: rating_changes.save(own, change), RatingEvent.objects


def gestures():
    first = segmenting.make_segmentation()
    SegmentationFactory(
        recording=SegmentRecordingFactory(round=first.round, take=TakeFactory()),
        person=first.person,
        position=1,
    )
    insert = segmenting.insert(1, "a", 0, 2)
    saved = SegmentEvent.objects.exclude(name="begin")
    return first.person, lambda own: segmenting.save(own, insert), saved


def verdicts():
    text_round(UserFactory(), texts=2, people=("ann",), overlap=1)
    sent = SentVerdict("accept")
    return (
        User.objects.get(username="ann"),
        lambda own: give_verdict(public_id=own.public_id, sent=sent, actor=own.person),
        TextVerdict.objects.exclude(verdict=""),
    )


KINDS = [ratings, gestures, verdicts]


def works_of(person):
    """The two works of the person, who alone is in their campaign, and the campaign."""
    [round_] = Round.objects.all()
    round_.overlap = 1
    round_.save()
    CampaignRater.objects.get_or_create(campaign=round_.campaign, rater=person)
    RoundRater.objects.get_or_create(round=round_, rater=person)
    return list(round_.campaign.round_kind.work().rows.filter(round=round_)), round_.campaign


@pytest.mark.parametrize("kind", KINDS)
def test_what_somebody_saves_while_they_are_taken_out_stays(kind):
    person, save, saved = kind()
    [first, second], campaign = works_of(person)

    raised = raised_after(
        lambda: save(first), lambda: remove_rater(campaign=campaign, rater=person, actor=None)
    )

    assert (raised, saved.count()) == (None, 1)
    assert list(type(second).objects.all()) == [first]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_begun_while_newcomers_get_their_share_is_not_given_to_them(kind):
    person, save, saved = kind()
    works, campaign = works_of(person)
    newcomer = UserFactory()

    def begin_both():
        for own in works:
            save(own)

    raised = raised_after(
        begin_both, lambda: add_raters(campaign=campaign, raters=[newcomer], actor=None)
    )

    assert (raised, saved.count()) == (None, 2)
    assert list(type(works[0]).objects.order_by("pk")) == works
