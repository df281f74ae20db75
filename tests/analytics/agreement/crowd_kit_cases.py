"""Random answers, and what crowd-kit's `DawidSkene` makes of them.

    python -m tests.analytics.agreement.crowd_kit_cases

writes `crowd_kit_cases.json` anew; it needs crowd-kit, which nothing else here does.
"""

import json
from pathlib import Path

import numpy as np

CASES = Path(__file__).with_suffix(".json")
CASE_COUNT = 200
# Enough to see that both go the same way; they would settle later.
ITERATIONS = 20


def random_answers(seed):
    """Return a table (N, M) of places on a scale of V values, -1 where there is none, and V."""
    rng = np.random.default_rng(seed)
    units, raters, values = rng.integers(12, 31), rng.integers(2, 7), rng.choice([2, 2, 3, 6])
    truth = rng.integers(0, values, units)
    skill = rng.uniform(0.4, 0.98, raters)
    is_right = rng.random((units, raters)) < skill
    table = np.where(is_right, truth[:, np.newaxis], rng.integers(0, values, (units, raters)))
    table[rng.random(table.shape) < rng.uniform(0, 0.5)] = -1
    # Every unit has an answer, and twelve have two at least.
    table[:, 0] = np.where(table[:, 0] < 0, truth, table[:, 0])
    table[:12, 1] = np.where(table[:12, 1] < 0, truth[:12], table[:12, 1])
    return table, int(values)


def of_crowd_kit(table, value_count):
    """Return the posteriors, (N, V); the iterations are never cut short."""
    import pandas  # noqa: PLC0415 - only here
    from crowdkit.aggregation import DawidSkene  # noqa: PLC0415

    rows = [
        (unit, rater, value)
        for unit, values in enumerate(table.tolist())
        for rater, value in enumerate(values)
        if value >= 0
    ]
    data = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    model = DawidSkene(n_iter=ITERATIONS, tol=-1e9)
    posterior = model.fit_predict_proba(data)
    posterior = posterior.reindex(columns=range(value_count), fill_value=0.0).sort_index()
    return posterior.to_numpy()


if __name__ == "__main__":
    cases = [of_crowd_kit(*random_answers(seed)) for seed in range(CASE_COUNT)]
    CASES.write_text(json.dumps([np.round(case[:, :-1], 9).tolist() for case in cases]) + "\n")
