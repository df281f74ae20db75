import json

import pytest

from annotation.engine.rubric.rubric import (
    Level,
    Metric,
    RatingValueError,
    RubricVersionError,
    Scale,
    Scope,
    applicable_metrics,
    check_value,
    current_rubric,
    implied_values,
    rubric,
    rubrics,
)
from annotation.engine.taxonomy import TaxonomyLabel

EVENT_METRICS = (
    Metric.ERROR_VALIDITY,
    Metric.HUMAN_PLAUSIBILITY,
    Metric.CONFUSABILITY,
    Metric.PROCEDURE_LOGIC,
    Metric.SEQUENCE_CONSISTENCY,
    Metric.STATE_CHANGE_COHERENCE,
    Metric.TAXONOMY_FIT,
    Metric.VIDEO_PLAUSIBILITY,
)
ALL_EVENT_VALUES = {
    Metric.ERROR_VALIDITY: "yes",
    Metric.HUMAN_PLAUSIBILITY: "4",
    Metric.CONFUSABILITY: "2",
    Metric.PROCEDURE_LOGIC: "yes",
    Metric.SEQUENCE_CONSISTENCY: "3",
    Metric.STATE_CHANGE_COHERENCE: "yes",
    Metric.TAXONOMY_FIT: "WE",
    Metric.VIDEO_PLAUSIBILITY: "5",
}


def test_rubric_lists_the_nine_metrics_with_published_scale_level_and_scope():
    rows = [(item.metric, item.scale, item.level, item.scope) for item in rubric("2").metrics]

    assert rows == [
        (Metric.ERROR_VALIDITY, Scale.YES_NO, Level.NOMINAL, Scope.EVENT),
        (Metric.HUMAN_PLAUSIBILITY, Scale.LIKERT, Level.ORDINAL, Scope.EVENT),
        (Metric.CONFUSABILITY, Scale.LIKERT, Level.ORDINAL, Scope.EVENT),
        (Metric.PROCEDURE_LOGIC, Scale.YES_NO, Level.NOMINAL, Scope.EVENT),
        (Metric.SEQUENCE_CONSISTENCY, Scale.LIKERT, Level.ORDINAL, Scope.EVENT),
        (Metric.STATE_CHANGE_COHERENCE, Scale.YES_NO, Level.NOMINAL, Scope.EVENT),
        (Metric.TAXONOMY_FIT, Scale.TAXONOMY, Level.NOMINAL, Scope.EVENT),
        (Metric.VIDEO_PLAUSIBILITY, Scale.LIKERT, Level.ORDINAL, Scope.EVENT),
        (Metric.TEXT_VIDEO_GROUNDING, Scale.LIKERT, Level.ORDINAL, Scope.TRACE),
    ]


def test_rubric_asks_only_procedure_logic_for_a_confidence():
    asking = [item.metric for item in current_rubric().metrics if item.has_confidence]

    assert asking == [Metric.PROCEDURE_LOGIC]


@pytest.mark.parametrize("definition", current_rubric().metrics, ids=lambda item: item.metric)
def test_metric_names_all_its_values_or_none(definition):
    assert set(definition.shown_labels) in (set(), set(definition.values))


@pytest.mark.parametrize(
    ("metric", "value", "label"),
    [
        (Metric.STATE_CHANGE_COHERENCE, "yes", "Inconsistent"),
        (Metric.STATE_CHANGE_COHERENCE, "no", "Consistent"),
        (Metric.PROCEDURE_LOGIC, "yes", "Broken"),
        (Metric.PROCEDURE_LOGIC, "no", "Intact"),
        (Metric.TAXONOMY_FIT, "WE", "Wrong execution"),
        (Metric.CONFUSABILITY, "3", "3"),
    ],
)
def test_value_is_shown_by_its_meaning(metric, value, label):
    assert current_rubric().definition(metric).shown(value) == label


def test_taxonomy_fit_takes_the_six_labels_in_order():
    values = current_rubric().definition(Metric.TAXONOMY_FIT).values

    assert values == tuple(TaxonomyLabel) == ("D", "I", "S", "T", "WE", "C")


def test_rubric_of_an_unknown_version_is_refused():
    with pytest.raises(RubricVersionError, match="rubric version is '7'; expected one of 1, 2"):
        rubric("7")


def test_rubric_is_found_by_its_version_and_the_highest_is_the_current_one():
    assert {version: rubric(version).version for version in rubrics()} == {v: v for v in rubrics()}
    assert current_rubric() is rubric(max(rubrics(), key=int))


def test_versions_differ_in_their_words_only():
    old, new = rubric("1"), rubric("2")

    assert (old.metrics, old.skip_rules) == (new.metrics, new.skip_rules)
    assert old.to_dict() | {"version": "2"} == new.to_dict()


@pytest.mark.parametrize(
    ("scope", "has_video", "expected"),
    [
        (Scope.EVENT, True, EVENT_METRICS),
        (Scope.EVENT, False, EVENT_METRICS[:-1]),
        (Scope.TRACE, True, (Metric.TEXT_VIDEO_GROUNDING,)),
        (Scope.TRACE, False, ()),
    ],
)
def test_applicable_metrics_follow_scope_and_video(scope, has_video, expected):
    assert applicable_metrics(scope, has_video, rubric_=rubric("2")) == expected


def test_intact_logic_implies_full_consistency_and_coherent_state():
    implied = implied_values({Metric.PROCEDURE_LOGIC: "no"})

    assert implied == {Metric.SEQUENCE_CONSISTENCY: "5", Metric.STATE_CHANGE_COHERENCE: "no"}


def test_broken_logic_implies_nothing():
    assert implied_values({Metric.PROCEDURE_LOGIC: "yes"}) == {}


def test_typed_value_is_not_implied_again():
    implied = implied_values({Metric.PROCEDURE_LOGIC: "no", Metric.STATE_CHANGE_COHERENCE: "yes"})

    assert implied == {Metric.SEQUENCE_CONSISTENCY: "5"}


def is_refused(metric, value, confidence):
    try:
        check_value(metric, value, confidence)
    except RatingValueError:
        return True
    return False


@pytest.mark.parametrize("definition", current_rubric().metrics, ids=lambda item: item.metric)
def test_every_value_of_a_scale_is_accepted(definition):
    confidences = (None, 1, 2, 3) if definition.has_confidence else (None,)

    refused = [
        (value, confidence)
        for value in definition.values
        for confidence in confidences
        if is_refused(definition.metric, value, confidence)
    ]

    assert refused == []


@pytest.mark.parametrize(
    ("metric", "value", "confidence", "message"),
    [
        (Metric.CONFUSABILITY, "6", None, "confusability: value is '6'; expected one of 1, 2, 3,"),
        (Metric.CONFUSABILITY, 3, None, "confusability: value is 3; expected one of 1, 2, 3, 4, 5"),
        (Metric.ERROR_VALIDITY, "Yes", None, "error_validity: value is 'Yes'; expected one of no"),
        (Metric.TAXONOMY_FIT, "", None, "taxonomy_fit: value is ''; expected one of D, I, S, T,"),
        (Metric.PROCEDURE_LOGIC, "yes", 4, "procedure_logic: confidence is 4; expected one of 1,"),
        (Metric.PROCEDURE_LOGIC, "yes", True, "procedure_logic: confidence is True; expected one"),
        (Metric.ERROR_VALIDITY, "yes", 2, "error_validity: confidence is 2; expected none for"),
    ],
)
def test_value_out_of_scale_is_refused_with_its_expectation(metric, value, confidence, message):
    with pytest.raises(RatingValueError, match=message):
        check_value(metric, value, confidence)


def test_refused_value_is_cut_to_a_readable_length():
    with pytest.raises(RatingValueError) as caught:
        check_value(Metric.CONFUSABILITY, "x" * 5000)

    assert len(str(caught.value)) < 200


def test_rubric_for_the_browser_is_json_with_labels_and_rules():
    exported = json.loads(json.dumps(current_rubric().to_dict()))

    assert exported["version"] == current_rubric().version
    assert {item["name"] for item in exported["metrics"]} == {metric.value for metric in Metric}
    assert exported["skip_rules"] == [
        {
            "metric": "procedure_logic",
            "value": "no",
            "implies": {"sequence_consistency": "5", "state_change_coherence": "no"},
        }
    ]
    logic = exported["metrics"][3]
    assert logic["values"] == [
        {"value": "no", "label": "Intact"},
        {"value": "yes", "label": "Broken"},
    ]
    assert (logic["has_confidence"], logic["confidence_values"]) == (True, [1, 2, 3])
