"""Agreement figures as they were last computed; ratings may have come in since."""

from django.db import models
from django.db.models import Q

from annotation.models.campaign import Campaign
from annotation.models.corpus import Dataset
from annotation.models.records import AT_WORK, Job, JobStatus


class StoredFigures(models.Model):
    """What rows of stored figures share: the job that computes them, and how old they are.

    `state` is how far their material was before it was read, so that later changes are noticed.
    """

    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    queued_at = models.DateTimeField(null=True, blank=True)
    state = models.JSONField(default=dict, blank=True)
    computed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def error(self) -> str:
        """Why the last attempt to compute them failed; needs `job` in the same query."""
        failed = self.job is not None and self.job.status == JobStatus.FAILED
        return self.job.error if self.job is not None and failed else ""

    @property
    def is_being_computed(self) -> bool:
        return self.job is not None and self.job.status in AT_WORK


class AgreementFigures(StoredFigures):
    """The figures of one scope of ratings under one set of options.

    `key` names both and the version of the computation, `scope` spells them out (see
    `FiguresScope` in `annotation.selectors.figures.figures`). They belong to a campaign or a data
    set and go with it. `state` is that of `rating_state`; `ratings_hash` is of the ratings that
    were read. `rows` are report rows, `comparisons` the differences between them, `viewing` the
    counts of each rater of a campaign by the rater's key.
    """

    key = models.CharField(max_length=64, unique=True)
    campaign = models.ForeignKey(
        Campaign, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    dataset = models.ForeignKey(
        Dataset, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    scope = models.JSONField(default=dict)
    ratings_hash = models.CharField(max_length=64, blank=True)
    rows = models.JSONField(default=list, blank=True)
    comparisons = models.JSONField(default=list, blank=True)
    viewing = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "agreement figures"
        constraints = [
            models.CheckConstraint(
                condition=Q(campaign__isnull=False, dataset__isnull=True)
                | Q(campaign__isnull=True, dataset__isnull=False),
                name="figures_of_campaign_or_dataset",
            ),
        ]

    def __str__(self) -> str:
        return f"figures {self.key[:8]}"
