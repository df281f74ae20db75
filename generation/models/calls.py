"""What all paid calls have in common, whatever they ask for: the call, its attempts, its readers.

A kind of calls has three tables with the columns of these, each with what is its own; the core in
`generation.services.calls` works with any of them.
"""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from generation.backends.exceptions import Outcome

OUTCOMES = [(outcome.value, outcome.label) for outcome in Outcome]
VALUES = [value for value, _ in OUTCOMES]


class Paid(models.Model):
    """Who pays: a `payer` by its key, as "run:abc", and which `part` of it, as the take's position.

    The key is empty where nobody keeps a budget, the part where the payer has none.
    """

    payer = models.CharField(max_length=64, blank=True)
    part = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


class Call(Paid):
    """One question and what became of it; asked again, it is read from here.

    `key` hashes all that decides the answer: server, model, the whole question, and its repeat
    number (`sample` of the parameters). A kind adds the columns of the question and of the answer,
    `endpoint` and `status`. `payer` and `part` are the last that asked, and so the ones that paid.
    `price` is what the answer cost, in US dollars, empty where that is not known.
    """

    # Status while the question is asked, and where no answer came of it.
    ASKING: ClassVar[str]
    FAILED: ClassVar[str]
    # Those for good: the answer is read, and never asked for again.
    SETTLED: ClassVar[tuple[str, ...]]
    # Columns that are emptied when the question is asked again.
    ASKED_AGAIN: ClassVar[dict[str, object]] = {}

    key = models.CharField(max_length=64, unique=True)
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    error_kind = models.CharField(max_length=16, choices=OUTCOMES, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ["pk"]
        constraints = [one_of("error_kind", ["", *VALUES], "%(class)s_error_kind_known")]
        # The price is in it, so that sums need not read long texts.
        indexes = [
            models.Index(fields=["payer", "part", "status", "price"], name="%(class)s_by_payer")
        ]

    @classmethod
    def table_of(cls, relation: str) -> Any:
        """The table behind `attempts`, `uses` or `endpoint` of this kind."""
        return cls._meta.get_field(relation).related_model


class Attempt(Paid):
    """One request that went out for a call, written before it goes; a kind adds `call`, `endpoint`.

    An attempt without `ended_at` whose lease ran out belongs to a process that died: whether the
    server answered, and was paid, is not known. `reserved_price` is the most that it can cost,
    `price` what it did, in US dollars; `is_free` where it surely cost nothing. `resumes` says that
    it asks again for what an earlier attempt ordered. `asked_by` is who is told to others that
    wait.
    """

    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    resumes = models.BooleanField(default=False)
    reserved_price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    price = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    is_free = models.BooleanField(default=False)
    outcome = models.CharField(max_length=16, choices=OUTCOMES, blank=True)
    reason = models.TextField(blank=True)
    asked_by = models.CharField(max_length=200, blank=True)

    class Meta:
        abstract = True
        ordering = ["pk"]
        constraints = [one_of("outcome", ["", *VALUES], "%(class)s_outcome_known")]
        indexes = [
            models.Index(fields=["endpoint", "started_at"], name="%(class)s_by_start"),
            models.Index(
                fields=["endpoint", "lease_until"],
                condition=Q(ended_at__isnull=True),
                name="%(class)s_open",
            ),
            # All that is summed up before every request of somebody with a budget.
            models.Index(
                fields=["payer", "is_free", "price", "reserved_price"], name="%(class)s_by_payer"
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk}"

    @property
    def may_have_cost(self) -> bool:
        """Whether it may have been paid for without an answer to show for it."""
        return self.price is None and not self.is_free and self.reserved_price is not None

    @property
    def seconds(self) -> float | None:
        """How long it took, None while it goes on."""
        return None if self.ended_at is None else (self.ended_at - self.started_at).total_seconds()


class Use(Paid):
    """Somebody who read an answer that somebody else had paid for; a kind adds `call`."""

    used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["payer", "part", "call"], name="%(class)s_once")
        ]

    def __str__(self) -> str:
        return f"read by {self.payer}/{self.part}"
