"""What makes an audit accountable: consent, the plan of its analysis, and the protocol as filed."""

import json

from django.conf import settings
from django.db import models

from annotation.engine.campaigns.protocol_file import protocol_markdown
from annotation.engine.corpus.step_words import StepWords
from annotation.models.campaign import Campaign
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from annotation.models.round import CONTENT_HASH_CHARACTERS, Round


class ConsentText(models.Model):
    """What raters of a campaign accept before their first answer; a changed text is a new row."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="consent_texts")
    number = models.PositiveIntegerField()
    text = models.TextField()
    content_hash = models.CharField(max_length=CONTENT_HASH_CHARACTERS)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="consent_number_once"),
        ]

    def __str__(self) -> str:
        return f"consent {self.number} of {self.campaign_id}"


class Consent(models.Model):
    """One person's acceptance of one text."""

    text = models.ForeignKey(ConsentText, on_delete=models.PROTECT, related_name="accepted")
    rater = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="consents"
    )
    accepted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["text", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["text", "rater"], name="consent_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rater_id} accepted {self.text_id}"


class AnalysisPlan(models.Model):
    """The plan, written before the main round, of how it will be reported.

    `metrics` are names of metrics, `comparisons` pairs of names of data sets. Whatever is computed
    beyond these two lists is labelled exploratory. `hypotheses` and `exclusions` are prose. Figures
    of less than `least_coverage` percent of the planned answers, or of fewer than `least_raters`,
    stand apart and are not compared. `step_words` is what raters of rounds that are opened from now
    on see where a step is on one side only.
    """

    # In percent of the planned answers, and in people, unless a plan says otherwise.
    LEAST_COVERAGE, LEAST_RATERS = 90, 2

    campaign = models.OneToOneField(
        Campaign, on_delete=models.CASCADE, related_name="analysis_plan"
    )
    metrics = models.JSONField(default=list, blank=True)
    comparisons = models.JSONField(default=list, blank=True)
    hypotheses = models.TextField(blank=True)
    exclusions = models.TextField(blank=True)
    least_coverage = models.PositiveSmallIntegerField(default=LEAST_COVERAGE)
    least_raters = models.PositiveSmallIntegerField(default=LEAST_RATERS)
    step_words = models.CharField(max_length=12, default=StepWords.ARROWS)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [one_of("step_words", StepWords, "plan_step_words_known")]

    def __str__(self) -> str:
        return f"plan of {self.campaign_id}"


class FilingMoment(models.TextChoices):
    """When a protocol is filed."""

    BEFORE_MAIN = "before_main", "Before the main round"
    RELEASE = "release", "At release"


class ProtocolFile(models.Model):
    """The protocol of a campaign as it stood at a moment; `content` never changes.

    `content_hash` is the SHA-256 of the JSON file, byte for byte as it is downloaded.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="protocol_files")
    moment = models.CharField(max_length=12, choices=FilingMoment.choices)
    content = models.TextField()
    content_hash = models.CharField(max_length=CONTENT_HASH_CHARACTERS)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "pk"]
        constraints = [
            one_of("moment", FilingMoment.values, "protocol_moment_known"),
        ]

    def __str__(self) -> str:
        return f"protocol of {self.campaign_id}, {self.moment}"

    @property
    def markdown(self) -> str:
        return protocol_markdown(json.loads(self.content), self.content_hash)


class InterimLook(models.Model):
    """One person's looks at agreement on a main round that was open, on one day.

    `figures` are pairs of the name of a data set and a metric whose alpha was shown, each once.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="interim_looks")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    day = models.DateField()
    first_at = models.DateTimeField()
    figures = models.JSONField(default=list)

    class Meta:
        ordering = ["round", "first_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "person", "day"], name="interim_look_once_a_day"
            ),
        ]

    def __str__(self) -> str:
        return f"look of {self.person_id} at round {self.round_id}"


class PeopleQuestions(models.Model):
    """What people of a campaign are asked about themselves before they begin.

    `questions` are `PeopleQuestion` as JSON. They never change once somebody has answered.
    """

    campaign = models.OneToOneField(
        Campaign, on_delete=models.CASCADE, related_name="people_questions"
    )
    questions = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"questions about the people of {self.campaign_id}"


class PeopleAnswers(models.Model):
    """What one person said of themselves: a text for each question, "" where it was left open.

    They go with the account, and no page shows them beside a name.
    """

    asked = models.ForeignKey(PeopleQuestions, on_delete=models.CASCADE, related_name="answers")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="people_answers"
    )
    values = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["asked", "person"], name="people_answers_once"),
        ]

    def __str__(self) -> str:
        return f"answers to {self.asked_id}"
