"""Agreement figures as they were last computed; ratings may have come in since."""

from django.db import models
from django.db.models import Q

from annotation.models.campaign import Campaign
from annotation.models.corpus import Dataset
from annotation.models.records import ComputedByJob
from annotation.models.round import Round


class StoredFigures(ComputedByJob):
    """What rows of stored figures share: the job that computes them, and how old they are.

    `state` is how far their material was before it was read, so that later changes are noticed.
    """

    queued_at = models.DateTimeField(null=True, blank=True)
    state = models.JSONField(default=dict, blank=True)
    computed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True


class AgreementFigures(StoredFigures):
    """The figures of one scope of ratings under one set of options.

    `key` names both and the version of the computation, `scope` spells them out (see
    `FiguresScope` in `annotation.selectors.figures.figures`). They belong to a campaign or a data
    set and go with it. `state` is that of `rating_state`; `ratings_hash` is of the ratings that
    were read. `rows` are report rows, `comparisons` the differences between them, `viewing` the
    counts of each rater of a campaign by the rater's key. `scales` say how much there is in what
    was rated, one for each data set and round in the order of the rows.
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
    scales = models.JSONField(default=list, blank=True)

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


class RaterRoundFigures(StoredFigures):
    """What is said of the raters of one round, of every two of them, and of the audit to come.

    `content` is `annotation.selectors.figures.stored_raters.RatersContent` as an object. `figures`
    are `RaterFigures` by the names of the raters, of which pages show some.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="rater_figures")
    content = models.JSONField(default=dict, blank=True)
    figures = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "figures of raters"

    def __str__(self) -> str:
        return f"raters of round {self.round_id}"


class RaterPairs(models.Model):
    """What is said of every two raters of a round on one metric.

    `rows` are lists, one for every two in the order of their names: shared units, shared traces,
    alpha, why there is none. They grow with the square of the raters, so that a page reads those of
    its metric only.
    """

    figures = models.ForeignKey(RaterRoundFigures, on_delete=models.CASCADE, related_name="pairs")
    metric = models.CharField(max_length=32)
    rows = models.JSONField(default=list)

    class Meta:
        verbose_name_plural = "pairs of raters"
        constraints = [
            models.UniqueConstraint(fields=["figures", "metric"], name="pairs_once_per_metric")
        ]

    def __str__(self) -> str:
        return f"pairs on {self.metric}"


class LikelyTruthFigures(StoredFigures):
    """Who is right in a campaign, by the model of Dawid and Skene, round by round.

    `habits` are `RaterHabit` and `reasons` texts of `annotation.selectors.figures.who_is_right`.
    """

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="likely_truth")
    habits = models.JSONField(default=list, blank=True)
    reasons = models.JSONField(default=list, blank=True)

    class Meta:
        verbose_name_plural = "figures of who is right"

    def __str__(self) -> str:
        return f"who is right in campaign {self.campaign_id}"


class LikelyValue(models.Model):
    """How likely one value of one event is the true one: a `LikelyAnswer` as a row."""

    figures = models.ForeignKey(LikelyTruthFigures, on_delete=models.CASCADE, related_name="values")
    dataset = models.TextField()
    rounds = models.TextField()
    metric = models.TextField()
    trace = models.TextField()
    event = models.TextField()
    value = models.TextField()
    given = models.PositiveIntegerField()
    raters = models.PositiveIntegerField()
    is_likeliest = models.BooleanField()
    posterior = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    step_words = models.TextField(blank=True)

    class Meta:
        ordering = ["figures", "pk"]
        indexes = [models.Index(fields=["figures", "is_likeliest", "posterior"])]

    def __str__(self) -> str:
        return f"{self.metric} of {self.event} is {self.value}"


class DrawnPicture(StoredFigures):
    """A picture of figures, as its files for pages and for papers once a worker has drawn it.

    `key` names what it shows and how it is drawn (see `picture_key`), so that it is of those very
    figures. `picture` is what `picture_to_dict` makes of it. It goes with its campaign or data set.
    """

    key = models.CharField(max_length=64, unique=True)
    campaign = models.ForeignKey(
        Campaign, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    dataset = models.ForeignKey(
        Dataset, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    picture = models.JSONField(default=dict)
    svg = models.BinaryField(default=b"")
    pdf = models.BinaryField(default=b"")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(campaign__isnull=False, dataset__isnull=True)
                | Q(campaign__isnull=True, dataset__isnull=False),
                name="picture_of_campaign_or_dataset",
            ),
        ]

    def __str__(self) -> str:
        return f"picture {self.key[:8]}"
