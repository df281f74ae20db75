"""A step that is done, but wrongly in one of its roles (PIE-V section 4.1, Eq. 6)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.correction_settings import Latency, RepairSettings, by_phase
from generation.engine.planner.error_kind import Claim, ErrorFacts, ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec, PlanningSituation, ProposedError
from generation.engine.planner.profile import WrongExecutionSettings as Settings
from generation.engine.planner.randomness import draw_index
from generation.engine.planner.statistics.shares import shares, sorted_shares
from generation.engine.planner.taxonomy import (
    CLAIMED,
    SEVERITY_RANK,
    CorrectionType,
    MutationScope,
    Severity,
)
from generation.engine.rewriting.affordances import roles_that_can_fail
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.scene import kept_scene
from generation.engine.rewriting.wrong_executions import WrongExecutionWriter

OTHER_ROLES = "*"
SCOPE_WORDS = {
    MutationScope.ATTRIBUTE: "a quality or amount of it",
    MutationScope.ENTITY: "another thing in its place",
    MutationScope.SUBSTRUCTURE: "the relation or the part",
}


@dataclass(frozen=True, slots=True)
class WrongExecutionSpec(ErrorSpec):
    """Which roles change and how; the predicate stays."""

    predicate: str
    mutated_roles: tuple[str, ...]
    mutation_scopes: Mapping[str, MutationScope]
    notes: str = "keep_predicate; mutate_roles; agent_fixed"

    def to_dict(self) -> dict[str, Any]:
        return {
            "keep_predicate": True,
            "predicate": self.predicate,
            "mutated_roles": list(self.mutated_roles),
            "mutation_scopes": {role: str(scope) for role, scope in self.mutation_scopes.items()},
            "notes": self.notes,
        }

    @property
    def short_words(self) -> str:
        return " + ".join(self.mutated_roles)

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any], event: Mapping[str, Any]) -> "WrongExecutionSpec":
        return cls(
            predicate=spec["predicate"],
            mutated_roles=tuple(spec["mutated_roles"]),
            mutation_scopes={
                role: MutationScope(scope) for role, scope in spec["mutation_scopes"].items()
            },
            notes=spec["notes"],
        )


def _by_role(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, float]]:
    scopes: dict[str, Counter[str]] = defaultdict(Counter)
    for (role, scope), count in counts.items():
        scopes[role][scope] = count
    return {role: shares(by_scope) for role, by_scope in scopes.items()}


class WrongExecution(WrongExecutionWriter, ErrorKind):
    """Draws one role, sometimes two, and which part of each changes."""

    facts = ErrorFacts(
        error_type=ErrorType.WRONG_EXECUTION,
        row_mods=frozenset({Mod.ERROR}),
        short_words="done wrong",
        # Profiles have weights of their own, which `remedies` reads.
        remedies={CorrectionType.STOP_AND_FIX: 0.65, CorrectionType.ROLLBACK_AND_REDO: 0.35},
        priors=by_phase(3.5, 2.0, 3.5),
        detect=by_phase(0.85, 0.80, 0.75),
        act=by_phase(0.85, 0.80, 0.75),
        latency=Latency(0.70, 0.60),
        keeps_action=True,
        table_rank=1,
    )
    spec_class = WrongExecutionSpec
    figures = {
        "n_roles_share": sorted_shares,
        "role_share": sorted_shares,
        "scope_given_role": _by_role,
    }

    def factor(self, situation: PlanningSituation, index: int) -> float:
        settings = situation.profile.wrong_execution
        return 1.0 if not settings.needs_a_role or _roles_of(situation, index) else 0.0

    def propose(self, situation: PlanningSituation, index: int) -> ProposedError | None:
        settings, rng = situation.profile.wrong_execution, situation.rng
        predicate = situation.features.meanings[index].predicate
        roles = _roles_of(situation, index)
        if situation.profile.types.must_make_sense:
            fixed = settings.fixed_roles
            roles = sorted(roles_that_can_fail(kept_scene(*situation.read_steps), index) - fixed)
            if not situation.makes_sense(self.facts.error_type, index, lambda: bool(roles)):
                return None
        weights = [role_weight(role, predicate, settings) for role in roles]
        options = dict(zip(roles, weights, strict=True)) if situation.trace else {}
        is_double = len(roles) > 1 and rng.random() < settings.second_role_probability
        drawn: list[str] = []
        while roles and len(drawn) < 1 + is_double:
            position = draw_index(rng, weights)
            drawn.append(roles[position])
            weights[position] = 0.0
        if drawn:
            situation.note("roles that go wrong", ", ".join(drawn), index, options)
        scopes = {}
        for role in drawn:
            by_scope = settings.scope_weights.get(role, settings.scope_weights[OTHER_ROLES])
            # In the order of the enumeration: a database may return a stored profile reordered.
            possible = [scope for scope in MutationScope if scope in by_scope]
            scopes[role] = possible[draw_index(rng, [by_scope[scope] for scope in possible])]
            if situation.trace:
                shown = {str(scope): weight for scope, weight in by_scope.items()}
                situation.note(f"what changes in {role}", scopes[role], index, shown)
        spec = WrongExecutionSpec(predicate, tuple(drawn), scopes)
        return ProposedError(severity=severity_of_roles(drawn, settings), spec=spec)

    def usual_severity(self, *, is_essential: bool) -> Severity:
        return Severity.LOW

    def figure_values(self, spec: WrongExecutionSpec) -> Iterator[tuple[str, Any]]:
        yield "n_roles_share", len(spec.mutated_roles)
        yield from (("role_share", role) for role in spec.mutated_roles)
        for role, scope in spec.mutation_scopes.items():
            yield "scope_given_role", (role, str(scope))

    def prompt_lines(self, plan: Plan, error: PlannedError) -> Iterator[str]:
        spec = error.spec
        assert isinstance(spec, WrongExecutionSpec)
        yield f"keep the action{f' {spec.predicate}' if spec.predicate else ''}"
        values = plan.steps[error.step_index].role_to_value
        for role in spec.mutated_roles:
            value = f" ({values[role]})" if role in values else ""
            scope = spec.mutation_scopes.get(role)
            yield f"change {role}{value}" + (f": {SCOPE_WORDS[scope]}" if scope else "")
        if not spec.mutated_roles:
            yield "change one detail that matters"

    def claimed_spec(self, claim: Claim) -> WrongExecutionSpec:
        return WrongExecutionSpec(claim.meaning.predicate, (), {}, CLAIMED)

    def remedies(self, settings: RepairSettings) -> Mapping[CorrectionType, float]:
        return settings.wrong_execution_weights

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        assert isinstance(error.spec, WrongExecutionSpec)
        return self.write_roles(draft, error, error.spec.mutation_scopes)


def role_weight(role: str, predicate: str, settings: Settings) -> float:
    """The unnormalised probability that this role goes wrong (Eq. 6)."""
    impact = settings.role_impacts.get(role, settings.unknown_role_impact)
    priors = settings.role_priors.get(predicate, {})
    prior = priors.get(role, settings.default_prior)
    return settings.impact_weights[impact] * (settings.prior_offset + prior)


def severity_of_roles(roles: list[str], settings: Settings) -> Severity:
    """The highest impact among the roles; low when there is none."""
    impacts = [settings.role_impacts.get(role, settings.unknown_role_impact) for role in roles]
    severities = [Severity(str(impact)) for impact in impacts]
    return max(severities, key=SEVERITY_RANK.__getitem__, default=Severity.LOW)


def _roles_of(situation: PlanningSituation, index: int) -> list[str]:
    fixed = situation.profile.wrong_execution.fixed_roles
    return sorted(set(situation.features.meanings[index].role_to_value) - fixed)


KIND = WrongExecution()
