import json

import numpy as np
import pytest

from benchmarks.engine.measures.speaking import decision_figures, onset_matches

KINDS = {"oop_events": ("onsets_s", "interrupts_s"), "event_timing": ("gold_s", "pred_s")}


def cases_of(shared_data, kind):
    cases = json.loads((shared_data / "pwr/EXPECTED_metrics.json").read_text())["cases"]
    return [case for case in cases if case["kind"] == kind]


def sums_of(gold, spoken):
    pairs = list(zip(gold, spoken, strict=True))
    kinds = [("interrupt", "interrupt"), ("silent", "interrupt"), ("interrupt", "silent"),
             ("silent", "silent")]  # fmt: skip
    return np.array([[pairs.count(kind) for kind in kinds]], dtype=np.float64)


@pytest.mark.shared_data
def test_decisions_of_the_worked_cases(shared_data):
    names = {"speak_f1": "interrupt_f1", "silent_f1": "silent_f1", "g_mean_f1": "gmean_f1",
             "accuracy": "accuracy", "speak_share": "predicted_interrupt_share"}  # fmt: skip
    cases = [case for case in cases_of(shared_data, "decision_scores") if case["input"]["gold"]]

    assert len(cases) >= 5
    for case in cases:
        sums = sums_of(case["input"]["gold"], case["input"]["pred"])
        for own, theirs in names.items():
            found = float(decision_figures()[own](sums)[0])
            assert found == pytest.approx(case["expected"][theirs], abs=1e-6), (case["id"], own)


@pytest.mark.shared_data
@pytest.mark.parametrize("kind", KINDS)
def test_matches_of_the_worked_cases(shared_data, kind):
    for case in cases_of(shared_data, kind):
        given, expected = case["input"], case["expected"]
        onsets, said = (given[name] for name in KINDS[kind])
        windows = {name: given[name] for name in ("before_s", "after_s") if name in given}
        found = onset_matches(onsets, said, **windows)

        assert [list(pair) for pair in found.pairs] == expected["pairs"], case["id"]
        assert found.duplicates == expected["n_duplicates"], case["id"]
        recall = expected["recall"]
        assert found.recall == (None if recall is None else pytest.approx(recall, abs=1e-6))


def test_nothing_read_has_no_figure_and_never_speaking_is_a_zero():
    nothing, silent = np.zeros((1, 4)), np.array([[0.0, 0, 3, 5]])

    assert np.isnan([figure(nothing)[0] for figure in decision_figures().values()]).all()
    assert decision_figures()["g_mean_f1"](silent)[0] == 0.0


def test_more_matches_come_before_nearer_ones():
    assert onset_matches([10.0, 13.0], [11.9, 8.5]).pairs == ((10.0, 8.5), (13.0, 11.9))
