"""Every number of planning, as data: priors, factors, windows, caps and predicate sets.

A run stores a `Profile`, a TOML file changes one and the planner reads it; no other module has a
number of the method. The defaults of the classes are those of the published planner; their sources
are PIE-V sections 4.1, C.1 and C.2 where the paper prints them, and the configuration stored in the
published plan files or the published planner's behaviour where it does not ("not in the paper").
The two profiles that ship are in `profiles.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.correction_settings import CorrectionSettings
from generation.engine.planner.limits import (
    at_least,
    between,
    non_negative,
    positive_sum,
    predicates,
    value_range,
)
from generation.engine.planner.taxonomy import MutationScope, Phase
from generation.engine.semrep import ROLE_IMPACT, Impact

# Scope weights of a wrong execution by kind of role (not in the paper).
_PLACE_ROLES = ("Location", "Destination", "Origin", "Path", "Temporal")
_PLACE_SCOPES = {
    MutationScope.ATTRIBUTE: 0.10,
    MutationScope.ENTITY: 0.25,
    MutationScope.SUBSTRUCTURE: 0.65,
}
_THING_ROLES = ("Instrument", "Object", "Coobject")
_THING_SCOPES = {MutationScope.ATTRIBUTE: 0.35, MutationScope.ENTITY: 0.65}
_OTHER_SCOPES = {MutationScope.ATTRIBUTE: 0.25, MutationScope.ENTITY: 0.75}


class BlockRule(StrEnum):
    """The id by which a step's taxonomy block is looked up."""

    UNIQUE_ID = "unique_id"
    STEP_ID = "step_id"


class EntityRule(StrEnum):
    """What counts as a thing named by a role value."""

    WORDS = "words"
    HEADS = "heads"


class RiskRanges(StrEnum):
    """The ranges over which complexity, density and duration are normalised."""

    RUN = "run"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True)
class Reading:
    """How a step is read before anything is drawn."""

    blocks: BlockRule = BlockRule.UNIQUE_ID
    entities: EntityRule = EntityRule.WORDS
    # Words of a role value that never name a thing (not in the paper).
    stop_words: frozenset[str] = frozenset({"of", "in", "on", "from", "to", "with", "and", "or"})


@dataclass(frozen=True, slots=True)
class Load:
    """Step load (Eq. 2): weighted sum of the take-normalised complexity and duration."""

    complexity_weight: float = non_negative(0.6)
    duration_weight: float = non_negative(0.4)


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """How many errors a take gets: a clipped Poisson draw whose rate grows with risk and length."""

    ranges: RiskRanges = RiskRanges.RUN
    # Smallest and largest value over the 50 published takes (published plan, procedure_stats).
    complexity_range: tuple[float, float] = value_range(23.5, 1383.0)
    density_range: tuple[float, float] = value_range(1.473, 11.716)
    duration_range_s: tuple[float, float] = value_range(18.719, 1072.492)
    # risk = 0.5 complexity + 0.3 density + 0.2 duration; rate = 0.8 + 3.2 risk + 0.6 length
    # (not in the paper).
    complexity_weight: float = non_negative(0.5)
    density_weight: float = non_negative(0.3)
    duration_weight: float = non_negative(0.2)
    base_rate: float = non_negative(0.8)
    risk_rate: float = non_negative(3.2)
    length_rate: float = non_negative(0.6)
    length_from_steps: int = at_least(6, 0)
    length_over_steps: int = at_least(24, 1)
    min_errors: int = at_least(1, 0)
    max_errors: int = at_least(5, 0)  # section 4.1: K <= 5
    # A procedure of fewer steps gets no error at all.
    min_steps: int = at_least(1, 1)
    # Below this length `min_errors` does not apply: the draw may be 0.
    spared_below_steps: int = at_least(0, 0)
    # At most this share of the steps is chosen.
    max_error_share: float = between(1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where errors land (Eq. 3 and 4)."""

    load_floor: float = between(0.15, 0.0, 1.0)  # lambda of Eq. 4
    phase_rates: Mapping[Phase, float] = positive_sum(  # section C.1
        {Phase.INITIATION: 0.10, Phase.ROUTINE: 0.19, Phase.COMPLETION: 0.14}
    )
    max_consecutive: int = at_least(3, 1)  # section 4.1


@dataclass(frozen=True, slots=True)
class ErrorTypes:
    """Which type an error has (Eq. 5)."""

    # Section C.1; the numbers are in the types' modules, `profiles.with_error_types` copies them
    # here.
    priors: Mapping[Phase, Mapping[ErrorType, float]] = positive_sum({})
    # Section 4.1 switches deletion off for T <= 4; that a swap is off too is not in the paper.
    short_steps: int = at_least(4, 0)
    optional_deletion_factor: float = non_negative(1.25)  # not in the paper
    optional_insertion_factor: float = non_negative(1.35)  # not in the paper
    # A type is drawn for a step only if the rules' writer has a wording that makes sense there.
    must_make_sense: bool = False


@dataclass(frozen=True, slots=True)
class TranspositionSettings:
    """Which two steps may change places."""

    window: int = at_least(6, 1)  # section 4.1
    window_without_block: int = at_least(3, 0)  # not in the paper
    max_tries: int = at_least(10, 1)  # not in the paper
    # Steps with these are never swapped: what they repeat would change (not in the paper).
    repeating_predicates: frozenset[str] = predicates("REPEAT")
    # A predicate may not come before its prerequisites on the same object (not in the paper).
    prerequisites: Mapping[str, frozenset[str]] = predicates(
        CLOSE={"OPEN"},
        COVER={"OPEN"},
        TURN_OFF={"TURN_ON"},
        DEFLATE={"INFLATE"},
        PUT_AWAY={"GET", "TAKE"},
        PUT_BACK={"GET", "TAKE"},
        STIR={"POUR"},
        FIT={"SEPARATE"},
        READ={"OPEN"},
        RETURN={"GET"},
        COOK={"ADD"},
        COMBINE={"ADD"},
        ADD={"GET"},
        CUT={"GET"},
    )
    # Two steps of the same step id are the same step, whatever their texts.
    compares_step_ids: bool = False
    # Only orders that the swap itself breaks count, not those the original breaks already.
    compares_with_original: bool = False


@dataclass(frozen=True, slots=True)
class DeletionSettings:
    """What a skipped step entails."""

    # A step with such a predicate acquires its object (not in the paper).
    acquiring_predicates: frozenset[str] = predicates(
        "GET", "TAKE", "RETRIEVE", "PICK_UP", "GRAB", "REMOVE"
    )
    reuse_window: int = at_least(10, 0)
    # A later step that acquires the object itself does not need the deleted acquisition.
    repeats_bring_again: bool = False
    # The learned guard of the published configuration; on the published takes it never fires.
    has_learned_guard: bool = True
    guard_probability: float = between(0.8, 0.0, 1.0)
    guard_support: int = at_least(50, 1)
    # With this many later references an alternate counts as needed later (not in the paper).
    needed_references: int = at_least(2, 1)
    alternate_offsets: tuple[int, ...] = (-2, -1, 1, 2)
    # Alternates are never steps of other events.
    alternates_avoid_events: bool = False


@dataclass(frozen=True, slots=True)
class WrongExecutionSettings:
    """Which roles of a step go wrong, and how (Eq. 6)."""

    # Impact of each role (section C.3 and the published role table).
    role_impacts: Mapping[str, Impact] = field(default_factory=lambda: dict(ROLE_IMPACT))
    # A role outside the table counts as this.
    unknown_role_impact: Impact = Impact.MEDIUM
    # The published weights fall with impact; the paper gives no numbers.
    impact_weights: Mapping[Impact, float] = positive_sum(
        {Impact.HIGH: 0.25, Impact.MEDIUM: 0.8, Impact.LOW: 1.0}
    )
    prior_offset: float = non_negative(0.2)  # Eq. 6
    default_prior: float = non_negative(0.05)  # not in the paper
    # P(role | predicate), estimated from a corpus of representations and stored with the run.
    role_priors: Mapping[str, Mapping[str, float]] = non_negative({})
    fixed_roles: frozenset[str] = frozenset({"Agent"})
    second_role_probability: float = between(0.20, 0.0, 1.0)  # "occasionally two", section 4.1
    # Scope weights by role; "*" stands for every other role (not in the paper).
    scope_weights: Mapping[str, Mapping[MutationScope, float]] = positive_sum(
        {
            **dict.fromkeys(_PLACE_ROLES, _PLACE_SCOPES),
            **dict.fromkeys(_THING_ROLES, _THING_SCOPES),
            "*": _OTHER_SCOPES,
        }
    )
    # A step without a role that can change gets no wrong execution.
    needs_a_role: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """All settings of planning and correcting under one name; see `profiles.py`."""

    name: str
    description: str = ""
    reading: Reading = field(default_factory=Reading)
    load: Load = field(default_factory=Load)
    count: ErrorCount = field(default_factory=ErrorCount)
    placement: Placement = field(default_factory=Placement)
    types: ErrorTypes = field(default_factory=ErrorTypes)
    transposition: TranspositionSettings = field(default_factory=TranspositionSettings)
    deletion: DeletionSettings = field(default_factory=DeletionSettings)
    wrong_execution: WrongExecutionSettings = field(default_factory=WrongExecutionSettings)
    corrections: CorrectionSettings = field(default_factory=CorrectionSettings)
