"""What is kept of models while they are trained."""

from django.db import models

from benchmarks.models.assessments import Assessment


class TrainedSeed(models.Model):
    """A model of a trained participant, with one seed.

    `epochs` is the log so far, one list of values per epoch (`Epoch`); `weights_file`, below the
    media folder, holds what the next one goes on from. Once it is trained there is a `threshold`,
    `how` it was chosen, the `answering_epoch` whose weights answered, and the `scores` of the asked
    items by their row ids.
    """

    assessment = models.ForeignKey(Assessment, on_delete=models.CASCADE, related_name="seeds")
    seed = models.PositiveBigIntegerField()
    epochs = models.JSONField(default=list, blank=True)
    weights_file = models.CharField(max_length=200, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    how = models.CharField(max_length=100, blank=True)
    answering_epoch = models.PositiveIntegerField(null=True, blank=True)
    scores = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["assessment", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["assessment", "seed"], name="trained_seed_once"),
        ]

    def __str__(self) -> str:
        return f"seed {self.seed} of {self.assessment_id}"
