"""Schemes: what their versions hold, and what each of them promises."""

import pytest

from annotation.engine.corpus.formats.native_labels import UNDECIDED
from annotation.engine.taxonomy import TaxonomyLabel
from segments.engine.scheme import (
    Geometry,
    Label,
    LabelSource,
    Scheme,
    Track,
    UnknownSchemeError,
    UnmappedLabelError,
    available_schemes,
    scheme,
)
from segments.engine.templates import Template, TemplateError

STEPS = Track("steps", "Steps", Geometry.GAPS, LabelSource.STEPS)


def test_schemes_of_the_house_have_their_geometry():
    found = {
        name: [(track.name, track.geometry.value) for track in versions[-1].tracks]
        for name, versions in available_schemes().items()
    }

    assert found == {
        "captaincook4d": [("steps", "free"), ("mistakes", "free")],
        "egooops": [("steps", "gaps")],
        "onset": [("onsets", "free")],
        "partition": [("steps", "partition")],
    }


@pytest.mark.parametrize("name", available_schemes())
def test_every_label_of_the_house_is_mapped(name):
    for version in available_schemes()[name]:
        labels = [label.name for track in version.tracks for label in track.labels]

        assert list(version.events_of(labels)) == labels


def test_labels_that_are_not_mapped_are_named():
    own = Scheme("own", 1, "Own", "", (STEPS,), events={"slip": TaxonomyLabel.WRONG_EXECUTION})

    assert own.events_of(["slip"]) == {"slip": TaxonomyLabel.WRONG_EXECUTION}
    with pytest.raises(UnmappedLabelError) as raised:
        own.events_of(["spill", "slip", "drop", "spill"])
    assert raised.value.labels == ("spill", "drop")
    assert str(raised.value) == (
        "scheme own 1 maps no event to 'spill', 'drop'; expected each label of a mistake in its"
        " events"
    )


def test_a_label_that_a_person_decides_is_mapped():
    assert scheme("egooops").events_of(["others"]) == {"others": UNDECIDED}


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("ego", None, "scheme is 'ego'; expected one of captaincook4d, egooops, onset, partition"),
        ("egooops", 2, "version of egooops is 2; expected 1"),
        ("egooops", 0, "version of egooops is 0; expected 1"),
    ],
)
def test_unknown_schemes_are_refused(name, version, message):
    with pytest.raises(UnknownSchemeError, match=message):
        scheme(name, version)


def test_tracks_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match=r"track steps has 1 labels for none"):
        Track("steps", "Steps", Geometry.GAPS, LabelSource.NONE, (Label("slip"),))
    with pytest.raises(ValueError, match=r"tracks \['steps', 'steps'\]; expected each once"):
        Scheme("own", 1, "Own", "", (STEPS, STEPS))
    lost = Track("notes", "Notes", Geometry.FREE, LabelSource.NONE, belongs_to="step")
    with pytest.raises(ValueError, match="track notes belongs to 'step', no track"):
        Scheme("own", 1, "Own", "", (STEPS, lost))
    with pytest.raises(ValueError, match="track is 'step'; expected one of steps"):
        scheme("egooops").track("step")


def test_template_builds_and_reads_its_texts():
    way = Template("{verb} {object} {way} but should {right_verb} {pronoun} {right_way}")
    values = {
        "verb": "put",
        "object": "batteries",
        "way": "upside down",
        "right_verb": "put",
        "pronoun": "them",
        "right_way": "upright",
    }

    text = way.text(values)

    assert text == "put batteries upside down but should put them upright"
    assert way.values(text) == values
    assert way.values("put batteries") is None
    assert way.slots == tuple(values)


def test_template_reads_a_slot_that_comes_twice():
    twice = Template("{verb} it and {verb} again")

    assert twice.text({"verb": "stir"}) == "stir it and stir again"
    assert twice.values("Stir it and stir again") == {"verb": "Stir"}
    assert twice.values("stir it and shake again") is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"wrong": "  "}, "slot 'wrong' of 'grasp {wrong}' is empty; expected words"),
        ({"right": "cup"}, "slot 'right' is not in 'grasp {wrong}'; expected wrong"),
    ],
)
def test_template_refuses_empty_and_unknown_slots(values, message):
    with pytest.raises(TemplateError, match=message):
        Template("grasp {wrong}").text(values)
