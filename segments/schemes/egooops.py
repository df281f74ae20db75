"""EgoOops: gaps between steps, at most one mistake for each, descriptions from templates.

Source: EgoOops, 3.4, the table of description templates, and meta/mistake_classes.json.
"""

from annotation.engine.corpus.formats.native_labels import EGOOOPS_PROPOSALS
from segments.engine.scheme import Geometry, Label, LabelSource, Scheme, Track
from segments.engine.templates import Template

LABELS = (
    Label("working with wrong objects", (Template("use {wrong} but should use {correct}"),)),
    Label("grasping wrong objects and releasing them without using", (Template("grasp {wrong}"),)),
    Label("correction of mistake actions", (Template("correct error in step {step}"),)),
    Label("unintended actions", (Template("{verb} {object}"), Template("{verb}"))),
    Label(
        "working in the wrong way or moving",
        (Template("{verb} {object} {way} but should {right_verb} {pronoun} {right_way}"),),
    ),
    Label("others"),
)

VERSIONS = (
    Scheme(
        name="egooops",
        version=1,
        title="EgoOops: steps with a mistake each",
        boundaries=(
            "A segment begins when the first object of the step is grasped and ends when the last"
            " one is released. What no instruction describes is a segment of its own, undefined."
        ),
        tracks=(
            Track(
                name="steps",
                title="Steps",
                geometry=Geometry.GAPS,
                source=LabelSource.STEPS,
                labels=LABELS,
                has_undefined=True,
                says_missing=True,
            ),
        ),
        events=EGOOOPS_PROPOSALS,
        derives_order=True,
    ),
)
