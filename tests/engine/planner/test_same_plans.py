"""The same seed gives the plan that it always gave: mistakes, corrections and the way to them.

`same_plans.json` holds the digests, made before error types became plug-ins. Who changes the method
on purpose makes them anew (`python -m tests.engine.planner.test_same_plans`) and says so in the
change log.
"""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.decisions import DecisionTrace
from generation.engine.planner.files.corpus_role_priors import role_priors_of, with_role_priors
from generation.engine.planner.files.plan_files import PlanningInput, read_planning_input
from generation.engine.planner.files.plan_json import plan_to_dict
from generation.engine.planner.files.profile_files import profile_to_dict
from generation.engine.planner.files.representations import NO_REPRESENTATIONS
from generation.engine.planner.planning import plan_take
from generation.engine.planner.procedure_to_plan import Procedure, procedure_from_take
from generation.engine.planner.profile import Profile
from generation.engine.planner.profiles import SHIPPED_PROFILES
from sample.corpus import load_corpus

DIGESTS_PATH = Path(__file__).with_name("same_plans.json")
SAMPLE_SEEDS, PUBLISHED_SEEDS = range(20), range(4)
PARTS = ("errors", "corrections", "noticed_not_acted", "simulation_log_lines", "empty_reason")


def digest_of(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def planned(
    procedure: Procedure, profile: Profile, given: PlanningInput, seed: int
) -> dict[str, object]:
    trace = DecisionTrace()
    plan = plan_take(
        procedure,
        profile=profile,
        seed=seed,
        run_statistics=given.statistics_for(profile),
        trace=trace,
    )
    plan = correct_plan(plan, profile=profile, seed=seed, trace=trace)
    written = plan_to_dict(plan)
    parts = {name: written.get(name) for name in PARTS}
    return {**parts, "decisions": [decision.to_dict() for decision in trace.decisions]}


def plans_of(given: PlanningInput, profile: Profile, seeds: Iterable[int]) -> dict[str, str]:
    return {
        procedure.take_uid: digest_of(
            [planned(procedure, profile, given, seed) for seed in seeds]
        )
        for procedure in given.procedures
    }  # fmt: skip


def sample_plans(name: str) -> dict[str, str]:
    procedures = tuple(procedure_from_take(take) for take in load_corpus().takes)
    semreps = {step.semrep for procedure in procedures for step in procedure.steps}
    profile = with_role_priors(SHIPPED_PROFILES[name], role_priors_of(sorted(semreps)))
    return plans_of(PlanningInput(procedures, NO_REPRESENTATIONS), profile, SAMPLE_SEEDS)


def published_plans(name: str, given: PlanningInput) -> str:
    profile = given.profile_with_priors(SHIPPED_PROFILES[name])
    return digest_of(plans_of(given, profile, PUBLISHED_SEEDS))


@pytest.fixture(scope="module")
def digests():
    return json.loads(DIGESTS_PATH.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SHIPPED_PROFILES)
def test_plans_of_the_sample_corpus_have_not_changed(name, digests):
    assert sample_plans(name) == digests["sample"][name]


@pytest.mark.parametrize("name", SHIPPED_PROFILES)
def test_stored_profiles_have_not_changed(name, digests):
    assert digest_of(profile_to_dict(SHIPPED_PROFILES[name])) == digests["profiles"][name]


@pytest.mark.shared_data
@pytest.mark.parametrize("name", SHIPPED_PROFILES)
def test_plans_of_the_published_takes_have_not_changed(name, published_input, digests):
    assert published_plans(name, published_input) == digests["published"][name]


def make_digests(folder: Path) -> None:
    given = read_planning_input(
        folder / "split_50_rebuilt.json",
        semrep=folder / "semantic_representations_split_50.json",
        taxonomy=folder / "keystep_taxonomy_rebuilt.json",
    )
    digests = {
        "sample": {name: sample_plans(name) for name in SHIPPED_PROFILES},
        "profiles": {
            name: digest_of(profile_to_dict(profile)) for name, profile in SHIPPED_PROFILES.items()
        },
        "published": {name: published_plans(name, given) for name in SHIPPED_PROFILES},
    }
    DIGESTS_PATH.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    make_digests(Path("../shared/data/piev"))
