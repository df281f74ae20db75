"""Version 1 of the rubric: the nine metrics of PIE-V, Table 2, and the protocol's two skip rules.

A version never changes once ratings refer to it; a new wording is a new file of this kind. The
wording is ours. What each metric asks follows PIE-V, section 3; that Procedure Logic is asked as
"broken?" and State-Change Coherence as "inconsistent?" follows the annotators' workbook.
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
    short_guidance="Would this spoil the result or a later step if nobody put it right?",
    long_guidance=(
        "Answer yes when the deviation has consequences: a different outcome, a later step that "
        "loses what it needs, or something left in a wrong state. Answer no when it is only "
        "another acceptable way of doing the step, or a slip without effect. Judge it as if no "
        "repair followed, even when one does."
    ),
    shown_labels={YES: "Yes", NO: "No"},
)

HUMAN_PLAUSIBILITY = MetricDefinition(
    metric=Metric.HUMAN_PLAUSIBILITY,
    title="Human Plausibility",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    short_guidance="Could a real person slip like this, here and now?",
    long_guidance=(
        "Think of someone who wants to get the procedure right and is a little tired or "
        "distracted. Give a high value when the slip comes naturally at this point, and a low "
        "one when it looks staged, absurd or impossible. For a correction, ask whether a person "
        "who noticed this mistake would repair it in this way."
    ),
    low_label="not at all",
    high_label="very much",
)

CONFUSABILITY = MetricDefinition(
    metric=Metric.CONFUSABILITY,
    title="Confusability",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    short_guidance="How easily would it go unnoticed while it happens?",
    long_guidance=(
        "Picture yourself watching live, without the marks on this page. Give 1 when anybody "
        "would see it at once, and 5 when even an attentive person would probably miss it. This "
        "is not plausibility: a very natural slip can be obvious, and an odd one well hidden."
    ),
    low_label="seen at once",
    high_label="easily missed",
)

PROCEDURE_LOGIC = MetricDefinition(
    metric=Metric.PROCEDURE_LOGIC,
    title="Procedure Logic",
    scope=Scope.EVENT,
    scale=Scale.YES_NO,
    short_guidance="Does this event break the logic of the procedure as a whole?",
    long_guidance=(
        "Read the mistake-aware steps from beginning to end. Answer broken when, because of this "
        "event, the sequence no longer makes sense as a way to reach the goal. Then say how sure "
        "you are, from 1 (a guess) to 3 (certain); surer answers weigh more in the report. Intact "
        "logic means a consistent order and state, so those two answers are filled in for you and "
        "can be changed."
    ),
    shown_labels={YES: "Broken", NO: "Intact"},
    has_confidence=True,
)

SEQUENCE_CONSISTENCY = MetricDefinition(
    metric=Metric.SEQUENCE_CONSISTENCY,
    title="Sequence Consistency",
    scope=Scope.EVENT,
    scale=Scale.LIKERT,
    short_guidance="Can the steps still be carried out in the order in which they stand?",
    long_guidance=(
        "Look at what each step needs from the steps before it. Give 5 when every need is met in "
        "time, middle values when the disorder stays local, and 1 when the order falls apart. It "
        "is finer than Procedure Logic: one swapped pair may leave the goal within reach."
    ),
    low_label="order falls apart",
    high_label="fully consistent",
)

STATE_CHANGE_COHERENCE = MetricDefinition(
    metric=Metric.STATE_CHANGE_COHERENCE,
    title="State-Change Coherence",
    scope=Scope.EVENT,
    scale=Scale.YES_NO,
    short_guidance="Does the state of the objects contradict itself anywhere after this event?",
    long_guidance=(
        "Follow the things that are used: where they are, whether they are open, full, cut or "
        "mixed. Answer inconsistent when something appears, vanishes or changes with no action "
        "behind it, or when a step could not have the effect that a later one relies on. A cup "
        "that is full although nothing was poured is such a case."
    ),
    shown_labels={YES: "Inconsistent", NO: "Consistent"},
)

TAXONOMY_FIT = MetricDefinition(
    metric=Metric.TAXONOMY_FIT,
    title="Taxonomy Fit",
    scope=Scope.EVENT,
    scale=Scale.TAXONOMY,
    short_guidance="Which one word says best what happened?",
    long_guidance=(
        "Deletion: a step is left out. Insertion: a step is added that nobody asked for. "
        "Substitution: another action or object takes the place of the right one. Transposition: "
        "two steps change places. Wrong execution: the right step done wrongly, in amount, place, "
        "manner or target; and correction when the event repairs an earlier mistake."
    ),
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
    short_guidance="Does the recorded behaviour look natural rather than acted?",
    long_guidance=(
        "Watch the event with a few seconds before and after it. Give a high value when hands, "
        "objects and timing look like ordinary first-person footage, and a low one when it seems "
        "posed, exaggerated or artificial. Judge the picture, not whether the slip is likely."
    ),
    low_label="not at all",
    high_label="very much",
    needs_video=True,
)

TEXT_VIDEO_GROUNDING = MetricDefinition(
    metric=Metric.TEXT_VIDEO_GROUNDING,
    title="Text-Video Grounding",
    scope=Scope.TRACE,
    scale=Scale.LIKERT,
    short_guidance="Does the whole written trace match what the video shows?",
    long_guidance=(
        "This is asked once for the whole trace. Compare every step, the mistakes and all that "
        "follows them, with the recording. Lower the value for steps that are not seen, for "
        "things seen that are not written, and for descriptions that drift away from the picture."
    ),
    low_label="hardly matches",
    high_label="matches throughout",
    needs_video=True,
)

RUBRIC_V1 = Rubric(
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
