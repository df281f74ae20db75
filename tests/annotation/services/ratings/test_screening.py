"""Screening a round: what rules find is stored, people decide, everything is in the audit log."""

from datetime import timedelta

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotation.analytics.raters.screening import screen
from annotation.analytics.raters.screening_terms import Finding, Rule, Thresholds
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Assignment,
    AuditEntry,
    GoldItem,
    GoldSource,
    Purpose,
    Rating,
    RoundChecks,
    ScreeningPlan,
    ScreeningResult,
    ScreeningState,
    Viewing,
)
from annotation.selectors.figures.rater_figures import rater_data, worked_hours
from annotation.selectors.ratings.screening import left_out
from annotation.services.ratings.gold import NewGold, edit_gold
from annotation.services.ratings.screening import (
    decide_on_rater,
    queue_screening,
    run_queued_screenings,
    run_screening,
    set_thresholds,
)
from annotation.services.records.jobs import LostClaimError, claim_job, finish_job
from bench.planted_raters import Kind
from tests.annotation.planted_rounds import BEGAN, planted_round
from tests.factories import TraceStepFactory, VideoFactory

KINDS = [*Kind, Kind.HONEST, Kind.HONEST, Kind.HONEST]
RIGHT_RULES = {
    "b": {Rule.AGREEMENT},
    "c": {Rule.RUN, Rule.VARIANCE},
    "d": {Rule.BIAS},
    "e": {Rule.DRIFT},
    "f": {Rule.SPEED},
}


@pytest.mark.django_db
def test_planted_raters_are_flagged_by_the_right_rule_and_honest_ones_by_none(owner):
    made = planted_round(KINDS, owner=owner, traces=60)

    run_screening(round_=made, actor=owner)

    flagged = made.screening_results.filter(state=ScreeningState.FLAGGED)
    rules = {name: set() for name in "abcdefghi"}
    for item in flagged.select_related("rater"):
        rules[item.rater.username].add(item.rule)
    assert {name for name, found in rules.items() if found} == set(RIGHT_RULES)
    assert all(rules[name] & right for name, right in RIGHT_RULES.items())
    assert made.screening_results.count() == len(KINDS) * len(Rule)
    entry = AuditEntry.objects.get(action="screening.run")
    assert {item["rater"] for item in entry.detail["flagged"]} == set(
        flagged.values_list("rater_id", flat=True)
    )


@pytest.mark.django_db
def test_running_again_replaces_what_rules_found_and_keeps_decisions(owner):
    made = planted_round([Kind.FAST, Kind.HONEST, Kind.HONEST], owner=owner, traces=12)
    run_screening(round_=made, actor=owner)
    fast = made.raters.get(rater__username="a").rater
    assert left_out(list(made.screening_results.all())) == {fast.pk}

    decide_on_rater(round_=made, rater=fast, is_excluded=False, why="Knows the task.", actor=owner)
    run_screening(round_=made, actor=owner)

    results = list(made.screening_results.all())
    assert len(results) == 3 * len(Rule) + 1
    assert left_out(results) == set()
    decide_on_rater(round_=made, rater=fast, is_excluded=True, why="Clicked through.", actor=owner)
    assert left_out(list(made.screening_results.all())) == {fast.pk}
    assert AuditEntry.objects.filter(action="screening.decide").count() == 2


@pytest.mark.django_db
def test_thresholds_are_stored_and_used(owner):
    made = planted_round([Kind.FAST, Kind.HONEST, Kind.HONEST], owner=owner, traces=12)
    set_thresholds(round_=made, thresholds=Thresholds(seconds_per_event=1), actor=owner)
    set_thresholds(round_=made, thresholds=Thresholds(seconds_per_event=1), actor=owner)

    run_screening(round_=made, actor=owner)

    speed = made.screening_results.get(rater__username="a", rule=Rule.SPEED)
    assert (speed.state, speed.threshold) == (ScreeningState.ACCEPTED, 1.0)
    entry = AuditEntry.objects.get(action="screening.thresholds")
    assert entry.detail == {"thresholds": {"seconds_per_event": 1}}
    assert ScreeningPlan.objects.get().thresholds["seconds_per_event"] == 1


@pytest.mark.django_db
def test_a_decision_needs_a_reason_and_only_people_exclude(owner):
    made = planted_round([Kind.HONEST] * 3, owner=owner, traces=6)
    rater = made.raters.first().rater

    with pytest.raises(ValidationError, match="Say why"):
        decide_on_rater(round_=made, rater=rater, is_excluded=True, why="  ", actor=owner)
    run_screening(round_=made, actor=owner)
    with pytest.raises(IntegrityError), transaction.atomic():
        made.screening_results.filter(rule=Rule.SPEED).update(state=ScreeningState.EXCLUDED)
    assert not ScreeningResult.objects.filter(rule="decision").exists()


@pytest.mark.django_db
def test_gold_traps_and_repeats_are_evidence_and_enter_no_figure_between_raters(owner):
    made = planted_round([Kind.HONEST] * 3, owner=owner, traces=6)
    RoundChecks.objects.create(round=made, repeat_gap=0)
    before = rater_data(made)
    first = Assignment.objects.filter(round=made).order_by("pk").first()
    own = list(Rating.objects.filter(assignment=first, is_implied=False).order_by("pk"))
    again = given_again(first, Purpose.REPEAT, own, position=98)
    known = given_again(first, Purpose.GOLD, own, position=99)
    Rating.objects.filter(assignment=again, metric="taxonomy_fit").update(value="D")
    same = sum(item.metric != "taxonomy_fit" or item.value == "D" for item in own)
    event = known.trace.events.first()
    other = known.trace.events.last()
    taken = known.ratings.get(event=event, metric="error_validity").value
    for place, source, accepted in (
        (event, GoldSource.EXPERT, taken),
        (other, GoldSource.TRAP, "none of them"),
    ):
        GoldItem.objects.create(
            campaign=made.campaign, trace=known.trace, event=place, metric="error_validity",
            accepted=[accepted], reason="Plain to see.", source=source,
        )  # fmt: skip

    after = rater_data(made)

    for old, new in zip(before.answers, after.answers, strict=True):
        assert np.array_equal(old.values, new.values)
    evidence = after.evidence[after.rater_ids.index(first.rater_id)]
    assert (evidence.gold, evidence.traps) == ((True,), (False,))
    assert (evidence.repeats.count(True), len(evidence.repeats)) == (same, len(own))
    assert len(evidence.seconds_per_event) == 6
    # Other answers are right from now on; nobody has rated meanwhile.
    edit_gold(
        item=GoldItem.objects.get(event=event),
        new=NewGold(0, Metric.ERROR_VALIDITY, ["no" if taken == "yes" else "yes"], reason="So."),
        actor=owner,
    )
    assert rater_data(made).evidence[after.rater_ids.index(first.rater_id)].gold == (False,)


def given_again(assignment, purpose, ratings, *, position):
    """The same trace with the same answers, for another purpose; both are submitted."""
    moment = assignment.round.opened_at
    copy = Assignment.objects.create(
        round=assignment.round, rater=assignment.rater, trace=assignment.trace,
        position=position, purpose=purpose, change_count=1,
    )  # fmt: skip
    Rating.objects.bulk_create(
        Rating(
            assignment=copy, event=item.event, metric=item.metric, value=item.value, revision=1,
            client_id="tab", guideline=item.guideline, rated_at=item.rated_at,
        )
        for item in ratings
    )  # fmt: skip
    for held, at in ((assignment, moment), (copy, moment + timedelta(minutes=position))):
        Assignment.objects.filter(pk=held.pk).update(status="submitted", submitted_at=at)
    return copy


@pytest.mark.django_db
def test_hours_are_told_by_round_and_person(owner):
    made = planted_round([Kind.HONEST, Kind.FAST, Kind.HONEST], owner=owner, traces=8, events=4)

    rows = list(worked_hours(made.campaign))

    # Every 54 seconds an event: 3 gaps in each of 8 traces, and a twentieth of that.
    assert [(item.rater, item.round, item.traces, item.events) for item in rows] == [
        ("a", 1, 8, 32), ("b", 1, 8, 32), ("c", 1, 8, 32),
    ]  # fmt: skip
    assert [item.hours for item in rows] == [
        round(8 * 3 * 54 / 3600, 2), round(8 * 3 * 2.7 / 3600, 2), round(8 * 3 * 54 / 3600, 2),
    ]  # fmt: skip


@pytest.mark.django_db
def test_answers_at_one_instant_tell_no_speed(owner):
    made = planted_round([Kind.HONEST] * 3, owner=owner, traces=6)
    Rating.objects.update(rated_at=made.opened_at)

    data = rater_data(made)

    assert data.all_timed == []
    Rating.objects.update(rated_at=None)
    # As whatever changes a rating does it.
    Assignment.objects.update(change_count=1)
    scale = next(item for item in rater_data(made).answers if item.metric is Metric.CONFUSABILITY)
    assert np.isnan(scale.moments).all()


@pytest.mark.django_db
@pytest.mark.parametrize("rater_count", [3, 5])
def test_answers_are_read_once_in_the_same_number_of_queries(
    owner, rater_count, django_assert_num_queries
):
    made = planted_round([Kind.HONEST] * rater_count, owner=owner, traces=rater_count * 2)

    with django_assert_num_queries(11):
        first = rater_data(made)
    with django_assert_num_queries(3):
        assert rater_data(made) is first
    Assignment.objects.filter(round=made).update(change_count=1)
    assert rater_data(made) is not first


@pytest.mark.django_db
def test_the_share_watched_is_of_each_events_time_before_the_answer(owner):
    made = planted_round([Kind.HONEST] * 3, owner=owner, traces=4, events=2)
    for trace in made.ratings.traces.all():
        trace.video = VideoFactory(dataset=trace.dataset)
        trace.save()
        for event in trace.events.all():
            TraceStepFactory(
                trace=trace, index=event.index, mod="i", event=event,
                start_s=4.0 * event.index, end_s=4.0 * event.index + 4,
            )  # fmt: skip
    # Event 0 lasts from 0 to 4 s and event 1 from 4 to 8: half of the first, all of the second;
    # what came after the answer counts nowhere.
    before, after = BEGAN.timestamp() - 60, BEGAN.timestamp() + 10**9
    for held in Assignment.objects.filter(round=made, rater__username="a"):
        spans = [[0.0, 2.0, before], [2.0, 3.0, after], [4.0, 8.0, before]]
        Viewing.objects.create(assignment=held, content="x", opened_at=BEGAN, trace=spans)

    data = rater_data(made)
    watched = {item.name: item.watched for item in data.evidence}

    assert sorted(watched["a"]) == [0.5] * 4 + [1.0] * 4
    assert watched["b"] == watched["c"] == ()
    results = {(item.rater, item.rule): item for item in screen(data.answers, data.evidence)}
    assert results[0, Rule.WATCHED].reason == (
        "a watched 75% of the time of 8 events; at least 50% is expected."
    )
    assert results[1, Rule.WATCHED].finding is Finding.NOT_TESTED


@pytest.mark.django_db
def test_a_run_that_began_with_other_thresholds_stores_nothing(owner):
    made = planted_round([Kind.FAST, Kind.HONEST, Kind.HONEST], owner=owner, traces=16)
    [first] = queue_screening(round_=made, actor=owner)
    claim = claim_job(job_id=first)
    set_thresholds(round_=made, thresholds=Thresholds(seconds_per_event=1), actor=owner)

    [second] = queue_screening(round_=made, actor=owner)
    assert queue_screening(round_=made, actor=owner) == []
    with pytest.raises(LostClaimError):
        finish_job(claim=claim, result={})
    run_queued_screenings(job_ids=[first, second])

    [entry] = AuditEntry.objects.filter(action="screening.run")
    assert entry.actor == owner
    assert set(
        made.screening_results.filter(rule=Rule.SPEED).values_list("threshold", flat=True)
    ) == {1}
