"""What servers with models have in common: their address, owner and limits."""

from decimal import Decimal
from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.corpus import new_public_id
from annotation.models.people import user_column
from generation.backends.text.model import DEFAULT_TIMEOUT_S
from generation.models.setting_ranges import Range

CONCURRENCY = Range(1, 256)
TIMEOUT_S = Range(1, 900)
# US dollars per million tokens, or per second of clip; as much as the columns can store.
PRICE = Range(0, 999_999)


class Endpoint(models.Model):
    """A server with one of its models, and how often it may be asked.

    `owner` and administrators see and change it; `is_shared` lets every researcher of the site use
    it. The key is encrypted and sent to nobody but the server itself. `requests_per_minute` is
    empty if the server has no such limit.
    """

    # The names of such an endpoint in the audit log and in messages.
    WORD: ClassVar[str]
    TITLE: ClassVar[str]

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    name = models.CharField(max_length=100, unique=True)
    owner = user_column("%(class)ss")
    is_shared = models.BooleanField(default=False)
    base_url = models.CharField(max_length=500)
    model_name = models.CharField(max_length=200)
    encrypted_key = models.TextField(blank=True, editable=False)
    concurrency = models.PositiveSmallIntegerField(default=4, validators=[CONCURRENCY])
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, validators=[Range(1, 100_000)]
    )
    timeout_s = models.PositiveSmallIntegerField(
        default=int(DEFAULT_TIMEOUT_S), validators=[TIMEOUT_S]
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def has_key(self) -> bool:
        return bool(self.encrypted_key)


def price_column() -> "models.DecimalField[Decimal | None, Decimal | None]":
    """A column for a price in US dollars, empty if unknown."""
    return models.DecimalField(
        max_digits=10, decimal_places=4, null=True, blank=True, validators=[PRICE]
    )


def endpoint_constraints(word: str) -> list[models.BaseConstraint]:
    """The constraints of every kind of endpoint; their names begin with `word`."""
    return [
        models.CheckConstraint(condition=~Q(name=""), name=f"{word}_has_name"),
        models.CheckConstraint(
            condition=Q(concurrency__gte=1), name=f"{word}_concurrency_positive"
        ),
        models.CheckConstraint(
            condition=Q(requests_per_minute__isnull=True) | Q(requests_per_minute__gte=1),
            name=f"{word}_rate_positive",
        ),
    ]
