"""Question sets: questions about the steps of a data set with their answers, and who wrote them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Dataset, Job, Round, Video
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from benchmarks.engine.questions.kinds import Kind, Polarity
from generation.models import TextEndpoint

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL


class Author(models.TextChoices):
    """Who wrote a question."""

    TEMPLATE = "template", "Template"
    MODEL = "model", "Model"
    PERSON = "person", "Person"
    PUBLISHED = "published", "Published"


class QuestionState(models.TextChoices):
    """What has become of a question: `FAILED` a check, or a review said."""

    READY = "ready", "Ready"
    FAILED = "failed", "Failed a check"
    ACCEPTED = "accepted", "Accepted"
    EDITED = "edited", "Accepted as edited"
    REJECTED = "rejected", "Rejected"
    REPLACED = "replaced", "Replaced by an edit"


# The states that a freeze keeps: what passed the checks, or what a review accepted.
USABLE = (QuestionState.READY, QuestionState.ACCEPTED, QuestionState.EDITED)


class QuestionSet(models.Model):
    """Questions about the steps of one data set, made by templates or by a text model (`writer`).

    `owner` and administrators see it, since its answers are the truth of what is asked. Its `job`
    makes the questions and later freezes them; nobody sees any before `made_at`. From `frozen_at`
    on it never changes, and `content_hash` is over every question that was kept; before, over the
    samples. Another set of the same name is the next `version`. `left_out` is how many steps are
    not asked about, by the reason; `figures` the kinds by class and what can be guessed from the
    words alone. `review` is the round of texts whose verdicts decide what the freeze keeps.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1)
    dataset = models.ForeignKey(
        Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="question_sets"
    )
    # The name that its data set had when it was made.
    source = models.CharField(max_length=200)
    settings = models.JSONField(default=dict, blank=True)
    seed = models.PositiveBigIntegerField(default=0)
    owner = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="question_sets"
    )
    writer = models.ForeignKey(
        TextEndpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    # The name that the writer had when it was asked, "" for templates.
    writer_name = models.CharField(max_length=200, blank=True)
    budget_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    review = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    left_out = models.JSONField(default=dict, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    question_count = models.PositiveIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="question_set"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name", "version"], name="question_set_once"),
            models.CheckConstraint(condition=~Q(name=""), name="question_set_has_name"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"

    @property
    def is_made(self) -> bool:
        return self.made_at is not None

    @property
    def is_frozen(self) -> bool:
        return self.frozen_at is not None

    @property
    def written_by(self) -> str:
        return self.writer_name or "templates"

    @property
    def payer_key(self) -> str:
        """The key under which paid calls of this set are recorded."""
        return f"questions:{self.public_id}"


class Question(models.Model):
    """A question about one step, its `sample`, with the answer, in one version.

    An edit is a row of its own with the same position; `before` is the version that it replaces.
    `polarity` is the yes or no that its answer begins with. `about` is what it was written from:
    {"goal", "procedure", "step", "note"}, of which the note, what the data set says went wrong, is
    truth. `fault` says which check failed, or why a review rejected it. `source_row` is the row of
    another data set that a published pair was taken from, as that was when it was imported
    (`selectors.vqa_rows.SourceRow`), {} where none has it.
    """

    question_set = models.ForeignKey(
        QuestionSet, on_delete=models.CASCADE, related_name="questions"
    )
    position = models.PositiveIntegerField()
    sample = models.CharField(max_length=300)
    recording = models.CharField(max_length=300)
    video = models.ForeignKey(
        Video, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in Kind])
    polarity = models.CharField(
        max_length=3, blank=True, choices=[(one.value, one.value) for one in Polarity]
    )
    classes = models.JSONField(default=list)
    groups = models.JSONField(default=dict, blank=True)
    about = models.JSONField(default=dict, blank=True)
    source_row = models.JSONField(default=dict, blank=True)
    start_s = models.FloatField(null=True, blank=True)
    end_s = models.FloatField(null=True, blank=True)
    question = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    author = models.CharField(max_length=10, choices=Author.choices)
    state = models.CharField(
        max_length=10, choices=QuestionState.choices, default=QuestionState.READY
    )
    fault = models.TextField(blank=True)
    before = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="after"
    )

    class Meta:
        ordering = ["question_set", "position", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["question_set", "position"],
                condition=~Q(state=QuestionState.REPLACED),
                name="question_position_once",
            ),
            one_of("kind", Kind, "question_kind_known"),
            one_of("polarity", ["", *Polarity], "question_polarity_known"),
            one_of("author", Author.values, "question_author_known"),
            one_of("state", QuestionState.values, "question_state_known"),
            models.CheckConstraint(
                condition=Q(start_s__isnull=True, end_s__isnull=True)
                | Q(start_s__gte=0, end_s__gte=models.F("start_s")),
                name="question_times_ordered",
            ),
        ]

    def __str__(self) -> str:
        return self.question
