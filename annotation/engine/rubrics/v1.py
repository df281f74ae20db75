"""Version 1 of the rubric: the nine metrics of PIE-V, Table 2, and the protocol's two skip rules.

A version never changes once ratings refer to it; another one is a new file of this kind. That
Procedure Logic is asked as "broken?" and State-Change Coherence as "inconsistent?" follows the
annotators' workbook. The sentences that raters read are in `v1.toml`.
"""

from annotation.engine.rubric_model import (
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

ERROR_VALIDITY = MetricDefinition(
    metric=Metric.ERROR_VALIDITY,
    title="Error Validity",
    scope=Scope.EVENT,
    scale=Scale.YES_NO,
    shown_labels={YES: "Yes", NO: "No"},
)

HUMAN_PLAUSIBILITY = MetricDefinition(
    metric=Metric.HUMAN_PLAUSIBILITY,
    title="Human Plausibility",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    is_subjective=True,
)

CONFUSABILITY = MetricDefinition(
    metric=Metric.CONFUSABILITY,
    title="Confusability",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    is_subjective=True,
)

PROCEDURE_LOGIC = MetricDefinition(
    metric=Metric.PROCEDURE_LOGIC,
    title="Procedure Logic",
    scope=Scope.EVENT,
    scale=Scale.YES_NO,
    shown_labels={YES: "Broken", NO: "Intact"},
    has_confidence=True,
)

SEQUENCE_CONSISTENCY = MetricDefinition(
    metric=Metric.SEQUENCE_CONSISTENCY,
    title="Sequence Consistency",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
)

STATE_CHANGE_COHERENCE = MetricDefinition(
    metric=Metric.STATE_CHANGE_COHERENCE,
    title="State-Change Coherence",
    scope=Scope.EVENT,
    scale=Scale.YES_NO,
    shown_labels={YES: "Inconsistent", NO: "Consistent"},
)

TAXONOMY_FIT = MetricDefinition(
    metric=Metric.TAXONOMY_FIT,
    title="Taxonomy Fit",
    scope=Scope.EVENT,
    scale=Scale.TAXONOMY,
    shown_labels={
        TaxonomyLabel.DELETION: "Deletion",
        TaxonomyLabel.INSERTION: "Insertion",
        TaxonomyLabel.SUBSTITUTION: "Substitution",
        TaxonomyLabel.TRANSPOSITION: "Transposition",
        TaxonomyLabel.WRONG_EXECUTION: "Wrong execution",
        TaxonomyLabel.CORRECTION: "Correction",
    },
)

VIDEO_PLAUSIBILITY = MetricDefinition(
    metric=Metric.VIDEO_PLAUSIBILITY,
    title="Video Plausibility",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    needs_video=True,
    is_subjective=True,
)

TEXT_VIDEO_GROUNDING = MetricDefinition(
    metric=Metric.TEXT_VIDEO_GROUNDING,
    title="Text-Video Grounding",
    scope=Scope.TRACE,
    scale=Scale.LIKERT,
    needs_video=True,
)

RUBRIC = Rubric(
    version="1",
    metrics=(
        ERROR_VALIDITY,
        HUMAN_PLAUSIBILITY,
        CONFUSABILITY,
        PROCEDURE_LOGIC,
        SEQUENCE_CONSISTENCY,
        STATE_CHANGE_COHERENCE,
        TAXONOMY_FIT,
        VIDEO_PLAUSIBILITY,
        TEXT_VIDEO_GROUNDING,
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
