"""The two profiles that ship, and their differences.

`published` reproduces the distributions of the published planner, its faults included. `piev`, the
default, is `published` with the `DIFFERENCES` applied one after the other; the measured effect of
each is in docs/planning_profiles.md. An error type beside the published five is drawn by `piev`
only.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from annotation.engine.taxonomy import ErrorType, TaxonomyLabel
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.profile import BlockRule, EntityRule, Profile, RiskRanges
from generation.engine.planner.taxonomy import PHASES

# Fields with new values, by the group that they are in.
Changes = Mapping[str, Mapping[str, Any]]


def with_changes(profile: Profile, changes: Changes) -> Profile:
    """The profile with fields changed; `corrections.filters` is a group in its corrections."""
    groups: dict[str, Any] = {}
    corrections: dict[str, Any] = {}
    for name, fields in changes.items():
        *inside, part = name.split(".")
        settings, parts = (profile.corrections, corrections) if inside else (profile, groups)
        parts[part] = replace(getattr(settings, part), **fields)
    return replace(profile, **groups, corrections=replace(profile.corrections, **corrections))


def with_error_types(profile: Profile, *, only_published: bool = False) -> Profile:
    """The profile with the numbers of the error types that it lacks."""
    kinds = {
        error_type: kind.facts
        for error_type, kind in error_kinds().items()
        if not only_published or str(error_type) in list(TaxonomyLabel)
    }
    types, corrections = profile.types, profile.corrections
    noticing = corrections.noticing
    latest = {name: f.max_latency for name, f in kinds.items() if f.max_latency is not None}

    def completed(numbers: Mapping[ErrorType, Any], field: str) -> dict[ErrorType, Any]:
        return {**{name: getattr(facts, field) for name, facts in kinds.items()}, **numbers}

    priors = {
        phase: {
            **{name: facts.priors[phase] for name, facts in kinds.items()},
            **types.priors.get(phase, {}),
        }
        for phase in PHASES
    }
    changes: Changes = {
        "types": {"priors": priors},
        "corrections.detection": {"base": completed(corrections.detection.base, "detect")},
        "corrections.action": {"base": completed(corrections.action.base, "act")},
        "corrections.noticing": {
            "latencies": completed(noticing.latencies, "latency"),
            "max_latency": {**latest, **noticing.max_latency},
        },
    }
    return with_changes(profile, changes)


PUBLISHED = with_error_types(
    Profile(
        name="published",
        description="The published planner's distributions, including what it got wrong.",
    ),
    only_published=True,
)

# Predicates of acquiring a thing. The published set also has REMOVE, but what is removed is as
# often thrown away.
GET_FAMILY = frozenset(
    {
        *("ACQUIRE", "BRING", "COLLECT", "FETCH", "GATHER", "GET", "GET_OUT", "GRAB", "OBTAIN"),
        *("PICK", "PICK_OUT", "PICK_UP", "PULL_OUT", "RECEIVE", "RETRIEVE", "TAKE", "TAKE_OUT"),
    }
)


def _with_get_family(needs: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The table with the whole family wherever it has GET."""
    return {
        name: predicates | GET_FAMILY if "GET" in predicates else predicates
        for name, predicates in needs.items()
    }


DIFFERENCES: Mapping[str, Changes] = {
    # Use no id that several kinds of step share, neither for blocks nor for redundancy.
    "blocks_by_step_id": {
        "reading": {"blocks": BlockRule.STEP_ID},
        "corrections.filters": {"trusts_unique_ids": False},
    },
    # The heads of a parsed representation are things, not every word of a value.
    "entities_are_heads": {"reading": {"entities": EntityRule.HEADS}},
    # Every predicate of the family acquires, in all rules.
    "whole_get_family": {
        "deletion": {"acquiring_predicates": GET_FAMILY},
        "transposition": {"prerequisites": _with_get_family(PUBLISHED.transposition.prerequisites)},
        "corrections.noticing": {
            "triggers": _with_get_family(PUBLISHED.corrections.noticing.triggers)
        },
        "corrections.filters": {
            "commuting_predicates": PUBLISHED.corrections.filters.commuting_predicates | GET_FAMILY
        },
    },
    # A take's plan does not depend on the other takes of the run.
    "fixed_normalisation": {
        "count": {"ranges": RiskRanges.FIXED},
        "deletion": {"has_learned_guard": False},
    },
    # Plan at most one error per three steps, none below three, and possibly none below six.
    "short_procedures_spared": {
        "count": {"min_steps": 3, "spared_below_steps": 6, "max_error_share": 1 / 3}
    },
    # Plan no wrong execution of a step without a role that can change.
    "wrong_executions_need_a_role": {"wrong_execution": {"needs_a_role": True}},
    # A swap is refused only for orders that it breaks itself; a step and its repetition never swap.
    "swaps_compared_with_original": {
        "transposition": {"compares_with_original": True, "compares_step_ids": True}
    },
    # Force no correction of a deleted acquisition if the next use acquires the object itself.
    "repeats_acquire_again": {"deletion": {"repeats_bring_again": True}},
    # Steps that other events delete count for no noticing, rollback, alternate or redundancy.
    "events_avoid_each_other": {
        "deletion": {"alternates_avoid_events": True},
        "corrections.noticing": {"skips_deleted_steps": True},
        "corrections.filters": {"ignores_events": True},
        "corrections.repair": {"stops_at_deleted_steps": True},
    },
    # Let the geometric wait start at one step, as it does in the paper.
    "latency_can_be_one": {"corrections.noticing": {"later_by_steps": 0}},
    # After the last step nothing is noticed; the published planner notices at the last step.
    "nothing_after_the_end": {"corrections.noticing": {"clamps_to_last_step": False}},
    # Let the repair of a substitution start at the substituted step.
    "substitutions_roll_back_no_further": {"corrections.repair": {"substitution_rollback_less": 1}},
    # Draw what a step can suffer believably: see `rewriting/affordances.py`. A second wrong role
    # in the same step reads as nonsense.
    "mistakes_make_sense": {
        "types": {"must_make_sense": True},
        "wrong_execution": {"second_role_probability": 0.0},
    },
    # Reject impossible corrections before the best of a step is chosen.
    "rejected_before_chosen": {"corrections.repair": {"rejects_before_choosing": True}},
}

PIEV = with_error_types(
    replace(
        reduce(with_changes, DIFFERENCES.values(), PUBLISHED),
        name="piev",
        description="The method of the paper with the faults of the published planner put right.",
    )
)

DEFAULT_PROFILE = PIEV
SHIPPED_PROFILES = {profile.name: profile for profile in (PUBLISHED, PIEV)}
