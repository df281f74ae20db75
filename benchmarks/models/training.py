"""Models in training: their progress and what they answered."""

from django.db import models

from benchmarks.models.assessments import Assessment


class TrainedSeed(models.Model):
    """A model of a trained participant: one seed, and with folds the fold that it answers.

    `epochs` is the log so far, a list of values per look at val (`Epoch`); `weights_file`, relative
    to the media folder, is what training resumes from. A trained model has the `answering_epoch`
    whose weights answered, `how` its class was chosen, the `threshold` where there are two classes,
    and its predictions, `said`: row id of the item, place of its sample, class and score.
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
