"""A campaign whose main round is open to who passes a training of three traces with gold."""

from dataclasses import dataclass, field

from annotation.engine.ratings.changes import Answer
from annotation.engine.rubric.rubric import Metric
from annotation.models import Assignment, Campaign, Phase, Round, Trace, User
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.ratings.assignments import submit_assignment
from annotation.services.ratings.gold import NewChecks, NewGold, mark_gold, plan_checks
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.rating_changes import EVENT_ANSWERS, change, save
from tests.factories import DatasetFactory, EventFactory, TraceFactory, UserFactory

LOGIC, TAXONOMY = Metric.PROCEDURE_LOGIC, Metric.TAXONOMY_FIT


@dataclass
class TrainingCampaign:
    """Gold says that logic is broken and that the event is a wrong execution."""

    campaign: Campaign
    training: Round
    main: Round
    raters: list[User]
    gold: list[Trace]
    sequence: int = field(default=0)

    def queue(self, rater: User) -> list[Assignment]:
        """Return what the rater has to rate in the training, in order."""
        rows = Assignment.objects.filter(round=self.training, rater=rater, status="open")
        return list(rows.select_related("round__campaign", "rater").order_by("position"))

    def answer(self, assignment: Assignment, *, is_right: bool = True) -> None:
        """Answer everything about the one event and submit."""
        answers = dict(EVENT_ANSWERS)
        if not is_right:
            answers |= {LOGIC: Answer("no", 3), TAXONOMY: Answer("D")}
        assignment.refresh_from_db()
        revisions = {item.metric: item.revision for item in assignment.ratings.all()}
        for metric, answer in answers.items():
            self.sequence += 1
            save(
                assignment,
                change(
                    self.sequence,
                    metric,
                    answer.value,
                    answer.confidence,
                    base=revisions.get(metric, 0),
                ),
            )
        submit_assignment(assignment=assignment, actor=assignment.rater)

    def finish(self, rater: User, *, right: int = 3) -> None:
        """Rate all traces of the attempt, so many of them as is accepted."""
        for place, row in enumerate(self.queue(rater)):
            self.answer(row, is_right=place < right)


def with_event(trace: Trace) -> Trace:
    EventFactory(trace=trace, index=0)
    return trace


def training_campaign(owner: User, *, raters: int = 1, **rule) -> TrainingCampaign:
    dataset = DatasetFactory(owner=owner)
    traces = [with_event(TraceFactory(dataset=dataset)) for _ in range(6)]
    campaign = create_campaign(
        new=NewCampaign(name="Tea audit", phase=None), datasets=[dataset], actor=owner
    )
    people = UserFactory.create_batch(raters)
    add_raters(campaign=campaign, raters=people, actor=owner)
    gold = traces[:3]
    for trace in gold:
        for metric, value in ((LOGIC, "yes"), (TAXONOMY, "WE")):
            new = NewGold(0, metric, [value], reason="The kettle stays empty.")
            mark_gold(campaign=campaign, trace=trace, new=new, actor=owner)
    guideline = campaign.guideline_versions.get()
    training = plan_round(
        campaign=campaign, new=NewRound(Phase.TRAINING, guideline, seed=3), actor=owner
    )
    plan_checks(round_=training, new=NewChecks(**rule), actor=owner)
    main = plan_round(
        campaign=campaign, new=NewRound(Phase.MAIN, guideline, overlap=1, seed=3), actor=owner
    )
    plan_checks(round_=main, new=NewChecks(qualified_by=training), actor=owner)
    open_round(planned=training, actor=owner)
    open_round(planned=main, actor=owner)
    for made in (training, main):
        made.refresh_from_db()
    return TrainingCampaign(campaign, training, main, people, gold)
