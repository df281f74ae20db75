"""The two profiles that ship.

`published` reproduces the distributions of the published planner, its faults included. `piev`, the
default, puts them right; every difference and its effect is in docs/planning_profiles.md.
"""

from dataclasses import replace

from generation.engine.planner.correction_settings import CorrectionSettings
from generation.engine.planner.profile import (
    BlockRule,
    Deletion,
    EntityRule,
    ErrorCount,
    Profile,
    Reading,
    RiskRanges,
    Transposition,
    WrongExecution,
)

PUBLISHED = Profile(
    name="published",
    description="The published planner's distributions, including what it got wrong.",
)

# Predicates with which a person comes to hold a thing. REMOVE, which the published set has, is not
# one: what is removed is as often got rid of.
GET_FAMILY = frozenset(
    {
        *("ACQUIRE", "BRING", "COLLECT", "FETCH", "GATHER", "GET", "GET_OUT", "GRAB", "OBTAIN"),
        *("PICK", "PICK_OUT", "PICK_UP", "PULL_OUT", "RECEIVE", "RETRIEVE", "TAKE", "TAKE_OUT"),
    }
)


def _with_get_family(needs: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the table with every GET widened to the whole family."""
    return {name: set_ | GET_FAMILY if "GET" in set_ else set_ for name, set_ in needs.items()}


def _piev_corrections() -> CorrectionSettings:
    base = CorrectionSettings()
    return replace(
        base,
        noticing=replace(
            base.noticing,
            later_by_steps=0,
            triggers=_with_get_family(dict(base.noticing.triggers)),
            clamps_to_last_step=False,
            skips_deleted_steps=True,
        ),
        filters=replace(
            base.filters,
            commuting_predicates=base.filters.commuting_predicates | GET_FAMILY,
            ignores_events=True,
        ),
        repair=replace(
            base.repair,
            substitution_rollback_less=1,
            rejects_before_choosing=True,
            stops_at_deleted_steps=True,
        ),
    )


PIEV = Profile(
    name="piev",
    description="The method of the paper with the faults of the published planner put right.",
    reading=Reading(blocks=BlockRule.STEP_ID, entities=EntityRule.HEADS),
    count=ErrorCount(
        ranges=RiskRanges.FIXED, min_steps=3, spared_below_steps=6, max_error_share=1 / 3
    ),
    transposition=Transposition(
        prerequisites=_with_get_family(dict(Transposition().prerequisites)),
        compares_step_ids=True,
        compares_with_original=True,
    ),
    deletion=Deletion(
        acquiring_predicates=GET_FAMILY,
        repeats_bring_again=True,
        has_learned_guard=False,
        alternates_avoid_events=True,
    ),
    wrong_execution=WrongExecution(needs_a_role=True),
    corrections=_piev_corrections(),
)

DEFAULT_PROFILE = PIEV
SHIPPED_PROFILES = {profile.name: profile for profile in (PUBLISHED, PIEV)}
