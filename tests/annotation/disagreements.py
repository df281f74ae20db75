"""A closed pilot whose three raters differed, with a desk to discuss it on."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.engine.rubric.rubric import Metric
from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import (
    Assignment,
    AssignmentStatus,
    Campaign,
    Event,
    Phase,
    Remark,
    Round,
    Trace,
    User,
)
from annotation.services.campaigns.rounds import close_round
from tests.annotation.stored_ratings import AT, rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)

RATERS = ("ana", "ben", "cleo")


@dataclass
class Pilot:
    """A pilot of one trace with a mistake and its correction, rated by ana, ben and cleo."""

    campaign: Campaign
    round: Round
    trace: Trace
    events: list[Event]
    raters: list[User]
    assignments: list[Assignment]

    def answer(self, metric: Metric, *values: str, event: int | None = 0, **fields) -> None:
        """Give the raters' answers to a metric in their order; "" gives none."""
        of = None if event is None else self.events[event]
        for assignment, value in zip(self.assignments, values, strict=True):
            if value:
                rate(assignment, of, metric, value, **fields)

    def remark(
        self, rater: int, text: str, *, event: int | None = 0, kind: str = "comment"
    ) -> None:
        Remark.objects.create(
            assignment=self.assignments[rater],
            event=self.events[event],
            kind="comment",
            text=text,
            revision=1,
            client_id="tab",
            client_sequence=1,
            written_at=AT,
        )

    def close(self) -> None:
        close_round(closing=self.round, actor=self.campaign.owner)
        self.round.refresh_from_db()
        self.campaign.refresh_from_db()


def make_pilot(owner: User | None, *, names=RATERS, trace: Trace | None = None) -> Pilot:
    if trace is None:
        dataset = DatasetFactory(owner=owner)
        take = TakeFactory(dataset=dataset)
        step = StepFactory(take=take)
        trace = TraceFactory(dataset=dataset, take=take)
        mistake = EventFactory(trace=trace, index=0)
        repair = EventFactory(trace=trace, index=1, kind=EventKind.CORRECTION, target=mistake)
        TraceStepFactory(
            trace=trace, mod=Mod.ERROR, text="Spill it", reference_step=step, event=mistake
        )
        TraceStepFactory(trace=trace, index=1, mod=Mod.CORRECTION, text="Wipe it", event=repair)
    campaign = CampaignFactory(owner=owner, phase=Phase.PILOT, overlap=len(names))
    campaign.datasets.add(trace.dataset)
    raters = [UserFactory(username=name) for name in names]
    assignments = [
        AssignmentFactory(
            campaign=campaign,
            rater=rater,
            trace=trace,
            status=AssignmentStatus.SUBMITTED,
            submitted_at=timezone.now(),
        )
        for rater in raters
    ]
    events = list(trace.events.order_by("index"))
    return Pilot(campaign, campaign.rounds.get(), trace, events, raters, assignments)
