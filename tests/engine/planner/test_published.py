"""The `published` profile against the published plan of the 50 takes."""

import json

import pytest

from generation.engine.planner.files.plan_files import plans_from, plans_to_dict
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PUBLISHED

pytestmark = pytest.mark.shared_data

STEP_FIELDS = ("complexity", "norm_complexity", "norm_duration", "step_load", "phase")
STEP_FIELDS += ("taxonomy_block_id", "taxonomy_block_name", "taxonomy_path", "step_unique_id")
TAKE_FIELDS = ("total_complexity", "total_duration_s", "density_steps_per_min")
TAKE_FIELDS += ("risk_score", "expected_errors_lambda", "n_steps")


def test_published_features_equal_the_published_plan_for_every_step(
    published_input, published_plan
):
    profile = published_input.profile_with_priors(PUBLISHED)
    statistics = published_input.statistics_for(profile)

    compared = 0
    for procedure in published_input.procedures:
        plan = plan_take(procedure, profile=profile, seed=0, run_statistics=statistics)
        expected = published_plan["takes"][procedure.take_uid]
        for step, wanted in zip(plan.steps, expected["steps"], strict=True):
            written = step.to_dict()
            assert {name: written[name] for name in STEP_FIELDS} == {
                name: wanted[name] for name in STEP_FIELDS
            }
            compared += 1
        figures = plan.statistics.to_dict()
        assert {name: figures[name] for name in TAKE_FIELDS} == {
            name: expected["procedure_stats"][name] for name in TAKE_FIELDS
        }

    assert compared == 1259


@pytest.mark.parametrize(
    "name", ["split_50_error_plan.json", "split_50_error_plan_with_corrections.json"]
)
def test_published_plan_is_equal_after_reading_and_writing(shared_data, name):
    data = json.loads((shared_data / "piev" / name).read_text())

    assert plans_to_dict(plans_from(data, file=name)) == data
