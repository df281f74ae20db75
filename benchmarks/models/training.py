"""What is kept of models while they are trained."""

from django.db import models

from benchmarks.models.assessments import Assessment


class TrainedSeed(models.Model):
    """A model of a trained participant, with one seed; with folds, that which answers one of them.

    `epochs` is the log so far, one list of values per epoch (`Epoch`); `weights_file`, below the
    media folder, holds what the next one goes on from. Once it is trained there is the
    `answering_epoch` whose weights answered, `how` classes were told apart, by a `threshold` where
    there are two, and what was `said`: row id of an asked item, place of its sample, class and
    score.
    """

    assessment = models.ForeignKey(Assessment, on_delete=models.CASCADE, related_name="seeds")
    seed = models.PositiveBigIntegerField()
    fold = models.CharField(max_length=40, blank=True)
    epochs = models.JSONField(default=list, blank=True)
    weights_file = models.CharField(max_length=200, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    how = models.CharField(max_length=100, blank=True)
    answering_epoch = models.PositiveIntegerField(null=True, blank=True)
    said = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["assessment", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["assessment", "seed", "fold"], name="trained_seed_once"
            ),
        ]

    def __str__(self) -> str:
        return f"seed {self.seed} of {self.assessment_id}"
