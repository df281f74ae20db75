"""What a case can end as: opinions are never decided to one value."""

import pytest

from annotation.engine.ratings.adjudication import (
    Cause,
    DecisionError,
    check_decision,
    possible_causes,
    possible_values,
)
from annotation.engine.rubric.rubric import Metric

OPINIONS = (Metric.HUMAN_PLAUSIBILITY, Metric.CONFUSABILITY, Metric.VIDEO_PLAUSIBILITY)


@pytest.mark.parametrize("metric", OPINIONS)
def test_opinions_end_without_a_value_and_never_as_an_ambiguous_event(metric):
    assert possible_values(metric) == ()
    assert set(possible_causes(metric)) == {
        Cause.GUIDELINE_GAP,
        Cause.SLIP,
        Cause.DEFECT,
        Cause.LEGITIMATE,
    }
    with pytest.raises(DecisionError, match=r"matter of opinion: it is never decided") as found:
        check_decision(metric=metric, cause=Cause.SLIP, value="3")
    assert found.value.field == "value"
    with pytest.raises(DecisionError, match="expected one of guideline_gap, slip") as found:
        check_decision(metric=metric, cause=Cause.AMBIGUOUS_EVENT)
    assert found.value.field == "cause"


def test_other_metrics_take_a_value_of_their_scale_or_none():
    check_decision(metric=Metric.ERROR_VALIDITY, cause=Cause.AMBIGUOUS_EVENT, value="yes")
    check_decision(metric=Metric.ERROR_VALIDITY, cause=Cause.SLIP)

    with pytest.raises(DecisionError, match=r"value is '3'; expected one of no, yes"):
        check_decision(metric=Metric.ERROR_VALIDITY, cause=Cause.SLIP, value="3")


def test_a_case_without_a_metric_has_no_value():
    check_decision(metric=None, cause=Cause.DEFECT)

    with pytest.raises(DecisionError, match="no metric"):
        check_decision(metric=None, cause=Cause.DEFECT, value="yes")
