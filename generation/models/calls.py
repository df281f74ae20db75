"""What all kinds of paid calls have in common: the call, its attempts, and who read its answer.

A kind of calls has three tables, each with these columns and its own; `generation.services.calls`
works with any of them.
"""

from decimal import Decimal
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.columns import one_of
from generation.backends.exceptions import Outcome

OUTCOMES = [(outcome.value, outcome.label) for outcome in Outcome]
VALUES = [value for value, _ in OUTCOMES]


class Paid(models.Model):
    """Who pays: a `payer` by its key, as "run:abc", and which `part` of it, as the take's position.

    The key is empty if no spending is summed, the part if the payer has none.
    """

    payer = models.CharField(max_length=64, blank=True)
    part = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        abstract = True


class Call(Paid):
    """One question with its answer; if it is asked again, the answer is read from here.

    `key` hashes everything that decides the answer: server, model, the whole question, and its
    repeat number (`sample` in the parameters). A kind adds the columns of question and answer,
    `endpoint` and `status`. `payer` and `part` are the last that asked, and so the ones that paid.
    `price` is what the answer cost, in US dollars, empty if unknown.
    """

    # The status while the question is being asked, and when it got no answer.
    ASKING: ClassVar[str]
    FAILED: ClassVar[str]
    # The statuses with a final answer, which is read and never asked for again.
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
        # The price is included, so that sums need not read rows with long texts.
        indexes = [
            models.Index(fields=["payer", "part", "status", "price"], name="%(class)s_by_payer")
        ]

    @classmethod
    def table_of(cls, relation: str) -> Any:
        """The table behind `attempts`, `uses` or `endpoint` of this kind."""
        return cls._meta.get_field(relation).related_model


class Attempt(Paid):
    """One request for a call, written before it goes out; a kind adds `call` and `endpoint`.

    An attempt without `ended_at` whose lease ran out belongs to a process that died: nobody knows
    whether the server answered and charged. `reserved_price` is the most that it can cost, `price`
    what it did, in US dollars; `is_free` if it surely cost nothing. `resumes`: it fetches what an
    earlier attempt ordered. `asked_by` is the name that others who wait for it are shown.
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
            models.Index(fields=["payer", "part"], name="%(class)s_by_payer"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.pk}"

    @property
    def may_have_cost(self) -> bool:
        """Whether it may have been paid for without bringing an answer."""
        return self.price is None and not self.is_free and self.reserved_price is not None

    @property
    def highest_price(self) -> Decimal:
        """What it counts as in the sum of its payer, in US dollars."""
        if self.is_free:
            return Decimal(0)
        return self.price if self.price is not None else self.reserved_price or Decimal(0)

    @property
    def seconds(self) -> float | None:
        """How long it took, None while it goes on."""
        return None if self.ended_at is None else (self.ended_at - self.started_at).total_seconds()


class Use(Paid):
    """A payer that read an answer which another had paid for; a kind adds `call`."""

    used_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["payer", "part", "call"], name="%(class)s_once")
        ]

    def __str__(self) -> str:
        return f"read by {self.payer}/{self.part}"


class PayerSum(models.Model):
    """What a payer has spent and may still have to pay, for calls of every kind.

    It is changed in the transaction that writes an attempt or its price, and so is always the sum
    over the payer's attempts. `units` are 1e-8 US dollars, the last digit of a price: SQLite knows
    no exact decimals.
    """

    payer = models.CharField(max_length=64, primary_key=True)
    units = models.BigIntegerField()

    def __str__(self) -> str:
        return f"sum of {self.payer}"
