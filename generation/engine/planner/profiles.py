"""The two profiles that ship, and what tells them apart.

`published` reproduces the distributions of the published planner, its faults included. `piev`, the
default, is `published` with the `DIFFERENCES` applied one after the other; the measured effect of
each is in docs/planning_profiles.md. An error type that was added to the five is drawn by `piev`.
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


def changed(profile: Profile, changes: Changes) -> Profile:
    """The profile with fields changed; `corrections.filters` is a group in its corrections."""
    groups: dict[str, Any] = {}
    corrections: dict[str, Any] = {}
    for name, fields in changes.items():
        *inside, part = name.split(".")
        settings, made = (profile.corrections, corrections) if inside else (profile, groups)
        made[part] = replace(getattr(settings, part), **fields)
    return replace(profile, **groups, corrections=replace(profile.corrections, **corrections))


def with_error_types(profile: Profile, *, only_published: bool = False) -> Profile:
    """The profile with the numbers of every error type that it has none of yet."""
    kinds = {
        error_type: kind.facts
        for error_type, kind in error_kinds().items()
        if not only_published or str(error_type) in list(TaxonomyLabel)
    }
    types, corrections = profile.types, profile.corrections
    noticing = corrections.noticing
    latest = {name: f.max_latency for name, f in kinds.items() if f.max_latency is not None}

    def with_own(given: Mapping[ErrorType, Any], field: str) -> dict[ErrorType, Any]:
        return {**{name: getattr(facts, field) for name, facts in kinds.items()}, **given}

    priors = {
        phase: {
            **{name: facts.priors[phase] for name, facts in kinds.items()},
            **types.priors.get(phase, {}),
        }
        for phase in PHASES
    }
    changes: Changes = {
        "types": {"priors": priors},
        "corrections.detection": {"base": with_own(corrections.detection.base, "detect")},
        "corrections.action": {"base": with_own(corrections.action.base, "act")},
        "corrections.noticing": {
            "latencies": with_own(noticing.latencies, "latency"),
            "max_latency": {**latest, **noticing.max_latency},
        },
    }
    return changed(profile, changes)


PUBLISHED = with_error_types(
    Profile(
        name="published",
        description="The published planner's distributions, including what it got wrong.",
    ),
    only_published=True,
)

# Predicates with which a person comes to hold a thing. REMOVE, which the published set has, is not
# one: what is removed is as often got rid of.
GET_FAMILY = frozenset(
    {
        *("ACQUIRE", "BRING", "COLLECT", "FETCH", "GATHER", "GET", "GET_OUT", "GRAB", "OBTAIN"),
        *("PICK", "PICK_OUT", "PICK_UP", "PULL_OUT", "RECEIVE", "RETRIEVE", "TAKE", "TAKE_OUT"),
    }
)


def _with_get_family(needs: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The table with every GET widened to the whole family."""
    return {name: some | GET_FAMILY if "GET" in some else some for name, some in needs.items()}


DIFFERENCES: Mapping[str, Changes] = {
    # Trust no id that several kinds of step share: not for blocks, not for redundancy.
    "blocks_by_step_id": {
        "reading": {"blocks": BlockRule.STEP_ID},
        "corrections.filters": {"trusts_unique_ids": False},
    },
    # Take the heads of a parsed representation for things, not every word of a value.
    "entities_are_heads": {"reading": {"entities": EntityRule.HEADS}},
    # Let every predicate of acquiring acquire, in all rules alike.
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
    # Normalise risk over fixed ranges, and learn nothing from the other takes of the run.
    "fixed_normalisation": {
        "count": {"ranges": RiskRanges.FIXED},
        "deletion": {"has_learned_guard": False},
    },
    # Plan at most one error per three steps, none below three, and possibly none below six.
    "short_procedures_spared": {
        "count": {"min_steps": 3, "spared_below_steps": 6, "max_error_share": 1 / 3}
    },
    # Plan no wrong execution where there is no role to execute wrongly.
    "roles_needed_to_err_in_one": {"wrong_execution": {"needs_a_role": True}},
    # Hold against a swap only what the swap breaks, and swap no step with its own repetition.
    "original_order_is_the_measure": {
        "transposition": {"compares_with_original": True, "compares_step_ids": True}
    },
    # Force no correction of a deleted acquisition where the next use acquires the object anew.
    "repeats_bring_again": {"deletion": {"repeats_bring_again": True}},
    # Notice, roll back, find alternates and redundancy among steps that are really there.
    "events_mind_each_other": {
        "deletion": {"alternates_avoid_events": True},
        "corrections.noticing": {"skips_deleted_steps": True},
        "corrections.filters": {"ignores_events": True},
        "corrections.repair": {"stops_at_deleted_steps": True},
    },
    # Let the geometric wait start at one step, as it does in the paper.
    "latency_can_be_one": {"corrections.noticing": {"later_by_steps": 0}},
    # Notice nothing once the procedure is over, instead of at its last step.
    "nothing_after_the_end": {"corrections.noticing": {"clamps_to_last_step": False}},
    # Let the repair of a substitution start at the substituted step.
    "substitutions_roll_back_no_further": {"corrections.repair": {"substitution_rollback_less": 1}},
    # Reject impossible corrections before the best of a step is chosen, not with it the others.
    "rejected_before_chosen": {"corrections.repair": {"rejects_before_choosing": True}},
}

PIEV = with_error_types(
    replace(
        reduce(changed, DIFFERENCES.values(), PUBLISHED),
        name="piev",
        description="The method of the paper with the faults of the published planner put right.",
    )
)

DEFAULT_PROFILE = PIEV
SHIPPED_PROFILES = {profile.name: profile for profile in (PUBLISHED, PIEV)}
