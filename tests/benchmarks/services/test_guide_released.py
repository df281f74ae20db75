"""Points as an EgoProactive file has them: from the file to a set, answers and its page."""

import json
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from annotation.engine.corpus.formats import egoproactive
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.engine.guiding.deviations import NONE_MARKED, DeviationKind, deviations
from benchmarks.engine.material import MarkedOnset
from benchmarks.engine.tasks.guide.items import AS_RELEASED, CLEAN, GOLD, NO_PLAN, PREDICTED
from benchmarks.selectors.onsets import agreed_onsets, marked_onsets
from segments.engine.model import Segment
from tests.benchmarks.made import as_lines, baseline_values, frozen_set, uploaded
from tests.benchmarks.tasks.material import TEA
from tests.engine.corpus.formats.test_egoproactive import ANSWERS, QUERY, dialogs, row, written
from tests.factories import SegmentRoundFactory, UserFactory
from tests.segments.segmented_rounds import finish

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


def test_the_audit_of_shortcuts_says_what_position_gap_and_words_tell(released, sample, owner):
    sets = [
        frozen_set(released, owner, "guide", settings=SETTINGS),
        frozen_set(sample, owner, "guide", name="Sample"),
    ]

    for made in sets:
        guessers = json.dumps(made.shortcuts)
        assert made.shortcuts["item_count"] == made.item_count
        assert all(f'"{name}"' in guessers for name in ("words", "place", "times"))


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


def marked(dataset, owner):
    """Two people's onsets in a closed round: they agree on the second step, not on the first."""
    made = SegmentRoundFactory(scheme="onset").round
    take = dataset.takes.get(uid="00ff00ff00ff00ff")
    for times in ((9.2,), (9.8, 1.0)):
        points = [
            Segment(f"o{place}", "onsets", at_s, at_s, str(1 - place))
            for place, at_s in enumerate(times)
        ]
        finish(made, take, UserFactory(), points)
    made.campaign.owner = owner
    made.campaign.save()
    made.closed_at = timezone.now()
    made.save()
    return made


def test_onsets_that_people_marked_are_deviations(released, owner, owner_client):
    marked(released, owner)

    made = frozen_set(released, owner, "guide")

    [item] = [one for one in made.items.all() if one.truth["departure"] == "deviation"]
    # At 9.5 s, the median of both, on the grid of half seconds.
    assert (item.moment_s, item.truth["onsets_s"]) == (9.5, [9.5])
    assert item.truth["text"] == ("Something is wrong with this step. Do it as planned: Drill.")
    [silent, *_] = made.assessments.filter(kind="baseline").order_by("pk")
    page = owner_client.get(reverse("assessment", args=[silent.public_id])).content.decode()
    assert NONE_MARKED not in page
    assert dict(silent.figures.values_list("measure", "value"))["onset_recall"] == 0.0


@pytest.mark.parametrize("change", ["open again", "of somebody else"])
def test_onsets_of_open_rounds_and_of_others_are_not_read(released, owner, change):
    made = marked(released, owner)
    if change == "open again":
        made.closed_at = None
        made.save()
    else:
        made.campaign.owner = UserFactory()
        made.campaign.save()

    assert marked_onsets(owner, released) == {}


def test_onsets_of_a_trace_move_its_mistakes_unless_it_was_generated():
    seen = replace(TEA.recordings[0], onsets=(MarkedOnset("2", 5.2), MarkedOnset("3", 11.0)))

    assert [(one.event_id, one.kind, one.onset_s) for one in deviations(seen)] == [
        ("E1", DeviationKind.OMISSION, 4.0),
        ("E2", DeviationKind.SUBSTITUTION, 5.2),
        ("onset at 11.000 s", DeviationKind.UNTYPED, 11.0),
    ]
    assert deviations(replace(seen, generator="by hand")) == deviations(TEA.recordings[0])


def test_more_than_half_of_the_people_make_an_onset():
    near, far = MarkedOnset("a", 1.0), MarkedOnset("a", 9.0)

    assert agreed_onsets([[near], [replace(near, time_s=2.0)], [far]]) == [MarkedOnset("a", 1.5)]
    assert agreed_onsets([[near, far]]) == [near, far]
    assert agreed_onsets([[near], []]) == []
