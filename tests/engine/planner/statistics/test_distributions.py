import json
import math
from collections import Counter

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.files.plan_files import read_plans
from generation.engine.planner.profiles import PIEV, PUBLISHED
from generation.engine.planner.statistics.comparison import (
    compare,
    largest_difference,
    listing,
    table,
)
from generation.engine.planner.statistics.distributions import tally_of
from generation.engine.planner.statistics.shares import summary
from generation.engine.results.plan_runs import distributions_of_seeds
from tests.engine.corrections.plans import error_at, plan_with
from tests.engine.planner.procedures import TEA, procedure_of


def test_tally_of_plans_written_by_hand():
    first = plan_with(
        procedure_of(*TEA),
        error_at(0, ErrorType.DELETION),
        error_at(2, ErrorType.TRANSPOSITION, number=2, partner=4),
    )
    second = plan_with(procedure_of(*TEA, uid="other"))

    found = tally_of([[first, second], [second, second]])

    assert (found["runs"], found["takes_per_run"], found["steps_per_run"]) == (2, 2, 16)
    assert found["mistakes_per_run"] == {
        **{"mean": 1.0, "sd": 1.0, "min": 0, "p5": 0, "median": 0, "p95": 2, "max": 2},
    }
    assert found["k_per_take"] == {"mean": 0.5, "share_by_k": {"0": 0.75, "2": 0.25}}
    assert found["mistake_rate_pct"]["events_over_steps"] == 100 * 2 / 32
    assert found["mistake_rate_pct"]["affected_steps_over_steps"] == 100 * 3 / 32
    assert found["transposition"]["distance_share"] == {"2": 1.0}
    assert found["position_decile_share"] == {"0": 0.5, "2": 0.5}
    assert found["corrections"]["per_mistake"] == 0.0
    assert found["corrections"]["noticed_not_acted_per_run"] == {}


def test_tally_without_plans_has_no_rate():
    found = tally_of([])

    assert found["runs"] == 0
    assert found["mistakes_per_run"] == {}
    assert found["k_per_take"] == {"mean": None, "share_by_k": {}}
    assert found["mistake_rate_pct"]["events_over_steps"] is None


def test_summary_of_counted_values():
    assert summary(Counter({1: 19, 21: 1})) == {
        "mean": 2.0,
        "sd": math.sqrt(19),
        "min": 1,
        "p5": 1,
        "median": 1,
        "p95": 1,
        "max": 21,
    }


def test_comparison_counts_a_missing_share_as_nothing():
    rows = compare({"share": {"1": 0.75, "2": 0.25}}, {"share": {"1": 1.0}, "mean": 3})

    assert [(row.name, row.difference) for row in rows] == [
        ("share.1", -0.25),
        ("mean", None),
        ("share.2", None),
    ]
    assert largest_difference(rows, "share.") == 0.25
    assert table(rows, titles=("here", "there")).splitlines()[1].split() == [
        *("share.1", "0.7500", "1.0000", "-0.2500"),
    ]
    assert listing({"mean": 3, "none": None}).split() == ["mean", "3", "none", "-"]
    with pytest.raises(ValueError, match="no figure has a name that begins with 'other'"):
        largest_difference(rows, "other")


@pytest.mark.shared_data
def test_tally_of_the_published_plan_equals_the_reference(shared_data):
    folder = shared_data / "piev"
    reference = json.loads((folder / "reference_distributions.json").read_text())
    plans = read_plans(folder / "split_50_error_plan_with_corrections.json").plans

    rows = compare(tally_of([plans]), reference["published_plan"])

    # The reference rounds shares to five places.
    assert {
        row.name: (row.observed, row.expected)
        for row in rows
        if (row.observed or 0.0) != pytest.approx(row.expected or 0.0, abs=1e-5)
    } == {}


@pytest.mark.shared_data
def test_published_profile_reaches_the_reference_distributions(shared_data, published_input):
    seeds = 40
    path = shared_data / "piev" / "reference_distributions.json"
    reference = json.loads(path.read_text())["all_seeds_independent_correction_seed"]

    found = distributions_of_seeds(published_input, profile=PUBLISHED, seeds=range(seeds))

    # Four standard errors of `seeds` runs each way: a mean over runs has sd / sqrt(seeds), a share
    # among n events at most sqrt(p (1 - p) / n), and events within a run are nearly independent.
    for name in ("mistakes_per_run", "corrections_per_run"):
        tolerance = 4 * reference[name]["sd"] / math.sqrt(seeds)
        assert found[name]["mean"] == pytest.approx(reference[name]["mean"], abs=tolerance)
    mistakes = seeds * reference["mistakes_per_run"]["mean"]
    corrections = seeds * reference["corrections_per_run"]["mean"]
    swaps = mistakes * reference["type_share"]["transposition"]
    for group, count in (
        ("type_share.", mistakes),
        ("severity_share.", mistakes),
        ("mistakes_share_by_phase.", mistakes),
        ("type_share_given_phase.phase_1.", mistakes * 0.267),
        ("type_share_given_phase.phase_2.", mistakes * 0.401),
        ("type_share_given_phase.phase_3.", mistakes * 0.333),
        ("corrections.correction_type_share.", corrections),
        ("corrections.latency_share.", corrections),
        ("transposition.distance_share.", swaps),
    ):
        for row in compare(found, reference):
            if row.name.startswith(group):
                share = max(row.expected or 0.0, 1 / count)
                tolerance = 4 * math.sqrt(share * (1 - share) / count)
                assert (row.observed or 0.0) == pytest.approx(row.expected or 0.0, abs=tolerance), (
                    row.name
                )


@pytest.mark.shared_data
def test_piev_profile_puts_the_known_faults_right(published_input):
    # Few substitutions make sense, and fewer are corrected.
    found = distributions_of_seeds(published_input, profile=PIEV, seeds=range(60))

    latencies = found["corrections"]["latency_given_error_type"]["substitution"]
    rollbacks = found["corrections"]["rollback_share_given_correction_type"]["rollback_and_redo"]
    # A wait of one step is the likeliest wait, and most repairs start at the mistake.
    assert latencies["1"] > latencies["2"]
    assert rollbacks["0"] > 0.7
    # Takes of three and four steps may be spared.
    assert 0 < found["k_per_take"]["share_by_k"]["0"] < 0.1
