"""Which cases of the desk stand for a metric."""

import pytest
from django.utils import timezone

from annotation.engine.ratings.adjudication import Cause
from annotation.engine.rubric.rubric import Metric
from annotation.models import Case, CaseState
from annotation.selectors.figures.example_cases import example_cases
from tests.annotation.disagreements import make_pilot
from tests.factories import EventFactory

pytestmark = pytest.mark.django_db


def test_decided_cases_come_first_then_the_widest_disagreement(owner):
    pilot = make_pilot(owner)
    pilot.close()
    decided = {
        "state": CaseState.DECIDED, "cause": Cause.SLIP, "decided_at": timezone.now(),
    }  # fmt: skip
    rows = [
        {"score": 0.9}, {"score": None}, {"score": 0.1, **decided},
        {"score": 0.0, "reason": "It is plain.", **decided}, {"score": 1.0},
    ]  # fmt: skip
    events = [EventFactory(trace=pilot.trace, index=5 + place) for place in range(len(rows))]

    def told(count):
        Case.objects.all().delete()
        for event, row in list(zip(events, rows, strict=True))[:count]:
            Case.objects.create(
                round=pilot.round,
                trace=pilot.trace,
                event=event,
                metric=Metric.ERROR_VALIDITY,
                **row,
            )
        return [
            (case.cause, case.reason)
            for case in example_cases([pilot.trace.dataset_id], [pilot.round.pk])
        ]

    assert told(5) == [("Slip", "It is plain."), ("Slip", "")]
    assert told(3) == [("Slip", ""), ("", "")]


def test_case_without_a_metric_or_of_another_data_set_is_no_example(owner):
    pilot = make_pilot(owner)
    pilot.answer(Metric.ERROR_VALIDITY, "yes", "no", "no")
    pilot.remark(0, "Which one?")
    pilot.close()
    dataset, round_ = pilot.trace.dataset_id, pilot.round.pk

    assert len(example_cases([dataset], [round_])) == 1
    assert example_cases([dataset + 1], [round_]) == example_cases([dataset], []) == []
