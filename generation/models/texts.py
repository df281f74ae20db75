"""The texts that a writer wrote for the takes of a run, and what the judge said of them."""

from django.db import models
from django.utils import timezone

from annotation.models.columns import one_of
from generation.engine.judging.findings import FindingSeverity
from generation.engine.judging.judging import JudgedStatus
from generation.models.runs import RunTake


class TakeRewrite(models.Model):
    """The text that a writer wrote for a take's plan, in the published form.

    `model` is the name of the writer, `answered_by` the model that the server says has answered.
    `notes` say where the writer deviated from the plan, or why an answer was asked for again;
    `problems` where the stored answer breaks the freeform contract.
    """

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="rewrite")
    document = models.JSONField()
    model = models.CharField(max_length=200)
    answered_by = models.CharField(max_length=200, blank=True)
    prompt_version = models.CharField(max_length=64, blank=True)
    notes = models.JSONField(default=list, blank=True)
    problems = models.JSONField(default=list, blank=True)
    written_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"rewrite of {self.run_take_id}"


class TakeJudgement(models.Model):
    """A take's rewrite after the judge: the repaired text and how it was repaired.

    `attempts` are the judge's own records of every repair that was tried. The counts are of
    findings in the rewrite as it was written (`found`) and after the repairs (`left`).
    `sense_checks` are the codes of the checks of sense that the judge had then, and `sense_left`
    counts what they still find.
    """

    STATUSES = [
        (JudgedStatus.OK.value, "ok"),
        (JudgedStatus.WITH_FINDINGS.value, "with findings"),
    ]

    run_take = models.OneToOneField(RunTake, on_delete=models.CASCADE, related_name="judgement")
    document = models.JSONField()
    status = models.CharField(max_length=24, choices=STATUSES)
    model = models.CharField(max_length=200)
    prompt_versions = models.JSONField(default=list, blank=True)
    attempts = models.JSONField(default=list, blank=True)
    hard_found = models.PositiveIntegerField()
    soft_found = models.PositiveIntegerField()
    hard_left = models.PositiveIntegerField()
    soft_left = models.PositiveIntegerField()
    changed_words = models.PositiveIntegerField(default=0)
    judged_at = models.DateTimeField(default=timezone.now)
    sense_checks = models.JSONField(default=list, blank=True)
    sense_left = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [one_of("status", JudgedStatus, "take_judgement_status_known")]

    def __str__(self) -> str:
        return f"judgement of {self.run_take_id}"

    @property
    def is_valid(self) -> bool:
        """Whether the text keeps the contract with its plan: no hard finding is left."""
        return self.hard_left == 0


class JudgeFinding(models.Model):
    """One finding of the judge, in the text as written or, with `is_left`, after the repairs.

    `position` is a row of the rewrite that was judged, empty if it concerns the whole text.
    """

    SEVERITIES = [(severity.value, severity.value) for severity in FindingSeverity]

    judgement = models.ForeignKey(TakeJudgement, on_delete=models.CASCADE, related_name="findings")
    is_left = models.BooleanField()
    code = models.CharField(max_length=64)
    severity = models.CharField(max_length=8, choices=SEVERITIES)
    position = models.PositiveIntegerField(null=True, blank=True)
    detail = models.TextField()
    event_id = models.CharField(max_length=100, blank=True)
    entity = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [one_of("severity", FindingSeverity, "judge_finding_severity_known")]
        indexes = [models.Index(fields=["code", "is_left"], name="judge_finding_by_code")]

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}"


class MadeSemRep(models.Model):
    """A cached representation of a step text, by the analyser or a model.

    `made_by` is `RULES`, or prompt version and model. For the rules, `text_digest` is the SHA-256
    of the text after normalising case and spacing, and rows of another `analyser_version` are not
    read; for a model it is of the exact text, and the version is 0.
    """

    RULES = "rules"

    text_digest = models.CharField(max_length=64)
    made_by = models.CharField(max_length=300, default=RULES)
    analyser_version = models.PositiveSmallIntegerField()
    text = models.TextField()
    semrep = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["text_digest", "made_by", "analyser_version"], name="made_semrep_once"
            ),
        ]

    def __str__(self) -> str:
        return self.semrep
