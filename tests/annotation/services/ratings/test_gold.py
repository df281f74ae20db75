"""Marking gold, and gold, traps and repeats in the queues of a round."""

import pytest
from django.core.exceptions import ValidationError
from django.http import Http404

from annotation.engine.ratings.gold import GoldError
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Assignment,
    AuditEntry,
    CampaignState,
    GoldItem,
    GoldSource,
    Phase,
    Purpose,
)
from annotation.selectors.ratings.gold import CheckAnswers, check_answers, proposals
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.rounds import close_round
from annotation.services.ratings.gold import (
    NewChecks,
    NewGold,
    accept_proposals,
    mark_gold,
    plan_checks,
    retire_gold,
)
from annotation.services.ratings.rounds import NewRound, open_round, plan_round
from tests.annotation.campaigns import make_dataset
from tests.annotation.stored_ratings import rate
from tests.factories import EventFactory, TraceFactory, UserFactory

LOGIC, SEQUENCE = Metric.PROCEDURE_LOGIC, Metric.SEQUENCE_CONSISTENCY


def mark(campaign, trace, *, metric=LOGIC, accepted=("yes",), band=0, event=0, **more):
    new = NewGold(event, metric, accepted, band, **{"reason": "The cup stays empty.", **more})
    return mark_gold(campaign=campaign, trace=trace, new=new, actor=None)


def draft(owner, *, traces=40, gold=0, traps=0, raters=3):
    """Return a draft campaign with so many traces, of which the first have gold and then traps."""
    dataset = make_dataset(traces)
    campaign = create_campaign(
        new=NewCampaign(name="Audit", phase=None), datasets=[dataset], actor=owner
    )
    people = UserFactory.create_batch(raters)
    add_raters(campaign=campaign, raters=people, actor=owner)
    for place, trace in enumerate(dataset.traces.order_by("pk")[: gold + traps]):
        EventFactory(trace=trace, index=0)
        source = GoldSource.EXPERT if place < gold else GoldSource.TRAP
        mark(campaign, trace, source=source)
    return campaign, people


def main_round(campaign, *, overlap=3, seed=5, checks=None, phase=Phase.MAIN):
    guideline = campaign.guideline_versions.get()
    new = NewRound(phase, guideline, overlap=overlap, seed=seed)
    planned = plan_round(campaign=campaign, new=new, actor=None)
    if checks:
        plan_checks(round_=planned, new=NewChecks(**checks), actor=None)
    planned.refresh_from_db()
    return planned


def opened(campaign, **plan):
    planned = main_round(campaign, **plan)
    open_round(planned=planned, actor=None)
    planned.refresh_from_db()
    return planned


def queue(made, rater):
    rows = Assignment.objects.filter(round=made, rater=rater).order_by("position")
    return list(rows.values_list("position", "purpose", "trace_id"))


def submit(assignment, **values):
    """Store one answer per metric for the first event and submit."""
    event = assignment.trace.events.first()
    for metric, value in values.items():
        rate(assignment, event, Metric(metric), value)
    assignment.status, assignment.submitted_at = "submitted", assignment.round.opened_at
    assignment.save()


def test_gold_is_marked_replaced_and_retired_with_audit_rows(owner):
    campaign, _ = draft(owner, traces=1)
    trace = campaign.datasets.get().traces.get()
    EventFactory(trace=trace, index=0)

    first = mark(campaign, trace, metric=SEQUENCE, accepted=["2"], band=1)
    again = mark(campaign, trace, metric=SEQUENCE, accepted=["3"], source=GoldSource.TRAP)
    retire_gold(item=again, actor=owner)
    retire_gold(item=again, actor=owner)
    other = mark(campaign, trace, metric=SEQUENCE, accepted=["1"])

    assert first.pk == again.pk != other.pk
    rows = AuditEntry.objects.filter(action__startswith="gold.").order_by("pk")
    assert [(row.action, row.detail["accepted"], row.detail.get("before")) for row in rows] == [
        ("gold.mark", ["2"], None),
        ("gold.mark", ["3"], [["2"], 1]),
        ("gold.retire", ["3"], None),
        ("gold.mark", ["1"], None),
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"event": 7}, "event 7 is not one of "),
        ({"event": None}, "Procedure Logic is asked of an event; event is None"),
        ({"reason": " "}, "Procedure Logic: no reason; expected why these answers are right"),
        ({"metric": Metric.CONFUSABILITY}, "Confusability asks for an opinion"),
        ({"metric": Metric.TEXT_VIDEO_GROUNDING, "accepted": ["4"]},
         "Text-Video Grounding is asked of the whole trace; event is 0"),
    ],
)  # fmt: skip
def test_bad_gold_is_named_and_nothing_is_stored(owner, wrong, message):
    campaign, _ = draft(owner, traces=1)
    trace = campaign.datasets.get().traces.get()
    EventFactory(trace=trace, index=0)

    with pytest.raises(GoldError, match=message):
        mark(campaign, trace, **wrong)

    assert not GoldItem.objects.exists()


def test_checks_stand_inside_every_queue_beside_k_ordinary_raters_per_trace(owner):
    campaign, people = draft(owner, traces=50, gold=6, traps=4)

    made = opened(campaign, checks={"gold_count": 2, "trap_count": 1, "repeat_count": 1})

    for rater in people:
        rows = queue(made, rater)
        kinds = [purpose for _, purpose, _ in rows]
        assert [position for position, *_ in rows] == list(range(44))
        assert (kinds.count("gold"), kinds.count("repeat"), kinds[0]) == (3, 1, "ordinary")
        traps = GoldItem.objects.filter(source="trap").values_list("trace_id", flat=True)
        assert sum(trace in set(traps) for _, kind, trace in rows if kind == "gold") == 1
        [again] = [(at, trace) for at, kind, trace in rows if kind == "repeat"]
        [first] = [at for at, kind, trace in rows if kind == "ordinary" and trace == again[1]]
        assert again[0] - first - 1 >= 10
    ordinary = Assignment.objects.filter(round=made, purpose=Purpose.ORDINARY)
    gold = set(GoldItem.objects.values_list("trace_id", flat=True))
    by_trace = {}
    for trace in ordinary.values_list("trace_id", flat=True):
        by_trace[trace] = by_trace.get(trace, 0) + 1
    assert set(by_trace.values()) == {3}
    assert len(by_trace) == 40
    assert not gold & set(by_trace)


def test_the_same_seed_gives_the_same_checks_and_another_gives_others(owner):
    campaign, people = draft(owner, traces=50, gold=8)
    plan = {"gold_count": 2, "repeat_count": 2}
    first = opened(campaign, checks=plan)
    before = [queue(first, rater) for rater in people]
    Assignment.objects.all().delete()
    first.opened_at = None
    first.save()
    campaign.state = CampaignState.DRAFT
    campaign.save()

    open_round(planned=first, actor=None)

    assert [queue(first, rater) for rater in people] == before
    assert before[0] != before[1]


def test_more_checks_than_a_tenth_are_refused_by_the_plan(owner):
    campaign, _ = draft(owner, traces=20)
    planned = main_round(campaign)

    with pytest.raises(ValidationError) as refusal:
        plan_checks(round_=planned, new=NewChecks(gold_count=2, repeat_count=1), actor=owner)

    assert refusal.value.message_dict == {
        "gold_count": [
            "3 traces on top: more than a tenth of the about 20 ordinary ones of each rater;"
            " expected at most 2 together."
        ]
    }
    checks = plan_checks(round_=planned, new=NewChecks(gold_count=1, repeat_count=1), actor=owner)
    assert (checks.gold_count, checks.repeat_count) == (1, 1)


def test_people_who_come_later_get_checks_and_who_has_begun_keeps_the_order(owner):
    campaign, people = draft(owner, traces=60, gold=10, raters=2)
    made = opened(campaign, overlap=2, checks={"gold_count": 2, "repeat_count": 2})
    begun = Assignment.objects.filter(round=made, rater=people[0], position__lt=5)
    begun.update(started_at=made.opened_at)
    before = queue(made, people[0])[:5]

    newcomer = UserFactory()
    add_raters(campaign=campaign, raters=[newcomer], actor=owner)

    assert queue(made, people[0])[:5] == before
    kinds = [kind for _, kind, _ in queue(made, newcomer)]
    assert (kinds[0], kinds.count("gold"), kinds.count("repeat")) == ("ordinary", 2, 1)
    for rater in [*people, newcomer]:
        rows = queue(made, rater)
        again = {trace: at for at, kind, trace in rows if kind == "repeat"}
        first = {trace: at for at, kind, trace in rows if kind == "ordinary"}
        assert all(at - first[trace] > 10 for trace, at in again.items())


def test_answers_to_checks_are_counted_by_kind(owner):
    campaign, people = draft(owner, traces=30, gold=1, traps=1)
    made = opened(
        campaign, checks={"gold_count": 1, "trap_count": 1, "repeat_gap": 2},
    )  # fmt: skip
    rater = people[0]
    traps = set(GoldItem.objects.filter(source="trap").values_list("trace_id", flat=True))
    for row in Assignment.objects.filter(round=made, rater=rater, purpose="gold"):
        is_trap = row.trace_id in traps
        submit(row, procedure_logic="no" if is_trap else "yes", taxonomy_fit="D")

    assert check_answers(made) == {rater.pk: CheckAnswers(gold=(True,), traps=(False,))}


def test_a_repeat_counts_only_after_enough_others(owner):
    campaign, people = draft(owner, traces=30)
    for trace in campaign.datasets.get().traces.all():
        EventFactory(trace=trace, index=0)
    made = opened(campaign, checks={"repeat_count": 2, "repeat_gap": 3})
    rater = people[0]
    rows = list(Assignment.objects.filter(round=made, rater=rater).order_by("position"))
    repeats = [row for row in rows if row.purpose == "repeat"]
    early = next(row for row in rows if row.trace_id == repeats[0].trace_id)
    # The first one was skipped, and answered right before it came again.
    rows.remove(early)
    rows.insert(rows.index(repeats[0]), early)
    for minute, row in enumerate(rows):
        second = row == repeats[1]
        submit(row, procedure_logic="yes", sequence_consistency="2" if second else "3")
        row.submitted_at = made.opened_at.replace(hour=minute // 60, minute=minute % 60)
        row.save()

    found = check_answers(made)[rater.pk]

    assert (sorted(found.repeats), found.early_repeats) == ([False, True], 1)


def test_what_a_closed_round_answered_alike_can_become_gold(owner):
    campaign, people = draft(owner, traces=2)
    one, two = campaign.datasets.get().traces.order_by("pk")
    for trace in (one, two):
        EventFactory(trace=trace, index=0)
    made = opened(campaign)
    for row in Assignment.objects.filter(round=made):
        split = row.trace == two and row.rater == people[0]
        submit(
            row,
            procedure_logic="no" if split else "yes",
            sequence_consistency="2",
            confusability="1",
        )
    with pytest.raises(Http404):
        proposals(made)
    close_round(closing=made, actor=owner)
    made.refresh_from_db()

    found = proposals(made)
    items = accept_proposals(
        round_=made, keys=[item.key for item in found[:2]], least_raters=3, actor=owner
    )

    assert [(item.trace, item.metric, item.value, item.raters) for item in found] == [
        (one, LOGIC, "yes", 3),
        (one, SEQUENCE, "2", 3),
        (two, SEQUENCE, "2", 3),
    ]
    assert [(item.accepted, item.band, item.source, item.round) for item in items] == [
        (["yes"], 0, "consensus", made),
        (["2"], 1, "consensus", made),
    ]
    assert [item.key for item in proposals(made)] == [found[2].key]
    assert proposals(made, least_raters=4) == []
    with pytest.raises(GoldError, match="is not proposed by round 1"):
        accept_proposals(round_=made, keys=[found[0].key], least_raters=3, actor=owner)


def test_a_trap_is_never_an_ordinary_trace(owner):
    campaign, _ = draft(owner, traces=3, traps=1)
    TraceFactory(dataset=campaign.datasets.get())

    made = opened(campaign)

    assert made.ratings.traces.count() == 3
    assert not Assignment.objects.filter(trace__gold__isnull=False).exists()


def test_traces_of_a_training_are_not_ordinary_ones_even_where_pilot_traces_are_rated_again(owner):
    campaign, _ = draft(owner, traces=6, gold=2)
    guideline = campaign.guideline_versions.get()
    plan_round(campaign=campaign, new=NewRound(Phase.TRAINING, guideline), actor=owner)
    new = NewRound(Phase.MAIN, guideline, rates_pilot_again=True)
    main = plan_round(campaign=campaign, new=new, actor=owner)

    open_round(planned=main, actor=owner)

    assert main.ratings.traces.count() == 4
    assert not Assignment.objects.filter(trace__gold__isnull=False).exists()


def test_checks_of_a_researcher_are_marked_as_informed_like_the_others(owner):
    campaign, _ = draft(owner, traces=40, gold=6)
    add_raters(campaign=campaign, raters=[owner], actor=owner)

    made = opened(campaign, checks={"gold_count": 2, "repeat_count": 1})

    held = Assignment.objects.filter(round=made, rater=owner)
    assert set(held.values_list("purpose", "is_informed")) == {
        (Purpose.ORDINARY, True),
        (Purpose.GOLD, True),
        (Purpose.REPEAT, True),
    }
