"""Which names of campaigns tell raters where traces come from."""

import pytest

from annotation.engine.corpus.telling_names import telling_words, warning_of

DATASETS = ("Kitchen 2025", "Run of May, seed 7", "Tea")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Audit of May", ()),
        ("Everyday repairs, second round", ()),
        ("gpt-5.2 against humans", ("gpt",)),
        ("Sora and Veo", ("sora", "veo")),
        ("EGO EXO 4D pilot", ("Ego-Exo4D",)),
        ("egooops round 2", ("EgoOops",)),
        ("kitchen-2025 main", ("Kitchen 2025",)),
        ("Audit: Run of May, Seed 7", ("Run of May, seed 7",)),
        # Short names count as words of their own only: nobody reads "tea" in "team".
        ("Team audit", ()),
        ("Tea audit", ("Tea",)),
        ("Generated or not", ("generated",)),
        ("Soraya's audit", ()),
        ("", ()),
    ],
)
def test_telling_words_are_data_sets_models_and_generators(name, expected):
    assert telling_words(name, DATASETS) == expected


def test_warning_names_the_words_and_the_remedy():
    assert warning_of(("gpt", "Tea")) == (
        "Raters see this name, and it hints at where traces come from (gpt, Tea). "
        "To keep their answers unbiased, leave out data sets, models and generators."
    )
