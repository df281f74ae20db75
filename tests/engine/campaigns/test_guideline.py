"""What raters read: one text per metric and subject, checked when it is loaded."""

import hashlib
from pathlib import Path

import pytest

from annotation.engine.campaigns import guideline as guideline_module
from annotation.engine.campaigns.guideline import (
    GuidelineError,
    Subject,
    built_in_guideline,
    content_hash,
    guideline_from_dict,
)
from annotation.engine.rubric.rubric import Metric, RubricVersionError, Scope, rubric, rubrics

FOLDER = Path(guideline_module.__file__).parent.parent / "rubric" / "versions"
EVENT_METRICS = [item.metric for item in rubric("2").metrics if item.scope is Scope.EVENT]


@pytest.mark.parametrize("version", rubrics())
def test_a_built_in_text_asks_every_metric_of_every_subject(version):
    text = built_in_guideline(version)

    assert set(text.texts) == {
        (item.metric, subject)
        for item in rubric(version).metrics
        for subject in Subject
        if (subject is Subject.TRACE) == (item.scope is Scope.TRACE)
    }
    assert guideline_from_dict(text.to_dict(), rubric(version)) == text


@pytest.mark.parametrize(
    ("metric", "subject"), sorted(built_in_guideline("2").texts), ids=lambda item: str(item)
)
def test_a_text_fits_beside_its_control_and_explains_itself(metric, subject):
    text = built_in_guideline("2").texts[metric, subject]

    assert "\n" not in text.question + text.how_to_judge
    assert 20 <= len(text.question) <= 80
    assert text.question.endswith("?")
    assert 2 <= sum(text.how_to_judge.count(mark) for mark in ".?!") <= 6


def test_a_correction_is_asked_about_the_repair_and_a_mistake_as_before():
    old, new = built_in_guideline("1"), built_in_guideline("2")

    same = [
        metric
        for metric in EVENT_METRICS
        if new.texts[metric, Subject.CORRECTION] == new.texts[metric, Subject.MISTAKE]
    ]

    assert same == []
    assert old.texts[Metric.ERROR_VALIDITY, Subject.CORRECTION].question == (
        "Would this spoil the result or a later step if nobody put it right?"
    )
    assert new.texts[Metric.ERROR_VALIDITY, Subject.CORRECTION].question == (
        "Does this repair really undo the mistake that it belongs to?"
    )


def test_the_words_that_answers_were_given_to_never_change():
    digests = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for path in sorted(FOLDER.glob("*.toml"))
    }

    frozen = {"v1.toml": "d052e605b10524e4", "v2.toml": "b2b94de6b6902556"}
    assert digests | frozen == digests


def test_an_unknown_rubric_has_no_text():
    with pytest.raises(RubricVersionError):
        built_in_guideline("7")


def whole() -> dict:
    return built_in_guideline("2").to_dict()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data.pop("name"), "name is None; expected a word for this text"),
        (lambda data: data.update(beauty={}), "beauty is no metric of rubric 2"),
        (lambda data: data.pop("confusability"), "confusability.mistake has no text"),
        (
            lambda data: data["taxonomy_fit"].update(trace={}),
            "taxonomy_fit.trace is asked of nothing",
        ),
        (
            lambda data: data["confusability"]["correction"].update(low=" "),
            "confusability.correction.low is ' '; expected a text",
        ),
    ],
)
def test_a_text_that_lacks_something_is_refused_by_name(spoil, message):
    data = whole()
    spoil(data)

    with pytest.raises(GuidelineError) as caught:
        guideline_from_dict(data, rubric("2"))

    assert str(caught.value) == message


def test_hash_of_a_version_is_of_every_word_and_example_whatever_their_order_in_storage():
    text = {"name": "x", "confusability": {"mistake": {"question": "Seen?", "low": "at once"}}}
    example = {"metric": "confusability", "trace": "t1", "event": 0, "note": "Easy"}
    turned = {
        "confusability": {"mistake": {"low": "at once", "question": "Seen?"}},
        "name": "x",
    }
    others = [
        content_hash(text, []),
        content_hash(text, [example, example]),
        content_hash(text, [example | {"note": "Hard"}]),
        content_hash(text, [example | {"event": 1}]),
        content_hash(
            {"name": "x", "confusability": {"mistake": {"question": "Seen?", "low": "late"}}},
            [example],
        ),
    ]

    found = content_hash(text, [example])

    # As `printf '%s' '[{"confusability":...},[{"event":0,...}]]' | sha256sum` gives it.
    assert found == "573ad61553ebf99ab0e54df945155cd17e6572de72c9817e539c20ec37cee05b"
    assert content_hash(turned, [dict(reversed(example.items()))]) == found
    assert len({found, *others}) == 6
