"""Short transactions around the rows of an endpoint's calls."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from annotation.selectors.saving import writing_turn
from generation.models import Endpoint
from generation.selectors.calls.admission import lock_endpoint


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, in turn."""
    with writing_turn(), transaction.atomic():
        yield


@contextmanager
def locked(endpoint: Endpoint) -> Iterator[None]:
    """Admit one request at a time; SQLite's transactions are one at a time anyway."""
    with writing():
        lock_endpoint(endpoint)
        yield
