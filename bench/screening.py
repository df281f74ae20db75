"""How often the screening rules flag honest raters, and whether planted ones are found.

The peer is the plain rule of subjective video tests: leave out whose answers correlate less than
.75 with the mean of the others (ITU-T P.910 and P.913, over the 1-5 metrics). Both see the same
made-up rounds of `bench.planted_raters`: each planted rater among four honest ones, and all honest.

    python -m bench.screening [--rounds 100]
"""

import argparse
import sys
from collections import Counter

import numpy as np

from annotation.analytics.raters.raters import correlation_with_others
from annotation.analytics.raters.screening import screen
from annotation.analytics.raters.screening_terms import Finding, Rule
from annotation.engine.rubric.rubric import Scale
from bench.planted_raters import Audit, Kind, made_up_audit

RIGHT_RULES = {
    Kind.RANDOM: {Rule.AGREEMENT, Rule.GOLD, Rule.TRAPS, Rule.REPEATS},
    Kind.ONE_VALUE: {Rule.RUN, Rule.VARIANCE},
    Kind.STRICT: {Rule.BIAS},
    Kind.DRIFTING: {Rule.DRIFT},
    Kind.FAST: {Rule.SPEED},
}
HONEST_COUNT = 4
PEER_CORRELATION = 0.75
# Of 100 honest raters at most this many may be flagged by any of the eleven rules.
MOST_FALSE_FLAGS = 0.02


def main() -> int:
    """Print catches and false flags by kind and rule; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the screening of raters.")
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    is_met = True
    print(
        "planted (among 4 honest)   found by the right rule   honest flagged   peer: found, honest"
    )
    for kind in Kind:
        for has_checks in (True, False):
            found = honest = peer_found = peer_honest = 0
            by_rule: Counter[str] = Counter()
            for seed in range(rounds):
                kinds = [kind, *[Kind.HONEST] * HONEST_COUNT]
                audit = made_up_audit(kinds, rng=np.random.default_rng(seed), has_checks=has_checks)
                flags = flagged(audit)
                found += bool(flags[0] & RIGHT_RULES.get(kind, set()))
                honest += sum(bool(flags[rater]) for rater in range(1, len(kinds)))
                by_rule.update(rule for rater in range(1, len(kinds)) for rule in flags[rater])
                left_out = left_out_by_peer(audit)
                peer_found += 0 in left_out
                peer_honest += len(left_out - {0})
                if kind is Kind.HONEST:
                    honest += bool(flags[0])
            others = rounds * (HONEST_COUNT + (kind is Kind.HONEST))
            is_met &= honest / others <= MOST_FALSE_FLAGS
            is_met &= kind is Kind.HONEST or found == rounds
            name = f"{kind}{'' if has_checks else ', no gold'}"
            share = "-" if kind is Kind.HONEST else f"{found}/{rounds}"
            print(
                f"{name:27}{share:26}{honest}/{others} ({honest / others:.1%})  "
                f"{peer_found}/{rounds}, {peer_honest}/{rounds * HONEST_COUNT}  {dict(by_rule)}"
            )
    return 0 if is_met else 1


def flagged(audit: Audit) -> list[set[Rule]]:
    """The rules that flag each rater."""
    flags: list[set[Rule]] = [set() for _ in audit.evidence]
    for result in screen(audit.answers, audit.evidence):
        if result.finding is Finding.FLAGGED:
            flags[result.rater].add(result.rule)
    return flags


def left_out_by_peer(audit: Audit) -> set[int]:
    left_out = set()
    for rater in range(len(audit.evidence)):
        values = [
            correlation_with_others(item, rater)[0]
            for item in audit.answers
            if item.definition.scale is Scale.LIKERT
        ]
        known = [value for value in values if value is not None]
        if not known or np.mean(known) < PEER_CORRELATION:
            left_out.add(rater)
    return left_out


if __name__ == "__main__":
    sys.exit(main())
