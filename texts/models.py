"""The texts of a round, and what each person says of them.

Nobody who reads a text learns who made it, or what others said of it.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Round, StoredFigures, Take, Trace
from annotation.models.corpus import new_public_id
from texts.engine.deciding import DECIDING_PLACE
from texts.engine.vocabulary import NAME_CHARACTERS

TEXTS = "texts"
# Of the maker's own words for a text and its group, and of labels that people read.
KEY_CHARACTERS, LABEL_CHARACTERS = 100, 200
MARGIN_S, MOST_MARGIN_S = 2.0, 60.0


class TextRound(models.Model):
    """A round's verdicts (`engine.vocabulary.Vocabulary.to_dict`), and who handed its texts over.

    `origin` is the maker's own name for them ("dataset:Xk3..."), which no reader sees. With
    `is_blind_first` people answer the question of a text before they see the answer. The clip shows
    `margin_s` more on both sides of the stretch of a text.
    """

    round = models.OneToOneField(
        Round, on_delete=models.CASCADE, primary_key=True, related_name="texts"
    )
    vocabulary = models.JSONField()
    origin = models.CharField(max_length=100, db_index=True)
    is_blind_first = models.BooleanField(default=False)
    margin_s = models.FloatField(default=MARGIN_S)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(margin_s__gte=0, margin_s__lte=MOST_MARGIN_S), name="text_margin_known"
            ),
        ]

    def __str__(self) -> str:
        return f"texts of round {self.round_id}"


class TextRoundFigures(StoredFigures):
    """The figures of a round as they were last computed; verdicts may have come in since.

    `figures` is a `TextFigures` (`engine.figures`) whose people are named by their primary keys.
    """

    round = models.OneToOneField(
        Round, on_delete=models.CASCADE, primary_key=True, related_name="text_figures"
    )
    figures = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name_plural = "text round figures"

    def __str__(self) -> str:
        return f"figures of texts of round {self.round_id}"


class TextItem(models.Model):
    """A text on a stretch of the recording of `trace`, or of `take` where `trace` is null.

    `text` and `answer` can be edited by who reads them; `label` and the marked step (`step_index`,
    0-based, of the take) cannot. `source_key` is the maker's own id, `group` what figures are
    counted by; nobody who reads the text sees either.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="text_items")
    source_key = models.CharField(max_length=KEY_CHARACTERS)
    take = models.ForeignKey(Take, on_delete=models.PROTECT, related_name="+")
    trace = models.ForeignKey(
        Trace, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    start_s = models.FloatField(null=True, blank=True)
    end_s = models.FloatField(null=True, blank=True)
    step_index = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField()
    answer = models.TextField(blank=True)
    label = models.CharField(max_length=LABEL_CHARACTERS, blank=True)
    group = models.CharField(max_length=KEY_CHARACTERS, blank=True)

    class Meta:
        ordering = ["round", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["round", "source_key"], name="text_source_once"),
            models.CheckConstraint(
                condition=Q(start_s__isnull=True, end_s__isnull=True)
                | Q(start_s__gte=0, end_s__gte=models.F("start_s")),
                name="text_times_ordered",
            ),
        ]

    def __str__(self) -> str:
        return f"text {self.source_key} of round {self.round_id}"

    @property
    def recorded(self) -> Take | Trace:
        return self.trace or self.take


class TextVerdict(models.Model):
    """One person's place at a text: reserved, begun, then with a verdict.

    Places 1 and 2 are independent; 3 decides where these differ, and there is no other.
    `position` is the 0-based place in the person's queue. `reasons` are names of the vocabulary.
    `text` and `answer` hold what the person would have instead, `blind_answer` what was answered
    before the answer was shown. `seconds` is how long the page was in sight, never longer than
    since it was opened first.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="text_verdicts")
    item = models.ForeignKey(TextItem, on_delete=models.CASCADE, related_name="verdicts")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="text_verdicts"
    )
    place = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    verdict = models.CharField(max_length=NAME_CHARACTERS, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    note = models.TextField(blank=True)
    text = models.TextField(blank=True)
    answer = models.TextField(blank=True)
    blind_answer = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    given_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["round", "person", "position"]
        constraints = [
            models.UniqueConstraint(fields=["item", "place"], name="text_place_once"),
            models.UniqueConstraint(fields=["item", "person"], name="text_person_once"),
            models.CheckConstraint(
                condition=Q(place__gte=1, place__lte=DECIDING_PLACE), name="text_place_known"
            ),
            models.CheckConstraint(
                condition=Q(verdict="", given_at__isnull=True)
                | (~Q(verdict="") & Q(given_at__isnull=False, started_at__isnull=False)),
                name="text_verdict_is_given",
            ),
        ]
        indexes = [models.Index(fields=["person", "round", "position"], name="text_queue")]

    def __str__(self) -> str:
        return self.public_id
