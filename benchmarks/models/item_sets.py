"""Item sets: frozen sets of questions with their truth."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Dataset, Job, Round, Video
from annotation.models.columns import one_of
from annotation.models.corpus import new_public_id
from benchmarks.engine.division import PARTS, TRAINING
from benchmarks.engine.shared_payloads import put_together
from generation.models import TextEndpoint

# A column of the tables is called `settings`.
USER = settings.AUTH_USER_MODEL


class ItemSet(models.Model):
    """The items that a task made from a data set, or from several.

    `dataset` is the one that it was made from, None where it was deleted or where there are
    several: these are the `sources`, in their order, which a set of one data set has none of.
    `source_ids` are the public ids of what it was asked to be made from, in the same order.

    `owner` and administrators see it; `is_shared` opens its items, not their truth, to every
    researcher. Its `job` makes the items and later freezes them; nobody sees any before `made_at`.
    From `frozen_at` on it never changes; `content_hash` is over the task, its settings and every
    item with its truth. Another set of the same name is the next `version`. `division`
    says how the items were divided into parts, `leaks` what the parts share, `left_out` how much of
    the data is not asked about, by the reason, with what was left out after a shortcut audit.
    `item_count` items are to be answered, the `test_items`; those of train and val are `examples`,
    given with their truth.
    `shortcuts` is what can be guessed without pictures (`services.shortcut_audits`), {} where that
    was never tried, and `shortcuts_hash` its own hash.
    `words_by` is the text model that wrote right words, "" where they are all from templates.
    `review` is the round of texts in which people review the right words before the freeze.
    `judges` are the text models that also those may let grade who may not see the truth, and
    `judge_servers` has the server of each, by its id, as it was when it was named.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1)
    task = models.CharField(max_length=64)
    task_version = models.PositiveIntegerField()
    settings = models.JSONField(default=dict, blank=True)
    seed = models.PositiveBigIntegerField(default=0)
    division = models.JSONField(default=dict, blank=True)
    leaks = models.JSONField(default=list, blank=True)
    left_out = models.JSONField(default=dict, blank=True)
    shortcuts = models.JSONField(default=dict, blank=True)
    shortcuts_hash = models.CharField(max_length=64, blank=True)
    dataset = models.ForeignKey(
        Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="item_sets"
    )
    # The name that its data sets, or its round, had when it was made.
    source = models.CharField(max_length=200)
    source_ids = models.JSONField(default=list, blank=True)
    owner = models.ForeignKey(
        USER, null=True, blank=True, on_delete=models.SET_NULL, related_name="item_sets"
    )
    is_shared = models.BooleanField(default=False)
    words_by = models.CharField(max_length=200, blank=True)
    review = models.ForeignKey(
        Round, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    judges = models.ManyToManyField(TextEndpoint, blank=True, related_name="+")
    judge_servers = models.JSONField(default=dict, blank=True)
    item_count = models.PositiveIntegerField(default=0)
    content_hash = models.CharField(max_length=64, blank=True)
    code_version = models.CharField(max_length=40, blank=True)
    job = models.OneToOneField(
        Job, null=True, blank=True, on_delete=models.PROTECT, related_name="item_set"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name", "version"], name="item_set_once"),
            models.CheckConstraint(condition=~Q(name=""), name="item_set_has_name"),
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
    def test_items(self) -> "models.QuerySet[Item]":
        return self.items.exclude(part__in=TRAINING)

    @property
    def examples(self) -> "models.QuerySet[Item]":
        return self.items.filter(part__in=TRAINING)


class ItemSetSource(models.Model):
    """One of several data sets that a set is made from; all of its items are in `part`, if any.

    `position` counts from 1. `name` tells it from the others of the set, and stays when the data
    set is deleted, after which nobody but its owner and administrators may see the set's truth.
    """

    item_set = models.ForeignKey(ItemSet, on_delete=models.CASCADE, related_name="sources")
    position = models.PositiveIntegerField()
    dataset = models.ForeignKey(
        Dataset, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    name = models.CharField(max_length=220)
    part = models.CharField(max_length=5, blank=True, choices=[(part, part) for part in PARTS])

    class Meta:
        ordering = ["item_set", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["item_set", "position"], name="item_set_source_position_once"
            ),
            models.UniqueConstraint(fields=["item_set", "name"], name="item_set_source_name_once"),
            one_of("part", ["", *PARTS], "item_set_source_part_known"),
        ]

    def __str__(self) -> str:
        return self.name


class SharedPayload(models.Model):
    """What the items of one recording have in common, by the names of the payload's entries.

    See `benchmarks.engine.shared_payloads`. `number` counts the documents of a set.
    """

    item_set = models.ForeignKey(
        ItemSet, on_delete=models.CASCADE, related_name="shared_payloads", db_index=False
    )
    number = models.PositiveIntegerField()
    content = models.JSONField()

    class Meta:
        ordering = ["item_set", "number"]
        constraints = [
            models.UniqueConstraint(fields=["item_set", "number"], name="shared_payload_once"),
        ]

    def __str__(self) -> str:
        return f"document {self.number} of {self.item_set_id}"


class Item(models.Model):
    """One question of a set. Participants never get `truth`, `groups` and the source's names.

    `key`, `recording` and `sequence` are opaque names (`OpaqueNames`) that reveal nothing about the
    source. Items are in the order of their keys. `guessed` is how many guessers of the shortcut
    audit were right, None where none guessed: it is shown only with the truth. `stretches`, as
    [start, end, pictures], and `told` are for asking alone, never downloaded (`engine.Item`).
    """

    item_set = models.ForeignKey(ItemSet, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=24)
    source_key = models.CharField(max_length=300)
    recording = models.CharField(max_length=24)
    sequence = models.CharField(max_length=24, blank=True)
    sequence_position = models.PositiveIntegerField(default=0)
    question = models.TextField(blank=True)
    own_payload = models.JSONField(default=dict, db_column="payload")
    # Neither index nor constraint in the database: they would cost more than the rest of a row, and
    # the documents of a set are written before its items and deleted after them.
    shared = models.ForeignKey(
        SharedPayload, null=True, blank=True, on_delete=models.DO_NOTHING, related_name="+",
        db_index=False, db_constraint=False,
    )  # fmt: skip
    choices = models.JSONField(default=list, blank=True)
    truth = models.JSONField(default=dict)
    stretches = models.JSONField(default=list, blank=True)
    told = models.JSONField(default=dict, blank=True)
    groups = models.JSONField(default=dict, blank=True)
    guessed = models.PositiveSmallIntegerField(null=True, blank=True)
    start_s = models.FloatField(null=True, blank=True)
    moment_s = models.FloatField(null=True, blank=True)
    part = models.CharField(max_length=40, blank=True)
    source_recording = models.CharField(max_length=300)
    take = models.CharField(max_length=300, blank=True)
    procedure = models.CharField(max_length=300, blank=True)
    person = models.CharField(max_length=300, blank=True)
    video = models.ForeignKey(
        Video, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["item_set", "position"]
        # Parts are counted and listed from this index, without reading the wide rows.
        indexes = [models.Index(fields=["item_set", "part", "position"], name="item_by_part")]
        constraints = [
            models.UniqueConstraint(fields=["item_set", "key"], name="item_key_once"),
            models.UniqueConstraint(fields=["item_set", "position"], name="item_position_once"),
            models.CheckConstraint(
                condition=Q(start_s__isnull=True, moment_s__isnull=True)
                | Q(start_s__gte=0, moment_s__gte=models.F("start_s")),
                name="item_times_ordered",
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def payload(self) -> dict[str, Any]:
        """What a participant reads. Lists of items prefetch `shared`."""
        own: dict[str, Any] = self.own_payload
        return own if self.shared is None else put_together(own, self.shared.content)
