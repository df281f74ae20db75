"""Pages show figures whose intervals other tests look at: here few draws are enough for them."""

import pytest

from benchmarks.engine import scoring

FEW_DRAWS = 300


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    whole = scoring.distributions

    def distributions(draws, figures, *, rng, resamples, most_exact):
        few = {"resamples": min(resamples, FEW_DRAWS), "most_exact": min(most_exact, FEW_DRAWS)}
        return whole(draws, figures, rng=rng, **few)

    monkeypatch.setattr(scoring, "distributions", distributions)
