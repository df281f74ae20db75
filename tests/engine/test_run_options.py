"""What a run stores of its models and its budget."""

import pytest

from generation.engine.run_options import RunOptions


def test_options_survive_their_json_form():
    options = RunOptions(writer="big model", judge="small model", budget_usd=2.5)

    assert RunOptions.from_dict(options.to_dict()) == options


def test_run_without_options_is_written_by_rules_and_judged_without_a_model():
    assert RunOptions.from_dict({}) == RunOptions(writer="rules", judge="none", budget_usd=None)


@pytest.mark.parametrize(
    ("writer", "judge", "models"),
    [
        ("rules", "none", ()),
        ("big", "none", ("big",)),
        ("rules", "big", ("big",)),
        ("big", "big", ("big",)),
        ("big", "small", ("big", "small")),
    ],
)
def test_models_names_each_endpoint_once(writer, judge, models):
    assert RunOptions(writer=writer, judge=judge).models == models
