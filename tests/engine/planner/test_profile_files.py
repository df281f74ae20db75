import json
from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.error_kind import type_names
from generation.engine.planner.exceptions import ProfileError
from generation.engine.planner.files.corpus_role_priors import with_role_priors
from generation.engine.planner.files.profile_files import (
    check_profile,
    load_profile,
    profile_from_dict,
    profile_to_dict,
    stored_profile,
)
from generation.engine.planner.profiles import DIFFERENCES, PIEV, PUBLISHED, with_changes
from generation.engine.planner.taxonomy import CorrectionType, Phase


@pytest.mark.parametrize("profile", [PIEV, PUBLISHED], ids=lambda profile: profile.name)
def test_shipped_profile_is_valid_and_equal_after_storing(profile):
    check_profile(profile)

    stored = json.loads(json.dumps(profile_to_dict(profile)))

    assert load_profile(profile.name) == profile
    assert stored_profile(stored) == profile


def test_stored_profile_has_no_entry_that_was_not_stored():
    only_deletions = replace(
        PIEV,
        types=replace(PIEV.types, priors={phase: {ErrorType.DELETION: 1.0} for phase in Phase}),
    )
    profile = with_role_priors(only_deletions, {"GET": {"Object": 0.4}})

    assert stored_profile(profile_to_dict(profile)) == profile


def test_setting_that_a_stored_profile_is_too_old_for_keeps_the_rule_of_its_time():
    stored = profile_to_dict(PIEV)
    del stored["types"]["must_make_sense"]

    profile = stored_profile(stored)

    assert profile == with_changes(PIEV, {"types": {"must_make_sense": False}})


@pytest.mark.parametrize("name", DIFFERENCES)
def test_each_difference_changes_the_published_profile_and_is_part_of_piev(name):
    assert with_changes(PUBLISHED, DIFFERENCES[name]) != PUBLISHED
    assert with_changes(PIEV, DIFFERENCES[name]) == PIEV


def test_toml_profile_changes_single_values_of_its_base(tmp_path):
    path = tmp_path / "careful.toml"
    path.write_text(
        'base = "published"\n'
        "[count]\nmax_errors = 2\nmax_error_share = 1\n"
        "[types.priors.phase_1]\ndeletion = 0.5\n"
        "[corrections.noticing.latencies.insertion]\nat_once = 0.9\n"
        "[corrections.repair.wrong_execution_weights]\nstop_and_fix = 1\n"
        '[transposition]\nrepeating_predicates = ["REPEAT", "REDO"]\n'
        '[reading]\nblocks = "step_id"\n'
    )

    profile = load_profile(str(path))

    assert profile.name == "careful"
    assert profile.count == replace(PUBLISHED.count, max_errors=2, max_error_share=1.0)
    assert profile.types.priors[Phase.INITIATION] == {
        **PUBLISHED.types.priors[Phase.INITIATION],
        ErrorType.DELETION: 0.5,
    }
    latencies = profile.corrections.noticing.latencies
    assert latencies[ErrorType.INSERTION].at_once == 0.9
    assert latencies[ErrorType.INSERTION].stop == 0.45
    weights = profile.corrections.repair.wrong_execution_weights
    assert weights[CorrectionType.STOP_AND_FIX] == 1.0
    assert profile.transposition.repeating_predicates == {"REPEAT", "REDO"}
    assert profile.placement == PUBLISHED.placement


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"types": {"priors": {"phase_2": {"insertion": -1}}}},
         "types.priors.phase_2.insertion is -1.0; expected a number, 0 or more"),
        ({"types": {"priors": {"phase_2": dict.fromkeys(type_names().values(), 0)}}},
         "types.priors.phase_2 is {.*}; expected weights that are not all 0"),
        ({"types": {"priors": {"phase_4": {}}}},
         "types.priors is 'phase_4'; expected one of phase_1, phase_2, phase_3"),
        ({"types": {"priors": {"phase_1": {"slip": 1}}}},
         "types.priors.phase_1 is 'slip'; expected one of deletion, insertion"),
        ({"count": {"max_errors": 2.5}}, "count.max_errors is 2.5; expected a whole number"),
        ({"count": {"max_errors": True}}, "count.max_errors is True; expected a whole number"),
        ({"count": {"max_errors": -1}}, "count.max_errors is -1; expected a number, 0 or more"),
        ({"count": {"complexity_range": [5, 5]}},
         r"count.complexity_range is \[5.0, 5.0\]; expected two finite numbers"),
        ({"count": {"complexity_range": 5}}, "count.complexity_range is 5; expected a list"),
        ({"wrong_execution": {"second_role_probability": 1.5}},
         "wrong_execution.second_role_probability is 1.5; expected a number, between 0 and 1"),
        ({"wrong_execution": {"second_role_probability": float("nan")}},
         "second_role_probability is nan; expected a number"),
        ({"corrections": {"noticing": {"latencies": {"deletion": {"stop": 0}}}}},
         "corrections.noticing.latencies.deletion.stop is 0.0; expected a number, between 0.01"),
        ({"corrections": {"detection": {"base": {"deletion": {"phase_1": 2}}}}},
         "corrections.detection.base.deletion.phase_1 is 2.0; expected a number, between 0 and 1"),
        ({"transposition": {"repeating_predicates": ["Repeat"]}},
         "transposition.repeating_predicates is 'Repeat'; expected predicates in upper case"),
        ({"transposition": {"prerequisites": {"CLOSE": ["open"]}}},
         "transposition.prerequisites.CLOSE is 'open'; expected predicates in upper case"),
        ({"reading": {"blocks": "name"}},
         "reading.blocks is 'name'; expected one of unique_id, step_id"),
        ({"placement": 3}, "placement is 3; expected a table"),
        ({"placement": {"floor": 3}}, "placement.floor is 3; expected one of the fields"),
        ({"base": "paper"}, "base is 'paper'; expected one of piev, published"),
        ({"description": 3}, "description is 3; expected a text"),
    ],
)  # fmt: skip
def test_impossible_value_is_refused_with_field_and_value(change, message):
    with pytest.raises(ProfileError, match=message):
        profile_from_dict({"name": "x", **change})


def test_unknown_profile_and_broken_toml_are_refused(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("name =")

    with pytest.raises(ProfileError, match="'nowhere'; expected one of piev, published, or a TOML"):
        load_profile("nowhere")
    with pytest.raises(ProfileError, match=r"file is 'broken.toml'; expected TOML"):
        load_profile(str(path))
