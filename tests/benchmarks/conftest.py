"""The personas of the audit's tests, the sample corpus, and item sets made of it."""

import pytest

from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine import scoring
from sample.corpus import load_corpus
from tests.annotation.conftest import (  # noqa: F401
    administrator,
    administrator_client,
    annotator,
    annotator_client,
    media,
    outsider,
    outsider_client,
    owner,
    owner_client,
)
from tests.benchmarks.made import frozen_set

FEW_DRAWS = 300


@pytest.fixture
def sample(owner):  # noqa: F811
    """Return the sample corpus as a data set of the owner's, without videos."""
    target = ImportTarget(name="Everyday", format="native", owner=owner, is_shared=False)
    import_reading(load_corpus(), target=target, actor=owner)
    return Dataset.objects.get(name="Everyday")


@pytest.fixture
def step_set(sample, owner):  # noqa: F811
    """Return the frozen set of the task with one answer per item."""
    return frozen_set(sample, owner, "step_mistakes")


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """Draw few resamples where intervals are only stored and shown; `tasks` uses all of them."""
    whole = scoring.draw

    def draw(draws, *, rng, resamples, most_exact):
        few = {"resamples": min(resamples, FEW_DRAWS), "most_exact": min(most_exact, FEW_DRAWS)}
        return whole(draws, rng=rng, **few)

    monkeypatch.setattr(scoring, "draw", draw)
    scoring._drawn.cache_clear()
    yield
    scoring._drawn.cache_clear()
