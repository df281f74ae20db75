"""The first moment at which a mistake shows: a point for each step that goes wrong.

Source: Plan, Watch, Recover, appendix H.3 (deviation onset; two people within 2 s).
"""

from segments.engine.scheme import Geometry, LabelSource, Scheme, Track

# Two people agree on an onset when their points are at most so far apart.
TOLERANCE_S = 2.0

VERSIONS = (
    Scheme(
        name="onset",
        version=1,
        title="Onset: when each mistake can first be told",
        boundaries="The first frame in which one can tell that the action is the wrong one.",
        tracks=(
            Track(
                name="onsets",
                title="Onsets",
                geometry=Geometry.FREE,
                source=LabelSource.STEPS,
                is_points=True,
            ),
        ),
        events={},
    ),
)
