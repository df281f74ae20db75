import json
from dataclasses import replace

import numpy as np
import pytest

from annotation.analytics.agreement.intervals import NO_SPREAD
from annotation.engine.campaigns.guideline import built_in_guideline
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.engine.taxonomy import EventKind
from benchmarks.engine.task import Answered, AnswerStatus
from benchmarks.engine.tasks.model_as_rater import TASK
from benchmarks.engine.tasks.model_as_rater.asking import RatedEvent, RatedRound, labels_of
from benchmarks.engine.tasks.model_as_rater.calibrating import calibrate
from benchmarks.engine.tasks.model_as_rater.columns import TEXT_METRICS, columns_of
from benchmarks.engine.tasks.model_as_rater.details import family_of
from benchmarks.engine.tasks.model_as_rater.verdicts import Verdict, judge
from tests.benchmarks.tasks.material import TEA, figures, read
from tests.intervals import assert_possible

SHEET = (("Boil water", "Boil water", ""), ("Warm the pot", "", "Mistake 1"))
PEOPLE = {
    Metric.ERROR_VALIDITY: {"P1": "yes", "P2": "no"},
    Metric.CONFUSABILITY: {"P1": "2"},
    Metric.TAXONOMY_FIT: {"P1": "D"},
    Metric.VIDEO_PLAUSIBILITY: {"P1": "4"},
}


def rated(*events):
    return replace(
        TEA,
        extra={"round": RatedRound(current_rubric(), built_in_guideline("2"), events)},
    )


EVENT = RatedEvent(
    "trace:tea-a", "E1", "Mistake 1", EventKind.MISTAKE, "", SHEET, PEOPLE,
    {Metric.ERROR_VALIDITY: ("yes",)},
)  # fmt: skip
SETTINGS = {"people": "skilled people", "calibration_share": 0.0}


def items_of(material):
    return list(TASK.items(material, SETTINGS, 0))


def test_every_text_metric_that_somebody_answered_is_asked_in_the_words_of_the_guideline():
    items = items_of(rated(EVENT))

    assert [item.payload["metric"] for item in items] == [
        "error_validity", "confusability", "taxonomy_fit",
    ]  # fmt: skip
    text = built_in_guideline("2").texts[Metric.CONFUSABILITY, "mistake"]
    prompt = TASK.prompt(items[1], ())
    assert text.question in prompt.text
    assert text.how_to_judge in prompt.text
    assert f"5: {text.high}" in prompt.text
    assert "2. reference: Warm the pot | done: – | Mistake 1" in prompt.text


def test_question_reveals_no_planned_type_source_or_answer():
    for item in items_of(rated(EVENT)):
        told = json.dumps([item.payload, item.question, TASK.prompt(item, ()).text])
        for word in ("deletion", "tea-a", "E1", "P1", "trace:"):
            # Deletion is one of the answers of Taxonomy Fit, as it is for people.
            if not (word == "deletion" and item.payload["metric"] == "taxonomy_fit"):
                assert word not in told
        assert item.truth["people"]


def test_round_that_nobody_answered_is_refused_in_words():
    with pytest.raises(ValueError, match="Tea has no answer of a person"):
        items_of(rated(replace(EVENT, people={})))


def test_takes_lie_in_one_part_and_stay_there():
    (tea,) = TEA.recordings
    recordings = [
        replace(tea, key=f"trace:{n}", take=replace(tea.take, uid=str(n))) for n in range(10)
    ]
    events = [replace(EVENT, recording=f"trace:{n}") for n in range(10)]
    material = replace(rated(*events), recordings=tuple(recordings))
    settings = {**SETTINGS, "calibration_share": 0.5}

    parts = {item.take: item.part for item in TASK.items(material, settings, 7)}

    assert sorted(parts.values()) == ["calibration"] * 5 + ["test"] * 5
    assert parts == {item.take: item.part for item in TASK.items(material, settings, 7)}
    assert parts != {item.take: item.part for item in TASK.items(material, settings, 8)}


def units(metric, ratings):
    """Items of a metric, each of an event of a take of its own; None where a person gave none."""
    items = []
    for unit, given in enumerate(ratings):
        people = {f"P{n}": str(one) for n, one in enumerate(given) if one is not None}
        (item,) = items_of(rated(replace(EVENT, people={metric: people})))
        items.append(replace(item, key=f"{unit}!E!{metric}", take=f"take {unit}"))
    return items


def shown(metric, values):
    definition = current_rubric().definition(metric)
    return [{"answer": definition.shown(str(value)), "score": None} for value in values]


def scale(count=40):
    """Three people who mostly agree on a 1-5 scale, and what they agree on."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, count)
    noise = rng.choice([-1, 0, 0, 1], (count, 3))
    return units(Metric.CONFUSABILITY, np.clip(truth[:, None] + noise, 1, 5).tolist()), truth


def scale_columns(items, values):
    return columns_of(items, read(*shown(Metric.CONFUSABILITY, values)))[Metric.CONFUSABILITY]


@pytest.mark.shared_data
@pytest.mark.parametrize(("name", "passes"), [("f01", False), ("f02", True)])
def test_published_cases_of_the_alternative_annotator_test(shared_data, name, passes):
    cases = json.loads((shared_data / "agreement/EXPECTED.json").read_text())["cases"]
    case = next(case for case in cases if case["id"] == name)
    given = case["input"]
    is_yes_no = given["scoring"] == "accuracy"
    metric = Metric.ERROR_VALIDITY if is_yes_no else Metric.CONFUSABILITY
    items = units(metric, given["ratings"])

    found = judge(columns_of(items, read(*shown(metric, given["model"])))[metric], given["epsilon"])

    assert found.test.p_values == pytest.approx(case["expected"]["p_values"], abs=1e-9)
    assert found.test.winning_rate == pytest.approx(case["expected"]["winning_rate"])
    assert (found.verdict is Verdict.PASSES) is passes
    # Every unit is a take of its own, so means of takes are the units.
    assert found.by_take.winning_rate == found.test.winning_rate


def test_model_that_says_what_people_agree_on_passes():
    items, truth = scale()

    found = judge(scale_columns(items, truth), 0.15)

    assert (found.verdict, found.reason) == (Verdict.PASSES, "as good as 3 of 3 people")


def test_model_that_answers_by_chance_is_not_usable():
    items, _ = scale()

    found = judge(scale_columns(items, np.random.default_rng(4).integers(1, 6, len(items))), 0.15)

    assert found.verdict is Verdict.NOT_USABLE
    assert found.reason == "as good as 0 of 3 people, and its agreement with people may be chance"


def test_model_that_always_gives_the_commonest_answer_is_not_usable():
    items = units(Metric.ERROR_VALIDITY, [["yes", "yes", "yes"]] * 38 + [["no", "yes", "no"]] * 2)

    found = judge(
        columns_of(items, read(*shown(Metric.ERROR_VALIDITY, ["yes"] * 40)))[Metric.ERROR_VALIDITY],
        0.1,
    )

    assert found.test.passes
    assert (found.verdict, found.reason) == (Verdict.NOT_USABLE, "it always says “Yes”")


def test_few_events_give_no_verdict():
    items, truth = scale(20)

    found = judge(scale_columns(items, truth), 0.15)

    assert found.test.passes
    assert found.verdict is Verdict.NOT_USABLE
    assert found.reason == "a person shares 20 events with it; a verdict needs 30"


def test_model_that_is_worse_than_people_and_better_than_chance_may_screen():
    items, truth = scale()
    off = np.random.default_rng(5).choice([-2, -1, 1, 2], len(items))

    found = judge(scale_columns(items, np.clip(truth + off, 1, 5)), 0.1)

    assert found.verdict is Verdict.MAY_SCREEN
    assert found.with_model.interval.low > 0
    assert found.gap.interval.high < 0


@pytest.mark.parametrize("seed", range(12))
def test_intervals_of_a_model_beside_people_can_be(seed):
    rng = np.random.default_rng(seed)
    items, truth = scale(int(rng.choice([6, 20, 40, 120])))
    off = rng.choice([-1, 0, 0, 0, 1], len(items)) * rng.integers(2)

    found = judge(scale_columns(items, np.clip(truth + off, 1, 5)), 0.1)

    for measured, reach in ((found.with_model, 1), (found.among_people, 1), (found.gap, 2)):
        if measured.value is not None:
            assert_possible(measured.value, measured.interval, -reach, reach)


def test_model_that_always_says_what_both_people_say_may_screen():
    items, truth = scale()
    columns = replace(
        scale_columns(items, truth),
        names=("anna", "bert"),
        people=np.repeat(truth[:, None] - 1.0, 2, axis=1),
    )

    found = judge(columns, 0.1)

    assert (found.with_model.value, found.with_model.interval.reason) == (1.0, NO_SPREAD)
    assert found.verdict is Verdict.MAY_SCREEN


def test_one_person_gives_no_verdict_with_a_reason():
    items = items_of(rated(EVENT))
    columns = columns_of(
        items, read(*[{"answer": item.choices[0], "score": None} for item in items])
    )

    found = judge(columns[Metric.CONFUSABILITY], 0.1)

    assert found.verdict is Verdict.NOT_USABLE
    assert found.reason.startswith("the test needs at least 3 human raters; no interval")


def test_headline_figures_leave_the_calibration_part_out():
    items, truth = scale()
    halved = [
        replace(item, part="calibration" if n % 2 else "test") for n, item in enumerate(items)
    ]
    spoilt = [1 if n % 2 else value for n, value in enumerate(truth)]

    found = figures(TASK, halved, read(*shown(Metric.CONFUSABILITY, truth)))

    assert found == figures(TASK, halved, read(*shown(Metric.CONFUSABILITY, spoilt)))
    assert found["alpha_mean"] == found["alpha_confusability"] > 0.5


def test_calibration_corrects_a_shifted_scale_fitted_on_other_takes():
    items, truth = scale(60)
    whole = scale_columns(items, np.maximum(1, truth - 1))
    half = np.arange(len(whole)) % 2 == 0

    found = calibrate(whole.of(half), whole.of(~half))

    means = whole.of(~half).mean_of_people
    assert (found.units, found.reason) == (30, "")
    assert np.abs(found.values - means).mean() < 0.7 * np.abs(whole.of(~half).model - means).mean()


@pytest.mark.parametrize(
    ("count", "reason"), [(5, "needs 10 events; has 5"), (30, "all answers of the model are")]
)
def test_missing_calibration_has_a_reason(count, reason):
    items, _ = scale()
    columns = scale_columns(items, [3] * len(items))

    found = calibrate(columns.of(np.arange(len(items)) < count), columns)

    assert found.reason.startswith(reason)


def test_yes_and_no_are_calibrated_by_how_sure_the_model_is():
    truth = np.random.default_rng(1).integers(0, 2, 40)
    items = units(Metric.ERROR_VALIDITY, [[("no", "yes")[one]] * 3 for one in truth])
    # Always "no", but surer of it where people say no.
    answers = [{"answer": "No", "score": 0.4 if one else 0.1} for one in truth]
    columns = columns_of(items, read(*answers))[Metric.ERROR_VALIDITY]

    found = calibrate(columns, columns)

    assert found.values.tolist() == truth.tolist()


def test_details_hold_every_table_and_the_model_s_own_family():
    items, truth = scale()
    answers = shown(Metric.CONFUSABILITY, truth)
    items = [
        replace(item, groups={**item.groups, "generator": "gpt-5.2" if n % 2 else "qwen"})
        for n, item in enumerate(items)
    ]
    twice = read(*answers) + read(*answers[1:], answers[0])

    tables = TASK.details(items * 2, twice, {"settings": SETTINGS, "model": "openai/gpt-5.2"})

    by_key = {table.key: table for table in tables}
    assert list(by_key) == [
        "verdict", "pairs", "calibration", "bias", "confusion_confusability", "repeats",
    ]  # fmt: skip
    (verdict,) = by_key["verdict"].rows()
    assert verdict.cells["verdict"].value == "passes"
    assert [row.label.value for row in by_key["pairs"].rows()] == [
        "Model – P0", "Model – P1", "Model – P2", "P0 – P1", "P0 – P2", "P1 – P2",
    ]  # fmt: skip
    family = by_key["bias"].groups[-1]
    assert [row.label.value for row in family.rows] == [
        "made by a model of its own family", "made by others",
    ]  # fmt: skip
    (repeats,) = by_key["repeats"].rows()
    assert repeats.cells["repeats"].value == 2
    assert 0 < repeats.cells["same"].value < 1


def test_share_accepted_by_gold_is_reported():
    (item, *_) = items_of(rated(EVENT))
    asked = [item, replace(item, key="2!E!", truth={**item.truth, "accepted": []})]

    (columns,) = columns_of(asked, read(*[{"answer": "Yes", "score": None}] * 2)).values()

    assert columns.accepted.tolist()[0] == 1.0
    assert np.isnan(columns.accepted[1])


def test_unread_answers_are_no_answers():
    items, truth = scale()
    given = read(*shown(Metric.CONFUSABILITY, truth))
    given[0] = Answered(AnswerStatus.MALFORMED)

    columns = columns_of(items, given)[Metric.CONFUSABILITY]

    assert np.isnan(columns.model[0])
    assert np.isnan(columns.scores[0])


@pytest.mark.parametrize(
    ("metric", "score", "fault"),
    [
        ("error_validity", 0.5, ""),
        ("error_validity", 2, "score is 2; expected 0 to 1"),
        ("confusability", 3.5, ""),
        ("confusability", 0.5, "score is 0.5; expected 1 to 5"),
    ],
)
def test_scores_are_sure_of_yes_or_on_the_scale(metric, score, fault):
    item = next(item for item in items_of(rated(EVENT)) if item.payload["metric"] == metric)

    assert TASK.check(item, {"answer": item.choices[0], "score": score}) == fault


def test_answers_are_those_that_people_see():
    assert labels_of(current_rubric().definition(Metric.PROCEDURE_LOGIC)) == ("Intact", "Broken")
    assert len(TEXT_METRICS) == 7


def test_unnamed_model_has_no_family():
    assert family_of("") == ""
