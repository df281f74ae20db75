"""People as judges: a sample of answers of an item set, and the grades that people give to it."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.engine.measures.grades import HIGHEST
from benchmarks.models.assessments import Answer
from benchmarks.models.item_sets import ItemSet

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL


class JudgingSample(models.Model):
    """The answers of an item set that people grade, each of them without its author.

    They are `size` at most, drawn by the seed from strata of source, participant and the judges'
    grade; the same for everybody.
    """

    item_set = models.OneToOneField(
        ItemSet, on_delete=models.CASCADE, related_name="judging_sample"
    )
    seed = models.PositiveBigIntegerField(default=0)
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"sample of {self.item_set}"


class SampledAnswer(models.Model):
    """One answer of a sample; `agreed` is the grade that people agreed on after a discussion."""

    sample = models.ForeignKey(JudgingSample, on_delete=models.CASCADE, related_name="answers")
    answer = models.OneToOneField(Answer, on_delete=models.CASCADE, related_name="sampled")
    position = models.PositiveIntegerField()
    agreed = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["sample", "position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "position"], name="sampled_position_once"),
            models.CheckConstraint(
                condition=Q(agreed__isnull=True) | Q(agreed__lte=HIGHEST), name="agreed_in_range"
            ),
        ]

    def __str__(self) -> str:
        return f"answer {self.position} of {self.sample_id}"


class PersonJudge(models.Model):
    """Somebody who grades a sample; `number` stands for the name in tables and files.

    From `finished_at` on the grades are final, and only then are those of others shown.
    """

    sample = models.ForeignKey(JudgingSample, on_delete=models.CASCADE, related_name="judges")
    person = models.ForeignKey(USER, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sample", "number"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "person"], name="person_judge_once"),
            models.UniqueConstraint(fields=["sample", "number"], name="person_judge_number_once"),
        ]

    def __str__(self) -> str:
        return f"person:{self.number}"


class PersonGrade(models.Model):
    """A person's grade of an answer, 0 to `HIGHEST`."""

    judge = models.ForeignKey(PersonJudge, on_delete=models.CASCADE, related_name="grades")
    sampled = models.ForeignKey(SampledAnswer, on_delete=models.CASCADE, related_name="grades")
    score = models.PositiveSmallIntegerField()
    graded_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["judge", "sampled"], name="person_grade_once"),
            models.CheckConstraint(condition=Q(score__lte=HIGHEST), name="person_grade_in_range"),
        ]

    def __str__(self) -> str:
        return str(self.score)
