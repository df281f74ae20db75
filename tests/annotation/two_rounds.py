"""A campaign with a pilot and a main round over one data set, rated so that figures differ."""

from django.utils import timezone

from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import GuidelineVersion, Phase, RatingRound, Round
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)

# Of six traces with an event each: what two raters say of Confusability in the pilot, and then.
PILOT = (("1", "3"), ("2", "2"), ("4", "1"), ("5", "5"), ("3", "4"), ("2", "5"))
MAIN = (("1", "1"), ("2", "2"), ("4", "3"), ("5", "5"), ("3", "3"), ("2", "2"))


def make_two_rounds(owner, *, name="Audit", dataset_name="Tea", times=1):
    """The campaign; each trace has five steps, of which two are marked, and one event.

    There are so many `times` six traces; of less than 25 the t intervals go beyond 1.
    """
    dataset = DatasetFactory(name=dataset_name, owner=owner)
    campaign = CampaignFactory(name=name, owner=owner, phase=Phase.PILOT, seed=7)
    campaign.datasets.add(dataset)
    traces = [
        TraceFactory(dataset=dataset, uid=f"t{number}") for number in range(times * len(PILOT))
    ]
    events = {}
    for trace in traces:
        events[trace] = EventFactory(trace=trace, index=0, kind=EventKind.MISTAKE)
        marks = (Mod.UNCHANGED, Mod.MOVED_SOURCE, Mod.MOVED_TARGET, Mod.CASCADE, Mod.UNCHANGED)
        for index, mod in enumerate(marks):
            is_marked = mod in (Mod.MOVED_SOURCE, Mod.MOVED_TARGET)
            TraceStepFactory(
                trace=trace, index=index, mod=mod, event=events[trace] if is_marked else None
            )
    raters = [UserFactory(), UserFactory()]
    pilot = campaign.rounds.get()
    Round.objects.filter(pk=pilot.pk).update(closed_at=timezone.now())
    guideline = GuidelineVersion.objects.create(
        campaign=campaign, number=2, name="2", frozen_at=timezone.now()
    )
    main = Round.objects.create(
        campaign=campaign, number=2, guideline=guideline, overlap=2, opened_at=timezone.now()
    )
    RatingRound.objects.create(round=main, rubric_version="2")
    for made, values in ((pilot, PILOT), (main, MAIN)):
        for trace, given in zip(traces, times * values, strict=True):
            for rater, value in zip(raters, given, strict=True):
                assignment = AssignmentFactory(
                    campaign=campaign, round=made, rater=rater, trace=trace
                )
                rate(assignment, events[trace], Metric.CONFUSABILITY, value)
    return campaign
