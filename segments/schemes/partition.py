"""The whole recording in steps whose edges are shared, audited with three questions.

Source: Plan, Watch, Recover, appendix H.3.
"""

from segments.engine.scheme import Geometry, LabelSource, Question, Scheme, Track

VERSIONS = (
    Scheme(
        name="partition",
        version=1,
        title="Partition: the whole recording, every edge shared",
        boundaries="A step ends where the next one begins: no gap and no overlap.",
        tracks=(
            Track(
                name="steps",
                title="Steps",
                geometry=Geometry.PARTITION,
                source=LabelSource.STEPS,
                has_undefined=True,
            ),
        ),
        questions=(
            Question("accurate", "Does the description say what is done?"),
            Question("specific", "Is nothing else in the segment?"),
            Question("complete", "Is the step whole, cut off at neither end?"),
        ),
        resolution_s=0.1,
        events={},
    ),
)
