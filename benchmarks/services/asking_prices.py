"""What it would cost to ask a model, estimated before anything is sent."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice

from annotation.models import User
from benchmarks.engine.task import Task
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.asking import request_of
from benchmarks.services.assessments import (
    AskRequest,
    check_request,
    sampled,
    usable_endpoint,
    usable_endpoints,
)
from benchmarks.services.item_sets import require_frozen
from benchmarks.services.pictures import picture_times
from generation.backends.text.model import Image, TextRequest
from generation.selectors.texts.calls import highest_price
from generation.services.texts.asker import reasoning_room

# The price of more items is extrapolated from this many.
PRICED_ITEMS = 200


@dataclass(frozen=True, slots=True)
class AskPrice:
    """How many requests asking takes, and the highest cost if each is sent once.

    `usd` is None where the model has no prices. Judges come on top.
    """

    name: str
    item_count: int
    request_count: int
    usd: Decimal | None

    @property
    def words(self) -> str:
        requests = f"{self.request_count:,} request{'s' * (self.request_count != 1)}"
        items = f"{self.item_count:,} item{'s' * (self.item_count != 1)}"
        cost = "its prices are not known" if self.usd is None else f"at most about ${self.usd:.4f}"
        return f"{self.name}: {requests} about {items}, {cost}. Judges come on top."


def asking_price(*, item_set: ItemSet, request: AskRequest, actor: User | None) -> AskPrice:
    """Price a request to ask a model; raises ValidationError by field as asking does."""
    require_frozen(item_set)
    check_request(request)
    endpoint = usable_endpoint(usable_endpoints(actor), request.endpoint, "endpoint")
    # As in the requests: each assessment has its own detail.
    endpoint.image_detail = request.picture_detail
    task, room = task_of(item_set), reasoning_room(endpoint)
    pictures = request.pictures if endpoint.supports_images else 0
    item_count = sum(len(unit) for unit in sampled(item_set, request.limit))
    rows = (item for unit in sampled(item_set, request.limit) for item in unit)
    prices = [
        highest_price(endpoint, replace(asked, max_tokens=asked.max_tokens + room))
        for asked in _requests(task, islice(rows, PRICED_ITEMS), pictures)
    ]
    known = [price for price in prices if price is not None]
    count = item_count * request.repeats
    usd = sum(known, Decimal(0)) / len(known) * count if known else None
    return AskPrice(f"{endpoint.name} ({endpoint.model_name})", item_count, count, usd)


def _requests(task: Task, items: Iterator[Item], pictures: int) -> Iterator[TextRequest]:
    for item in items:
        asked = request_of(task, task.prompt(engine_item(item, with_truth=False), ()))
        # A price needs the number of pictures, not what is on them.
        count = len(picture_times(item, pictures)) if item.video_id else 0
        yield replace(asked, images=(Image(b"", ""),) * count)
