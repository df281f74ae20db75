"""A scheme that somebody adds: who hands what to whom, on a track of its own."""

from annotation.engine.taxonomy import TaxonomyLabel
from segments.engine.scheme import Geometry, Label, LabelSource, Scheme, Track
from segments.engine.templates import Template

VERSIONS = (
    Scheme(
        name="handovers",
        version=1,
        title="Handovers",
        boundaries="From the first touch of the one who takes to the last of the one who gives.",
        tracks=(
            Track(
                name="handovers",
                title="Handovers",
                geometry=Geometry.GAPS,
                source=LabelSource.LABELS,
                labels=(
                    Label("given", (Template("give {object} to {person}"),)),
                    Label("dropped", (Template("drop {object}"),)),
                ),
            ),
        ),
        resolution_s=0.1,
        events={"dropped": TaxonomyLabel.WRONG_EXECUTION},
    ),
)
