"""Version 1 of the rubric: the nine metrics of PIE-V, Table 2, and the protocol's two skip rules.

A version never changes once ratings refer to it; another one is a new file of this kind. That
Procedure Logic is asked as "broken?" and State-Change Coherence as "inconsistent?" follows the
annotators' workbook. The sentences that raters read are in `v1.toml`.
"""

from annotation.engine.rubric.rubric import (
    NO,
    YES,
    Metric,
    MetricDefinition,
    Rubric,
    Scale,
    Scope,
    SkipRule,
)
from annotation.engine.taxonomy import TaxonomyLabel

RUBRIC = Rubric(
    version="1",
    metrics=(
        MetricDefinition(
            Metric.ERROR_VALIDITY,
            "Error Validity",
            Scope.EVENT,
            Scale.YES_NO,
            shown_labels={YES: "Yes", NO: "No"},
        ),
        MetricDefinition(
            Metric.HUMAN_PLAUSIBILITY,
            "Human Plausibility",
            Scope.EVENT,
            Scale.LIKERT,
            is_subjective=True,
        ),
        MetricDefinition(
            Metric.CONFUSABILITY, "Confusability", Scope.EVENT, Scale.LIKERT, is_subjective=True
        ),
        MetricDefinition(
            Metric.PROCEDURE_LOGIC,
            "Procedure Logic",
            Scope.EVENT,
            Scale.YES_NO,
            shown_labels={YES: "Broken", NO: "Intact"},
            has_confidence=True,
        ),
        MetricDefinition(
            Metric.SEQUENCE_CONSISTENCY, "Sequence Consistency", Scope.EVENT, Scale.LIKERT
        ),
        MetricDefinition(
            Metric.STATE_CHANGE_COHERENCE,
            "State-Change Coherence",
            Scope.EVENT,
            Scale.YES_NO,
            shown_labels={YES: "Inconsistent", NO: "Consistent"},
        ),
        MetricDefinition(
            Metric.TAXONOMY_FIT,
            "Taxonomy Fit",
            Scope.EVENT,
            Scale.TAXONOMY,
            shown_labels={label: label.words.capitalize() for label in TaxonomyLabel},
        ),
        MetricDefinition(
            Metric.VIDEO_PLAUSIBILITY,
            "Video Plausibility",
            Scope.EVENT,
            Scale.LIKERT,
            needs_video=True,
            is_subjective=True,
        ),
        MetricDefinition(
            Metric.TEXT_VIDEO_GROUNDING,
            "Text-Video Grounding",
            Scope.TRACE,
            Scale.LIKERT,
            needs_video=True,
        ),
    ),
    # The annotators' workbook states both in its header notes.
    skip_rules=(
        SkipRule(
            metric=Metric.PROCEDURE_LOGIC,
            value=NO,
            implies={Metric.SEQUENCE_CONSISTENCY: "5", Metric.STATE_CHANGE_COHERENCE: NO},
        ),
    ),
)
