"""The two profiles that ship, and what tells them apart.

`published` reproduces the distributions of the published planner, its faults included. `piev`, the
default, is `published` with the `DIFFERENCES` applied one after the other; the measured effect of
each is in docs/planning_profiles.md. An error type that was added to the five is drawn by `piev`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from annotation.engine.taxonomy import TaxonomyLabel
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.profile import BlockRule, EntityRule, Profile, RiskRanges
from generation.engine.planner.taxonomy import PHASES


def with_error_types(profile: Profile, *, only_published: bool = False) -> Profile:
    """The profile with the numbers of every error type that it has none of yet."""
    kinds = {
        error_type: kind.facts
        for error_type, kind in error_kinds().items()
        if not only_published or str(error_type) in list(TaxonomyLabel)
    }
    types, corrections = profile.types, profile.corrections
    detection, action, noticing = corrections.detection, corrections.action, corrections.noticing
    priors = {
        phase: {name: facts.priors[phase] for name, facts in kinds.items()} for phase in PHASES
    }
    latest = {name: f.max_latency for name, f in kinds.items() if f.max_latency is not None}
    latencies = {name: facts.latency for name, facts in kinds.items()}
    detect = {name: facts.detect for name, facts in kinds.items()}
    act = {name: facts.act for name, facts in kinds.items()}
    return replace(
        profile,
        types=replace(
            types,
            priors={phase: {**priors[phase], **types.priors.get(phase, {})} for phase in PHASES},
        ),
        corrections=replace(
            corrections,
            detection=replace(detection, base={**detect, **detection.base}),
            action=replace(action, base={**act, **action.base}),
            noticing=replace(
                noticing,
                latencies={**latencies, **noticing.latencies},
                max_latency={**latest, **noticing.max_latency},
            ),
        ),
    )


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


def _with_corrections(profile: Profile, **changes: dict[str, Any]) -> Profile:
    """The profile with fields of its correction settings changed, by group."""
    groups = {
        name: replace(getattr(profile.corrections, name), **fields)
        for name, fields in changes.items()
    }
    return replace(profile, corrections=replace(profile.corrections, **groups))


def blocks_by_step_id(profile: Profile) -> Profile:
    """Trust no id that several kinds of step share: not for blocks, not for redundancy."""
    return replace(
        _with_corrections(profile, filters={"trusts_unique_ids": False}),
        reading=replace(profile.reading, blocks=BlockRule.STEP_ID),
    )


def entities_are_heads(profile: Profile) -> Profile:
    """Take the heads of a parsed representation for things, not every word of a value."""
    return replace(profile, reading=replace(profile.reading, entities=EntityRule.HEADS))


def whole_get_family(profile: Profile) -> Profile:
    """Let every predicate of acquiring acquire, in all rules alike."""
    swaps, corrections = profile.transposition, profile.corrections
    noticing, filters = corrections.noticing, corrections.filters
    return replace(
        profile,
        deletion=replace(profile.deletion, acquiring_predicates=GET_FAMILY),
        transposition=replace(swaps, prerequisites=_with_get_family(swaps.prerequisites)),
        corrections=replace(
            corrections,
            noticing=replace(noticing, triggers=_with_get_family(noticing.triggers)),
            filters=replace(
                filters, commuting_predicates=filters.commuting_predicates | GET_FAMILY
            ),
        ),
    )


def fixed_normalisation(profile: Profile) -> Profile:
    """Normalise risk over fixed ranges, and learn nothing from the other takes of the run."""
    return replace(
        profile,
        count=replace(profile.count, ranges=RiskRanges.FIXED),
        deletion=replace(profile.deletion, has_learned_guard=False),
    )


def short_procedures_spared(profile: Profile) -> Profile:
    """Plan at most one error per three steps, none below three, and possibly none below six."""
    count = replace(profile.count, min_steps=3, spared_below_steps=6, max_error_share=1 / 3)
    return replace(profile, count=count)


def roles_needed_to_err_in_one(profile: Profile) -> Profile:
    """Plan no wrong execution where there is no role to execute wrongly."""
    return replace(profile, wrong_execution=replace(profile.wrong_execution, needs_a_role=True))


def original_order_is_the_measure(profile: Profile) -> Profile:
    """Hold against a swap only what the swap breaks, and swap no step with its own repetition."""
    swaps = replace(profile.transposition, compares_with_original=True, compares_step_ids=True)
    return replace(profile, transposition=swaps)


def repeats_bring_again(profile: Profile) -> Profile:
    """Force no correction of a deleted acquisition where the next use acquires the object anew."""
    return replace(profile, deletion=replace(profile.deletion, repeats_bring_again=True))


def events_mind_each_other(profile: Profile) -> Profile:
    """Notice, roll back, find alternates and redundancy among steps that are really there."""
    return replace(
        _with_corrections(
            profile,
            noticing={"skips_deleted_steps": True},
            filters={"ignores_events": True},
            repair={"stops_at_deleted_steps": True},
        ),
        deletion=replace(profile.deletion, alternates_avoid_events=True),
    )


def latency_can_be_one(profile: Profile) -> Profile:
    """Let the geometric wait start at one step, as it does in the paper."""
    return _with_corrections(profile, noticing={"later_by_steps": 0})


def nothing_after_the_end(profile: Profile) -> Profile:
    """Notice nothing once the procedure is over, instead of at its last step."""
    return _with_corrections(profile, noticing={"clamps_to_last_step": False})


def substitutions_roll_back_no_further(profile: Profile) -> Profile:
    """Let the repair of a substitution start at the substituted step."""
    return _with_corrections(profile, repair={"substitution_rollback_less": 1})


def rejected_before_chosen(profile: Profile) -> Profile:
    """Reject impossible corrections before the best of a step is chosen, not with it the others."""
    return _with_corrections(profile, repair={"rejects_before_choosing": True})


DIFFERENCES: tuple[Callable[[Profile], Profile], ...] = (
    blocks_by_step_id,
    entities_are_heads,
    whole_get_family,
    fixed_normalisation,
    short_procedures_spared,
    roles_needed_to_err_in_one,
    original_order_is_the_measure,
    repeats_bring_again,
    events_mind_each_other,
    latency_can_be_one,
    nothing_after_the_end,
    substitutions_roll_back_no_further,
    rejected_before_chosen,
)

PIEV = with_error_types(
    replace(
        reduce(lambda profile, difference: difference(profile), DIFFERENCES, PUBLISHED),
        name="piev",
        description="The method of the paper with the faults of the published planner put right.",
    )
)

DEFAULT_PROFILE = PIEV
SHIPPED_PROFILES = {profile.name: profile for profile in (PUBLISHED, PIEV)}
