"""CaptainCook4D: steps that may overlap, with any number of errors each.

Source: CaptainCook4D, 3.2 and C.3.2, and annotation_json/error_annotations.json.
"""

from annotation.engine.corpus.formats.native_labels import CAPTAINCOOK4D_PROPOSALS
from segments.engine.scheme import Geometry, Label, LabelSource, Scheme, Track

VERSIONS = (
    Scheme(
        name="captaincook4d",
        version=1,
        title="CaptainCook4D: steps that may overlap, errors of each",
        boundaries=(
            "A segment includes fetching what the step needs and putting it away afterwards."
        ),
        tracks=(
            Track(
                name="steps",
                title="Steps",
                geometry=Geometry.FREE,
                source=LabelSource.STEPS,
                says_missing=True,
            ),
            Track(
                name="mistakes",
                title="Mistakes",
                geometry=Geometry.FREE,
                source=LabelSource.LABELS,
                labels=tuple(Label(name) for name in CAPTAINCOOK4D_PROPOSALS),
                belongs_to="steps",
            ),
        ),
        events=CAPTAINCOOK4D_PROPOSALS,
    ),
)
