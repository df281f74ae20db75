"""When a mistake is noticed, if ever, and acted upon (PIE-V section 4.1.2, Eq. 7)."""

from math import prod

from generation.engine.corrections.situation import CorrectionSituation, Noticing
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError


def detect_factors(situation: CorrectionSituation, error: PlannedError) -> dict[str, float]:
    """The factors whose clipped product is the probability that the error is noticed."""
    settings, load = situation.settings.detection, situation.step_of(error).load
    essential = settings.essential_factor
    if not error.is_essential:
        essential = settings.optional_factor
    elif facts_of(error).leaves_out:
        essential = settings.essential_deletion_factors[error.phase]
    return {
        "base": settings.base.get(error.error_type, facts_of(error).detect)[error.phase],
        "severity": settings.severity_factors[error.severity],
        "essential": essential,
        "predicate": settings.salient_factor if is_salient(situation, error) else 1.0,
        "load": max(settings.load_floor, 1.0 - settings.load_slope * load),
    }


def act_factors(situation: CorrectionSituation, error: PlannedError) -> dict[str, float]:
    """The factors whose clipped product is the probability that the person acts."""
    settings, load = situation.settings.action, situation.step_of(error).load
    return {
        "base": settings.base.get(error.error_type, facts_of(error).act)[error.phase],
        "severity": settings.severity_factors[error.severity],
        "load": max(settings.load_floor, 1.0 - settings.load_slope * load),
    }


def clipped_product(factors: dict[str, float]) -> float:
    """The product, clipped to [0, 1].

    >>> clipped_product({"base": 0.9, "severity": 1.5})
    1.0
    """
    return min(1.0, max(0.0, prod(factors.values())))


def happens(
    what: str, situation: CorrectionSituation, error: PlannedError, factors: dict[str, float]
) -> tuple[bool, float]:
    """Draw whether `what` happens; returns (it does, its probability)."""
    probability = clipped_product(factors)
    is_drawn = situation.rng.random() < probability
    situation.note(what, is_drawn, error, {**factors, "probability": probability})
    return is_drawn, probability


def is_salient(situation: CorrectionSituation, error: PlannedError) -> bool:
    """Whether a failure of the action is easy to see."""
    predicates = situation.settings.detection.salient_predicates
    return situation.meaning_of(error).predicate in predicates


def draw_noticing(situation: CorrectionSituation, error: PlannedError) -> Noticing | None:
    """When the error is noticed; None if never, or too late to correct it."""
    is_noticed, _ = happens("noticed", situation, error, detect_factors(situation, error))
    if not is_noticed:
        return None
    latency = draw_latency(situation, error)
    settings, last = situation.settings.noticing, len(situation.plan.steps) - 1
    step_index = error.step_index + latency
    while settings.skips_deleted_steps and situation.is_deleted_by_another(step_index, error):
        step_index += 1
    if step_index > last and not settings.clamps_to_last_step:
        situation.note("noticed after", "the procedure is over", error)
        return None
    step_index = min(step_index, last)
    # Deleted steps that were skipped count in the latency.
    latency = max(latency, step_index - error.step_index)
    longest = settings.max_latency.get(error.error_type)
    is_elsewhere = not situation.same_block(error.step_index, step_index)
    if longest is not None and (latency > longest or is_elsewhere):
        situation.note("noticed after", f"step {step_index + 1}: too late or elsewhere", error)
        return None
    return Noticing(step_index=step_index, latency_steps=latency)


def draw_latency(situation: CorrectionSituation, error: PlannedError) -> int:
    settings, rng = situation.settings.noticing, situation.rng
    latency = settings.latencies.get(error.error_type, facts_of(error).latency)
    if rng.random() < latency.at_once:
        steps = 0
    else:
        steps = settings.later_by_steps + int(rng.geometric(latency.stop))
        if steps > 1 and (is_salient(situation, error) or _has_trigger(situation, error)):
            steps = 1
    options = {"at_once": latency.at_once, "stop": latency.stop}
    situation.note("latency", steps, error, options)
    return steps


def _has_trigger(situation: CorrectionSituation, error: PlannedError) -> bool:
    """Whether a step soon after, on the same object, usually needs what went wrong."""
    settings, meaning = situation.settings.noticing, situation.meaning_of(error)
    if meaning.object_value is None:
        return False
    last = min(len(situation.meanings), error.step_index + settings.trigger_window + 1)
    return any(
        other.object_value == meaning.object_value
        and meaning.predicate in settings.triggers.get(other.predicate, ())
        for other in situation.meanings[error.step_index + 1 : last]
    )
