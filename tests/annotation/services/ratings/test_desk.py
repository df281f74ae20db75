"""Cases are drawn from closed rounds, discussed and decided, and no figure ever moves by it."""

import io
import json

import pytest
from django.core.management import call_command

from annotation.engine.ratings.adjudication import Cause, DecisionError
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    AdjudicatedValue,
    Assignment,
    AssignmentStatus,
    AuditEntry,
    Case,
    CaseComment,
    CaseRater,
    Purpose,
    Rating,
)
from annotation.services.ratings.desk import (
    CommentError,
    DeskError,
    DrawResult,
    TimeMark,
    add_comment,
    decide_case,
    draft_from_case,
    draw_cases,
)
from tests.annotation.disagreements import make_pilot
from tests.annotation.stored_ratings import rate
from tests.factories import AssignmentFactory, UserFactory, VideoFactory


@pytest.fixture
def pilot(owner):
    return make_pilot(owner)


def drawn():
    """Return the cases as (event index, metric, score to three digits)."""
    rows = Case.objects.order_by("event__index", "metric")
    return [
        (event, metric, None if score is None else round(score, 3))
        for event, metric, score in rows.values_list("event__index", "metric", "score")
    ]


def case_of(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.close()
    return Case.objects.select_related(
        "round__campaign", "round__ratings", "round__guideline", "trace__take", "event"
    ).get()


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_every_question_that_raters_answered_differently_is_a_case(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.answer(Metric.PROCEDURE_LOGIC, "yes", "yes", "yes", confidence=3)
    pilot.answer(Metric.SEQUENCE_CONSISTENCY, "1", "5", "5", event=1)
    pilot.answer(Metric.TAXONOMY_FIT, "D", "", "")

    pilot.close()

    assert drawn() == [(0, "error_validity", 0.667), (1, "sequence_consistency", 0.667)]
    assert draw_cases(campaign=pilot.campaign, actor=pilot.campaign.owner) == DrawResult()


def test_what_could_not_be_judged_or_was_remarked_on_is_a_case(pilot):
    rate(pilot.assignments[0], pilot.events[0], Metric.CONFUSABILITY, "", cannot_judge="unclear")
    pilot.remark(1, "Is a rag a tool?", event=1)
    pilot.remark(2, "", event=0)

    pilot.close()

    assert drawn() == [(0, "confusability", None), (1, "", None)]
    assert set(Case.objects.values_list("is_flagged", flat=True)) == {True}


def test_no_case_is_drawn_before_a_round_is_closed(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")

    with pytest.raises(DeskError, match="No round is closed yet"):
        draw_cases(campaign=pilot.campaign, actor=None)

    assert not Case.objects.exists()


def test_gold_repeats_and_unsubmitted_traces_make_no_case(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "yes", "yes")
    gold = AssignmentFactory(
        round=pilot.round, rater=pilot.raters[0], trace=pilot.trace, purpose=Purpose.GOLD,
        status=AssignmentStatus.SUBMITTED, submitted_at=pilot.assignments[0].submitted_at,
    )  # fmt: skip
    begun = AssignmentFactory(round=pilot.round, rater=UserFactory(), trace=pilot.trace)
    for assignment in (gold, begun):
        rate(assignment, pilot.events[0], Metric.ERROR_VALIDITY, "no")

    pilot.close()

    assert drawn() == []


def test_drawing_again_follows_the_answers_and_keeps_what_was_discussed(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.answer(Metric.TAXONOMY_FIT, "D", "I", "I")
    pilot.answer(Metric.STATE_CHANGE_COHERENCE, "yes", "no", "no")
    pilot.close()
    discussed = Case.objects.get(metric="error_validity")
    add_comment(case=discussed, author=pilot.raters[0], text="It drips")
    letters = list(CaseRater.objects.filter(case=discussed).values_list("rater", "place"))
    # As an import does it.
    Rating.objects.filter(assignment=pilot.assignments[0]).exclude(
        metric="state_change_coherence"
    ).update(value="no")
    Rating.objects.filter(metric="taxonomy_fit").update(value="I")
    newcomer = AssignmentFactory(
        round=pilot.round, rater=UserFactory(), trace=pilot.trace,
        status=AssignmentStatus.SUBMITTED, submitted_at=pilot.assignments[0].submitted_at,
    )  # fmt: skip
    rate(newcomer, pilot.events[0], Metric.STATE_CHANGE_COHERENCE, "no")

    result = draw_cases(campaign=pilot.campaign, actor=None)

    assert result == DrawResult(added_count=0, changed_count=2, removed_count=1)
    assert drawn() == [(0, "error_validity", 0), (0, "state_change_coherence", 0.5)]
    assert list(CaseRater.objects.filter(case=discussed).values_list("rater", "place")) == [
        *letters,
        (newcomer.rater_id, 3),
    ]


def test_a_comment_opens_the_discussion_and_sent_twice_counts_once(pilot):
    case = case_of(pilot)
    ana = pilot.raters[0]

    for _ in range(2):
        add_comment(case=case, author=ana, text=" The towel is still wet ", client_key="k1")

    case.refresh_from_db()
    assert case.state == "discussed"
    assert list(CaseComment.objects.values_list("author", "text", "side", "time_s")) == [
        (ana.pk, "The towel is still wet", "", None)
    ]
    assert actions()[-2:] == ["case.draw", "case.comment"]


def test_a_time_mark_lies_within_a_recording_that_there_is(pilot):
    case = case_of(pilot)
    ana = pilot.raters[0]
    with pytest.raises(CommentError, match="The trace has no video"):
        add_comment(case=case, author=ana, text="Here", mark=TimeMark("trace", 1.0))
    case.trace.video = VideoFactory(dataset=case.trace.dataset, duration_s=10.0)

    with pytest.raises(CommentError, match=r"at 10.5 s; expected 0 to 10.000 s") as found:
        add_comment(case=case, author=ana, text="Here", mark=TimeMark("trace", 10.5))
    with pytest.raises(CommentError, match="expected reference or trace"):
        add_comment(case=case, author=ana, text="Here", mark=TimeMark("left", 1.0))
    with pytest.raises(CommentError, match="empty; expected a text"):
        add_comment(case=case, author=ana, text="  ")
    made = add_comment(case=case, author=ana, text="Here", mark=TimeMark("trace", 3.21049))

    assert found.value.field == "time_s"
    assert (made.side, made.time_s) == ("trace", 3.21)
    assert CaseComment.objects.count() == 1


def test_a_decision_is_kept_apart_and_can_be_changed(pilot, owner):
    case = case_of(pilot)

    decide_case(case=case, actor=owner, cause=Cause.SLIP, value="no", reason="Misread")
    first = AdjudicatedValue.objects.get().value
    decide_case(case=case, actor=owner, cause=Cause.GUIDELINE_GAP)

    case.refresh_from_db()
    assert (first, AdjudicatedValue.objects.count()) == ("no", 0)
    assert (case.state, case.cause, case.decided_by) == ("decided", "guideline_gap", owner)
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.subject) == ("case.decide", f"case:{case.public_id}")
    assert entry.detail == {"cause": "guideline_gap", "value": "", "before": {"cause": "slip"}}


def test_a_matter_of_opinion_is_not_decided_to_a_value(pilot, owner):
    pilot.answer(Metric.HUMAN_PLAUSIBILITY, "1", "5", "3")
    pilot.close()
    case = Case.objects.get()

    with pytest.raises(DecisionError):
        decide_case(case=case, actor=owner, cause=Cause.SLIP, value="3")

    case.refresh_from_db()
    assert (case.state, AdjudicatedValue.objects.exists()) == ("open", False)


def figures(pilot):
    out = io.StringIO()
    scope = {"campaign": pilot.campaign.name, "dataset": pilot.trace.dataset.name}
    call_command("agreement", **scope, json=True, stdout=out)
    table = io.StringIO()
    call_command("export_ratings", **scope, stdout=table)
    return out.getvalue().encode(), table.getvalue().encode()


def test_figures_before_and_after_a_decision_are_the_same_bytes(pilot, owner):
    pilot.answer(Metric.TAXONOMY_FIT, "D", "D", "I", event=1)
    pilot.answer(Metric.TAXONOMY_FIT, "I", "D", "I", event=0)
    case_ids = case_of_all(pilot)
    before = figures(pilot)

    for case in Case.objects.filter(pk__in=case_ids):
        add_comment(case=case, author=pilot.raters[0], text="I take it back")
        value = "no" if case.metric == "error_validity" else "D"
        decide_case(case=case, actor=owner, cause=Cause.SLIP, value=value)

    assert AdjudicatedValue.objects.count() == 3
    assert json.loads(before[0])[0]["alpha"] is not None
    assert figures(pilot) == before


def case_of_all(pilot):
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "yes", "yes", event=1)
    pilot.close()
    return list(Case.objects.values_list("pk", flat=True))


def test_a_case_becomes_an_example_in_one_draft_of_the_guideline(pilot, owner):
    case = case_of(pilot)
    decide_case(case=case, actor=owner, cause=Cause.GUIDELINE_GAP, reason="Drops count")
    case.refresh_from_db()

    draft = draft_from_case(case=case, actor=owner)
    again = draft_from_case(case=case, actor=owner)

    assert draft == again
    assert (draft.is_frozen, draft.parent, draft.number) == (False, pilot.round.guideline, 2)
    assert again.examples == [
        {
            "metric": "error_validity",
            "trace": pilot.trace.public_id,
            "event": 0,
            "note": "Drops count",
        }
    ]
    assert draft.text["error_validity"]["mistake"]["question"]
    assert actions()[-3:] == ["guideline.create", "guideline.edit", "case.guideline"]


def test_only_the_raters_of_the_round_are_touched(pilot):
    case_of(pilot)

    assert set(CaseRater.objects.values_list("rater__username", flat=True)) == {
        "ana",
        "ben",
        "cleo",
    }
    assert Assignment.objects.filter(change_count__gt=0).count() == 0
