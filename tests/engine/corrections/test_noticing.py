from collections import Counter
from dataclasses import replace

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.noticing import (
    act_factors,
    clipped_product,
    detect_factors,
    draw_latency,
    draw_noticing,
)
from generation.engine.planner.correction_settings import Latency
from generation.engine.planner.profile import Profile
from generation.engine.planner.taxonomy import Phase, Severity
from tests.engine.corrections.plans import error_at, situation_with
from tests.engine.planner.procedures import ALONE, procedure_of

# Equal steps have no load, so the load factor is 1; SHAKE is neither salient nor trivial.
SHAKING = procedure_of(*[f"SHAKE(Agent: you, Object: jar{'x' * count})" for count in range(12)])
OPENING = procedure_of(*["OPEN(Agent: you, Object: jar)"] * 6)


def with_noticing(profile: Profile = ALONE, **changes: object) -> Profile:
    corrections = profile.corrections
    noticing = replace(corrections.noticing, **changes)
    return replace(profile, corrections=replace(corrections, noticing=noticing))


def always(error_type: ErrorType, *, at_once: float, stop: float = 1.0) -> dict[str, object]:
    return {
        "latencies": {**ALONE.corrections.noticing.latencies, error_type: Latency(at_once, stop)}
    }


def surely_detected(profile: Profile) -> Profile:
    detection = profile.corrections.detection
    base = {kind: dict.fromkeys(Phase, 1.0) for kind in ErrorType.registered()}
    factors = {"base": base, "severity_factors": dict.fromkeys(Severity, 2.0)}
    return replace(
        profile,
        corrections=replace(profile.corrections, detection=replace(detection, **factors)),
    )


@pytest.mark.parametrize(
    ("error", "procedure", "probability"),
    [
        (error_at(0, ErrorType.SUBSTITUTION, phase=Phase.COMPLETION), SHAKING, 0.55 * 1.05),
        (
            error_at(0, ErrorType.INSERTION, severity=Severity.LOW, essential=False),
            SHAKING,
            0.55 * 0.85 * 0.95,
        ),
        (error_at(0, ErrorType.DELETION, phase=Phase.INITIATION), SHAKING, 0.85 * 0.90),
        (error_at(0, ErrorType.DELETION, phase=Phase.COMPLETION), SHAKING, 0.75 * 1.10),
        (error_at(0, ErrorType.DELETION, essential=False), SHAKING, 0.80 * 0.95),
        (error_at(0, ErrorType.TRANSPOSITION, partner=1), OPENING, 0.80 * 1.05 * 1.15),
        # 0.85 x 1.15 x 1.05 x 1.15 is more than 1.
        (
            error_at(
                0, ErrorType.WRONG_EXECUTION, phase=Phase.INITIATION, severity=Severity.HIGH
            ),
            OPENING,
            1.0,
        ),
    ],
)  # fmt: skip
def test_detection_is_the_clipped_product_of_the_factors(error, procedure, probability):
    factors = detect_factors(situation_with(procedure, error), error)

    assert clipped_product(factors) == pytest.approx(probability)


def test_action_depends_on_base_severity_and_load():
    error = error_at(1, ErrorType.SUBSTITUTION, phase=Phase.COMPLETION, severity=Severity.HIGH)
    situation = situation_with(
        procedure_of(
            "SHAKE(Agent: you, Object: jar)",
            "SHAKE(Agent: you, Object: jar, Location: over(sink))",
        ),
        error,
    )

    # The longer step has the whole complexity load 0.6.
    assert situation.plan.steps[1].load == 0.6
    assert act_factors(situation, error) == pytest.approx(
        {"base": 0.55, "severity": 1.10, "load": 1 - 0.20 * 0.6}
    )


@pytest.mark.parametrize(("later_by", "shortest"), [(1, 2), (0, 1)])
def test_latency_of_one_step_is_possible_only_where_the_wait_starts_there(later_by, shortest):
    error = error_at(0, ErrorType.SUBSTITUTION)
    situation = situation_with(SHAKING, error, profile=with_noticing(later_by_steps=later_by))

    latencies = Counter(draw_latency(situation, error) for _ in range(2000))

    assert sorted(latencies)[:2] == [0, shortest]
    # Standard error 0.008.
    assert latencies[0] / 2000 == pytest.approx(0.15, abs=0.035)
    # The wait is geometric with q = 0.30: standard error 0.011.
    assert latencies[shortest] / (2000 - latencies[0]) == pytest.approx(0.30, abs=0.045)


def test_latency_of_a_salient_step_is_capped_at_one():
    error = error_at(0, ErrorType.SUBSTITUTION)
    situation = situation_with(OPENING, error)

    assert {draw_latency(situation, error) for _ in range(200)} == {0, 1}


@pytest.mark.parametrize(
    ("distance", "other", "capped"),
    [(5, "MIX(Agent: you, Object: jar)", True), (6, "MIX(Agent: you, Object: jar)", False),
     (1, "MIX(Agent: you, Object: pan)", False), (1, "FIT(Agent: you, Object: jar)", False)],
)  # fmt: skip
def test_latency_is_capped_where_a_step_soon_needs_the_spoiled_one(distance, other, capped):
    settings = ALONE.corrections.detection
    corrections = replace(
        ALONE.corrections, detection=replace(settings, salient_predicates=frozenset())
    )
    profile = replace(ALONE, corrections=corrections)
    fillers = [f"SHAKE(Agent: you, Object: lid{'x' * count})" for count in range(distance - 1)]
    error = error_at(0, ErrorType.SUBSTITUTION)
    procedure = procedure_of("ADD(Agent: you, Object: jar)", *fillers, other)
    situation = situation_with(procedure, error, profile=profile)

    assert (max(draw_latency(situation, error) for _ in range(300)) == 1) is capped


@pytest.mark.parametrize(("clamps", "noticed_at"), [(True, 11), (False, None)])
def test_noticing_after_the_end_is_at_the_last_step_or_never(clamps, noticed_at):
    profile = surely_detected(
        with_noticing(clamps_to_last_step=clamps, **always(ErrorType.SUBSTITUTION, at_once=0.0))
    )
    error = error_at(11, ErrorType.SUBSTITUTION)

    noticing = draw_noticing(situation_with(SHAKING, error, profile=profile), error)

    assert (noticing and noticing.step_index) == noticed_at
    assert noticing is None or noticing.latency_steps == 2


@pytest.mark.parametrize(
    ("error_type", "longest"), [(ErrorType.DELETION, 3), (ErrorType.TRANSPOSITION, 4)]
)
def test_error_noticed_too_late_counts_as_not_noticed(error_type, longest):
    profile = surely_detected(with_noticing(**always(error_type, at_once=0.0, stop=0.2)))
    error = error_at(0, error_type, partner=1)
    situation = situation_with(SHAKING, error, profile=profile)

    drawn = [draw_noticing(situation, error) for _ in range(300)]

    assert {item.latency_steps for item in drawn if item} == set(range(2, longest + 1))
    assert None in drawn


@pytest.mark.parametrize(("skips", "at", "latency"), [(False, 2, 2), (True, 4, 4)])
def test_noticing_skips_deleted_steps_where_the_profile_says_so(skips, at, latency):
    profile = surely_detected(
        with_noticing(skips_deleted_steps=skips, **always(ErrorType.SUBSTITUTION, at_once=0.0))
    )
    errors = [
        error_at(0, ErrorType.SUBSTITUTION),
        error_at(2, ErrorType.DELETION, number=2),
        error_at(3, ErrorType.DELETION, number=3),
    ]

    noticing = draw_noticing(situation_with(SHAKING, *errors, profile=profile), errors[0])

    assert (noticing.step_index, noticing.latency_steps) == (at, latency)
