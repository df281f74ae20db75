"""The three forms in which the new annotation leaves the house."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.annotations import ego_exo4d_document
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.elan import elan_document
from generation.engine.splicing.planning import plan_edits
from generation.engine.splicing.webvtt import webvtt_document
from tests.engine.splicing.takes import make_take, make_trace

TAKE = make_take((0.5, 4), (5, 8), (9, 11))


@pytest.fixture
def edits() -> EditList:
    trace = make_trace(
        (Mod.ERROR, 0), (Mod.CORRECTION, None), (Mod.DELETION, 1), (Mod.UNCHANGED, 2)
    )
    return plan_edits(take=TAKE, trace=trace, source_duration_s=12.0)


def test_ego_exo4d_form_labels_every_segment_and_lists_what_is_missing(edits: EditList) -> None:
    document = ego_exo4d_document(edits, TAKE)

    [annotation] = document["annotations"]
    assert {key: annotation[key] for key in ("take_uid", "source_take_uid", "duration")} == {
        "take_uid": "trace-1",
        "source_take_uid": "take-1",
        "duration": 15.0,
    }
    assert annotation["segments"][0] == {
        "start_time": 0.5,
        "end_time": 4.0,
        "step_id": 100,
        "step_name": "Thing 0",
        "is_essential": True,
        "step_description": "Row 0",
        "label": "mistake",
        "mod": "e",
        "mistake_type": "WE",
        "event_id": "E0",
        "source_step_index": 0,
        "source_ranges": [[0.5, 4]],
        "is_generated": True,
    }
    assert [(part["label"], part["start_time"]) for part in annotation["segments"]] == [
        ("mistake", 0.5),
        ("correction", 4.0),
        ("unchanged", 12.0),
    ]
    assert annotation["missing_steps"] == [
        {
            "step_id": 101,
            "step_name": "Thing 1",
            "is_essential": True,
            "step_description": "Do thing 1",
            "label": "missing",
            "mod": "d",
            "mistake_type": "D",
            "event_id": "E2",
            "source_step_index": 1,
            "source_ranges": [[5, 8]],
        }
    ]


def test_webvtt_has_a_cue_for_every_step_that_is_shown(edits: EditList) -> None:
    assert webvtt_document(edits) == (
        "WEBVTT\n\n"
        "1\n00:00:00.500 --> 00:00:04.000\nMistake: Row 0\n\n"
        "2\n00:00:04.000 --> 00:00:09.000\nCorrection: Row 1\n\n"
        "4\n00:00:12.000 --> 00:00:14.000\nRow 3\n"
    )


def test_webvtt_for_raters_says_nothing_about_mistakes(edits: EditList) -> None:
    assert "Mistake" not in webvtt_document(edits, shows_labels=False)


def test_webvtt_text_cannot_end_a_cue_or_become_markup(edits: EditList) -> None:
    trace = make_trace((Mod.UNCHANGED, 0))
    row = trace.steps[0].__class__(Mod.UNCHANGED, "Put <b> & c\n\n00:00 --> 1", 0)
    trace = trace.__class__("trace-1", "", "take-1", (row,), ())
    edits = plan_edits(take=TAKE, trace=trace, source_duration_s=12.0)

    assert "\nPut &lt;b&gt; &amp; c 00:00 --&gt; 1\n" in webvtt_document(edits)


def test_elan_document_holds_texts_and_labels_between_the_same_times(edits: EditList) -> None:
    text = elan_document(edits, media_url="a b.mp4", made_at=datetime(2025, 3, 1, 9, tzinfo=UTC))

    root = ElementTree.fromstring(text)  # noqa: S314 - our own document
    slots = {
        slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE", "")) for slot in root.iter("TIME_SLOT")
    }
    tiers = {
        tier.get("TIER_ID"): [
            (
                slots[interval.get("TIME_SLOT_REF1")],
                slots[interval.get("TIME_SLOT_REF2")],
                interval.findtext("ANNOTATION_VALUE"),
            )
            for interval in tier.iter("ALIGNABLE_ANNOTATION")
        ]
        for tier in root.iter("TIER")
    }
    assert tiers == {
        "Steps": [(500, 4000, "Row 0"), (4000, 9000, "Row 1"), (12000, 14000, "Row 3")],
        "Labels": [
            (500, 4000, "mistake WE"),
            (4000, 9000, "correction"),
            (12000, 14000, "unchanged"),
        ],
    }
    ids = [item.get("ANNOTATION_ID") for item in root.iter("ALIGNABLE_ANNOTATION")]
    assert ids == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert root.get("DATE") == "2025-03-01T09:00:00+00:00"
    assert [media.get("MEDIA_URL") for media in root.iter("MEDIA_DESCRIPTOR")] == ["a b.mp4"]
