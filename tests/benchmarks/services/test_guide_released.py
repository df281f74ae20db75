"""Points as an EgoProactive file has them: from the file to a set, answers and its page."""

import json

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from annotation.engine.corpus.formats import egoproactive
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.guiding.deviations import NONE_MARKED
from benchmarks.engine.tasks.guide.items import AS_RELEASED, CLEAN, GOLD, NO_PLAN, PREDICTED
from tests.benchmarks.made import as_lines, baseline_values, frozen_set, uploaded
from tests.engine.corpus.formats.test_egoproactive import ANSWERS, QUERY, dialogs, row, written

pytestmark = pytest.mark.django_db
SETTINGS = {"points": AS_RELEASED, "plan": NO_PLAN}


@pytest.fixture
def released(tmp_path, owner):
    late = ["$silent$", *ANSWERS[1:]]
    second = row(video_path="val/11.mp4", answers=late, dialog=dialogs(late))
    reading = egoproactive.read(written(tmp_path, row(), second))
    import_reading(reading, target=ImportTarget("Released", "egoproactive", owner=owner))
    return Dataset.objects.get(name="Released")


def test_points_are_the_ends_of_the_intervals_with_the_answers_of_the_file(released, owner):
    made = frozen_set(released, owner, "guide", settings=SETTINGS)

    own = made.items.filter(source_recording="take:00ff00ff00ff00ff").order_by("moment_s")
    found = [(one.moment_s, one.truth["answer"], one.truth["text"]) for one in own]
    assert found == [
        (2.0, "interrupt", "Mark the holes."),
        (6.5, "silent", ""),
        (12.0, "interrupt", "Drill."),
        (20.0, "silent", ""),
    ]
    assert {one.payload["goal"] for one in own} == {QUERY}
    assert made.items.count() == 8


def test_no_payload_has_words_of_the_answers(released, owner):
    for settings in (SETTINGS, {**SETTINGS, "plan": PREDICTED, "history": GOLD}):
        made = frozen_set(released, owner, "guide", name=str(settings), settings=settings)

        for item in made.items.all():
            shown = json.dumps([item.payload, item.question, item.choices])
            assert not any(words in shown for words in ("Mark the holes", "Drill"))
            # What is told when a model is asked lies before the point.
            told = item.told.get("history", [])
            assert all(one["time_s"] < item.moment_s for one in told)


def test_a_plan_made_of_the_right_words_is_refused(released, owner):
    with pytest.raises(ValidationError, match="expected the plan none"):
        frozen_set(released, owner, "guide", settings={"points": AS_RELEASED, "plan": CLEAN})


def test_data_without_such_intervals_are_refused(sample, owner):
    with pytest.raises(ValidationError, match="has the intervals at which its makers ask"):
        frozen_set(sample, owner, "guide", settings=SETTINGS)


@pytest.mark.parametrize("settings", [SETTINGS, {}])
def test_where_no_deviation_is_marked_the_page_says_so_and_has_no_figure(
    released, owner, owner_client, settings
):
    made = frozen_set(released, owner, "guide", settings=settings)
    answers = uploaded(made, owner, as_lines(baseline_values(made)), "answers.jsonl")

    page = owner_client.get(reverse("assessment", args=[answers.public_id])).content.decode()

    assert NONE_MARKED in page
    figures = dict(answers.figures.values_list("measure", "value"))
    assert figures["speak_f1"] is not None
    assert figures.get("detected_deviations") is None
    assert figures.get("onset_recall") is None
