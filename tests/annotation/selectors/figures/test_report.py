"""The report's counts come from SQL and say what was rated, by how many, and what is missing."""

import numpy as np
import pytest
from django.utils import timezone

from annotation.analytics.agreement.agreement import krippendorff_alpha
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.report import build_report
from annotation.engine.rubric.rubric import Level, Metric
from annotation.engine.taxonomy import EventKind
from annotation.models import (
    Assignment,
    Campaign,
    Dataset,
    GuidelineVersion,
    Phase,
    Purpose,
    Rating,
    RatingRound,
    Round,
    Take,
    Trace,
)
from annotation.selectors.figures.report import (
    Grouping,
    ReportScope,
    report_dataset,
    report_inputs,
    report_rounds,
)
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
)


@pytest.fixture
def dataset(owner) -> Dataset:
    """Two traces, the second with a video, one event each, two raters on both."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    traces = [
        TraceFactory(dataset=dataset, uid="a"),
        TraceFactory(dataset=dataset, uid="b", video=VideoFactory(dataset=dataset)),
    ]
    campaign = CampaignFactory(name="Main", owner=owner)
    for trace in traces:
        event = EventFactory(trace=trace, index=0)
        for value in ("4", "5"):
            assignment = AssignmentFactory(campaign=campaign, trace=trace)
            rate(assignment, event, Metric.CONFUSABILITY, value)
            rate(assignment, event, Metric.PROCEDURE_LOGIC, "no", confidence=int(value) - 3)
            rate(assignment, event, Metric.SEQUENCE_CONSISTENCY, "5", is_implied=True)
    return dataset


def scope_of(user, *, campaign=None, **options):
    dataset = report_dataset(user, "Tea")
    return ReportScope(dataset, report_rounds(user, campaign=campaign), **options)


def inputs(user, **options):
    found = report_inputs(scope_of(user, **options))
    return {item.metric: item for item in found}


def another_round(campaign, *, phase=Phase.MAIN, guideline=None, **fields):
    last = campaign.rounds.latest("number")
    made = Round.objects.create(
        campaign=campaign,
        number=last.number + 1,
        phase=phase,
        guideline=last.guideline if guideline is None else guideline,
        opened_at=timezone.now(),
        **fields,
    )
    RatingRound.objects.create(round=made, rubric_version=last.ratings.rubric_version)
    return made


def test_report_inputs_count_values_per_event(owner, dataset, django_assert_num_queries):
    scope = scope_of(owner)
    with django_assert_num_queries(6):
        found = {item.metric: item for item in report_inputs(scope)}

    assert list(found) == list(Metric)
    confusability = found[Metric.CONFUSABILITY]
    assert confusability.counts.tolist() == [[0, 0, 0, 1, 1]] * 2
    assert confusability.expected.tolist() == [2, 2]
    assert confusability.clusters.tolist() == [0, 1]
    assert (confusability.rater_count, confusability.missing_count) == (4, 0)
    assert found[Metric.SEQUENCE_CONSISTENCY].implied_count == 4
    logic = found[Metric.PROCEDURE_LOGIC].logic_tallies
    assert np.array_equal(logic, [[[1, 1, 0], [0, 0, 0]]] * 2)
    assert found[Metric.ERROR_VALIDITY].missing_count == 4


def test_report_inputs_tell_corrections_from_mistakes(owner, dataset):
    trace = Trace.objects.get(uid="a")
    EventFactory(trace=trace, index=1, event_id="C01", kind=EventKind.CORRECTION)

    found = inputs(owner)

    assert found[Metric.CONFUSABILITY].is_correction.sum() == 1
    keys = found[Metric.CONFUSABILITY].keys[found[Metric.CONFUSABILITY].is_correction]
    assert [item.event_id for item in trace.events.filter(pk__in=keys.tolist())] == ["C01"]
    assert not found[Metric.TEXT_VIDEO_GROUNDING].is_correction.any()


def test_report_inputs_have_video_units_where_there_is_a_video(owner, dataset):
    found = inputs(owner)

    assert found[Metric.VIDEO_PLAUSIBILITY].unit_count == 1
    assert found[Metric.TEXT_VIDEO_GROUNDING].expected.tolist() == [2]


def test_report_inputs_keep_ratings_of_a_video_that_was_unlinked(owner, dataset):
    assignment = Assignment.objects.filter(trace__uid="b").first()
    rate(assignment, None, Metric.TEXT_VIDEO_GROUNDING, "3")
    dataset.traces.update(video=None)

    assert inputs(owner)[Metric.TEXT_VIDEO_GROUNDING].counts.tolist() == [[0, 0, 1, 0, 0]]


def test_report_inputs_leave_out_cleared_open_and_other_campaigns(owner, dataset):
    Rating.objects.filter(value="4").update(value="")
    first = Assignment.objects.get(
        trace__uid="a", ratings__metric=Metric.CONFUSABILITY, ratings__value="5"
    )
    Assignment.objects.filter(pk=first.pk).update(status="submitted", submitted_at=timezone.now())
    CampaignFactory(name="Other", owner=owner)

    assert inputs(owner)[Metric.CONFUSABILITY].rating_count == 2
    submitted = inputs(owner, is_submitted_only=True)[Metric.CONFUSABILITY]
    assert (submitted.rating_count, submitted.missing_count) == (1, 0)
    assert inputs(owner, campaign="Other")[Metric.CONFUSABILITY].rating_count == 0


def test_report_scope_hides_what_is_not_the_users(owner, outsider, annotator, dataset):
    for user in (outsider, annotator):
        with pytest.raises(Dataset.DoesNotExist):
            report_dataset(user, "Tea")
    Dataset.objects.update(is_shared=True)
    with pytest.raises(Campaign.DoesNotExist):
        report_rounds(outsider, campaign="Main")

    assert inputs(outsider)[Metric.CONFUSABILITY].rating_count == 0
    assert inputs(None)[Metric.CONFUSABILITY].rating_count == 4


def test_what_cannot_be_judged_is_counted_apart_and_is_not_missing(owner, dataset):
    assignment = Assignment.objects.order_by("pk").first()
    before = inputs(owner)[Metric.ERROR_VALIDITY]
    event = assignment.trace.events.get()
    rate(assignment, event, Metric.ERROR_VALIDITY, "", cannot_judge="unclear")

    after = inputs(owner)[Metric.ERROR_VALIDITY]
    row = build_report([after], resamples=0)[0]

    assert (before.missing_count, before.unjudged_count) == (4, 0)
    assert (after.missing_count, after.unjudged_count, after.rating_count) == (3, 1, 0)
    assert after.unjudged.tolist() == [1, 0]
    assert (row.missing, row.unjudged, row.to_dict()["unjudged"]) == (3, 1, 1)
    assert before.hash != after.hash


def test_metrics_of_the_video_are_not_due_from_who_goes_without_it(owner, dataset):
    assignment = Assignment.objects.filter(trace__uid="b").order_by("pk").first()
    before = inputs(owner)[Metric.VIDEO_PLAUSIBILITY]
    Assignment.objects.filter(pk=assignment.pk).update(is_without_video=True)

    after = inputs(owner)

    assert (before.expected.tolist(), before.missing_count) == ([2], 2)
    assert after[Metric.VIDEO_PLAUSIBILITY].expected.tolist() == [1]
    assert after[Metric.ERROR_VALIDITY].expected.tolist() == [2, 2]


def rate_again(rater_ratings, into):
    """Ratings {(rater, trace uid): value} of Confusability in a round."""
    for (rater, uid), value in rater_ratings.items():
        trace = Trace.objects.get(uid=uid)
        assignment = AssignmentFactory(round=into, campaign=into.campaign, rater=rater, trace=trace)
        rate(assignment, trace.events.get(), Metric.CONFUSABILITY, value)


def test_rounds_are_never_pooled_unless_asked(owner, dataset):
    campaign = Campaign.objects.get()
    raters = [item.rater for item in campaign.raters.order_by("pk")][:2]
    second = another_round(campaign)
    rate_again({(raters[0], "a"): "1", (raters[1], "a"): "1"}, second)

    by_round = [item for item in report_inputs(scope_of(owner)) if item.metric == "confusability"]
    [pooled] = [
        item
        for item in report_inputs(scope_of(owner, grouping=Grouping.POOLED))
        if item.metric == "confusability"
    ]

    assert [item.counts.tolist() for item in by_round] == [
        [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1]],
        [[2, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
    ]
    assert [item.basis.rounds for item in by_round] == [(1,), (2,)]
    # The two who answered again count once, by what they said last.
    assert pooled.counts.tolist() == [[2, 0, 0, 0, 0], [0, 0, 0, 1, 1]]
    assert pooled.expected.tolist() == [2, 2]
    assert pooled.basis.text == "2 rounds pooled, of each rater the last answer, guideline 1"


def test_pooled_rounds_do_not_inflate_alpha(owner):
    """Worked by hand in the shared cases (e02): .139, and .260 where a person counted twice."""
    answers = [
        [[2, 4], [3], [5]], [[1, 1], [2, 3], [1]], [[4], [4, 4], [2]],
        [[5, 3], [4], [4, 5]], [[3], [2], [3, 3]], [[2, 2], [5, 5], [1, 1]],
    ]  # fmt: skip
    dataset = DatasetFactory(name="Tea", owner=owner)
    campaign = CampaignFactory(name="Main", owner=owner, phase=Phase.PILOT)
    pilot, main = campaign.rounds.get(), another_round(campaign)
    raters = [UserFactory() for _ in range(3)]
    for unit, row in enumerate(answers):
        trace = TraceFactory(dataset=dataset, uid=f"t{unit}")
        event = EventFactory(trace=trace, index=0)
        for rater, given in zip(raters, row, strict=True):
            # The last answer is of the main round, an earlier one of the pilot.
            for value, made in zip(given[::-1], (main, pilot), strict=False):
                assignment = AssignmentFactory(
                    round=made, campaign=campaign, rater=rater, trace=trace
                )
                rate(assignment, event, Metric.CONFUSABILITY, str(value))

    pooled = inputs(owner, grouping=Grouping.POOLED)[Metric.CONFUSABILITY]

    alpha = krippendorff_alpha(pooled.counts, Level.ORDINAL).value
    assert alpha == pytest.approx(0.13858923648567661)


def test_rounds_under_one_guideline_stand_together_when_asked(owner, dataset):
    campaign = Campaign.objects.get()
    refined = GuidelineVersion.objects.create(
        campaign=campaign, number=2, name="refined", frozen_at=timezone.now()
    )
    same, other = another_round(campaign), another_round(campaign, guideline=refined)
    rater = campaign.raters.first().rater
    for made in (same, other):
        rate_again({(rater, "a"): "2"}, made)

    found = [
        item.basis
        for item in report_inputs(scope_of(owner, grouping=Grouping.GUIDELINE))
        if item.metric == "confusability"
    ]

    assert [(basis.rounds, basis.guidelines) for basis in found] == [
        ((1, 2), ("1",)),
        ((3,), ("refined",)),
    ]


def test_gold_and_repeats_enter_no_figure_between_raters(owner, dataset):
    assignment = Assignment.objects.filter(trace__uid="a").order_by("pk").first()
    before = inputs(owner)[Metric.CONFUSABILITY]
    for purpose in (Purpose.GOLD, Purpose.REPEAT):
        extra = AssignmentFactory(
            round=assignment.round, campaign=assignment.round.campaign,
            rater=assignment.rater, trace=assignment.trace, purpose=purpose,
        )  # fmt: skip
        rate(extra, assignment.trace.events.get(), Metric.CONFUSABILITY, "1")

    assert inputs(owner)[Metric.CONFUSABILITY].hash == before.hash


def test_report_of_a_round_has_its_own_rubric_text_and_seed(owner, dataset):
    made = Round.objects.get()
    Round.objects.update(seed=17, phase=Phase.PILOT)
    RatingRound.objects.update(rubric_version="1")

    found = inputs(owner)[Metric.CONFUSABILITY]

    assert found.basis == Basis(
        campaign="Main", rounds=(1,), phase="pilot", guidelines=(made.guideline.name,),
        rubric="1", seed=17, step_words=("arrows",),
    )  # fmt: skip


def test_units_of_a_round_are_the_traces_that_were_drawn_for_it(owner, dataset):
    made = Round.objects.get()
    TraceFactory(dataset=dataset, uid="c")
    RatingRound.objects.update(has_all_traces=False)
    made.ratings.traces.set(dataset.traces.filter(uid="a"))
    Assignment.objects.filter(trace__uid="b").delete()

    assert inputs(owner)[Metric.CONFUSABILITY].unit_count == 1


def test_traces_of_one_take_are_one_cluster(owner, dataset):
    first, second = dataset.traces.order_by("uid")
    apart = inputs(owner)[Metric.CONFUSABILITY]
    dataset.traces.filter(pk=second.pk).update(take=first.take)

    together = inputs(owner)[Metric.CONFUSABILITY]

    assert (apart.cluster_noun, len(set(apart.clusters.tolist()))) == ("trace", 2)
    assert (together.cluster_noun, len(set(together.clusters.tolist()))) == ("take", 1)


def test_takes_of_two_data_sets_are_the_same_by_uid_and_content(owner, dataset):
    other = DatasetFactory(name="Coffee", owner=owner)
    for trace in dataset.traces.select_related("take"):
        take = TakeFactory(dataset=other, uid=trace.take.uid, content_hash="a")
        TraceFactory(dataset=other, take=take)

    def takes_of(name):
        scope = ReportScope(report_dataset(owner, name), report_rounds(owner))
        return next(report_inputs(scope)).takes

    assert set(takes_of("Tea")).isdisjoint(takes_of("Coffee"))
    Take.objects.filter(dataset=other).update(content_hash="")
    assert takes_of("Tea") == takes_of("Coffee")
