"""What it would cost to ask a model, estimated before anything is sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice

from django.core.exceptions import ValidationError

from annotation.models import User
from benchmarks.engine import task as engine
from benchmarks.engine.task import Stretch, Task, Turn, Variant
from benchmarks.models import AgentEndpoint, Item, ItemSet
from benchmarks.selectors.assessments import sampled
from benchmarks.selectors.item_sets import engine_item, task_of
from benchmarks.services.askable import (
    askable_endpoint,
    refuse_judges,
    usable_endpoint,
    usable_endpoints,
)
from benchmarks.services.asking import request_of
from benchmarks.services.assessments import (
    AskRequest,
    check_request,
    find_variant,
    named,
)
from benchmarks.services.examples import ExamplePool, example_pool
from benchmarks.services.item_sets import require_frozen
from benchmarks.services.pictures import picture_times, times_of_stretches
from generation.backends.text.model import Image, TextRequest
from generation.models import TextEndpoint
from generation.selectors.texts.calls import CHARACTERS_PER_TOKEN, highest_price
from generation.services.texts.asker import reasoning_room

# The price of more items is extrapolated from this many.
PRICED_ITEMS = 200


@dataclass(frozen=True, slots=True)
class AskPrice:
    """How many requests asking takes, and the highest cost if each is sent once.

    `usd` is None where the model has no prices. `judges` have prices of their own, not in `usd`.
    `beside` are titles of those whose price is not known before: how often they are asked depends
    on the answers.
    """

    name: str
    item_count: int
    request_count: int
    usd: Decimal | None
    judges: tuple["AskPrice", ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        return " ".join(
            [
                self._priced_words(),
                *(f"What the {title.lower()} is asked comes on top." for title in self.beside),
            ]
        )

    def _priced_words(self) -> str:
        if not self.judges:
            return f"{self._words('request')}."
        judges = "; ".join(judge._words("grade") for judge in self.judges)
        prices = [self.usd, *(judge.usd for judge in self.judges)]
        known = [price for price in prices if price is not None]
        unknown = "" if len(known) == len(prices) else ", without those whose prices are not known"
        total = f"Together at most about ${sum(known, Decimal(0)):.4f}{unknown}"
        return f"{self._words('request')}. Judges come on top: {judges}. {total}."

    def _words(self, request: str) -> str:
        requests = f"{self.request_count:,} {request}{'s' * (self.request_count != 1)}"
        items = f"{self.item_count:,} item{'s' * (self.item_count != 1)}"
        cost = "its prices are not known" if self.usd is None else f"at most about ${self.usd:.4f}"
        return f"{self.name}: {requests} about {items}, {cost}"


def asking_price(*, item_set: ItemSet, request: AskRequest, actor: User | None) -> AskPrice:
    """Price a request to ask a model; raises ValidationError by field as asking does."""
    require_frozen(item_set)
    check_request(request)
    endpoint = askable_endpoint(actor, request.endpoint)
    task, variant = task_of(item_set), find_variant(item_set, request.variant)
    pictures = request.pictures if endpoint.supports_images else 0
    item_count = sum(len(unit) for unit in sampled(item_set, request.limit))
    rows = (item for unit in sampled(item_set, request.limit) for item in unit)
    priced = list(islice(rows, PRICED_ITEMS))
    count = item_count * request.repeats
    each_time = [task.request_count(engine_item(row, with_truth=False)) for row in priced]
    mean_count = sum(each_time) / len(each_time) if each_time else 1
    asked_count = round(count * variant.request_count * mean_count)
    if isinstance(endpoint, AgentEndpoint):
        each = endpoint.price_per_question
        usd = None if each is None else each * asked_count
    else:
        # As in the requests: each assessment has its own detail.
        endpoint.image_detail = request.picture_detail
        pool = example_pool(item_set, variant)
        usd = mean_price(endpoint, _requests(pool, priced, pictures), asked_count)
    refuse_judges(actor, item_set, request.judges)
    judges = []
    for public_id in dict.fromkeys(request.judges if task.is_judged else ()):
        judge = usable_endpoint(usable_endpoints(actor), public_id)
        grades = list(_grade_requests(task, variant, priced))
        grade_count = round(count * max(1, len(grades) / len(priced)))
        usd_of_grades = mean_price(judge, grades, grade_count)
        judges.append(AskPrice(_name(judge), item_count, grade_count, usd_of_grades))
    name = named(_name(endpoint), variant)
    beside = tuple(task.roles(item_set.settings).values())
    return AskPrice(name, item_count, asked_count, usd, tuple(judges), beside)


def mean_price(
    endpoint: TextEndpoint, requests: Iterable[TextRequest], count: int
) -> Decimal | None:
    """The highest cost of so many requests like these; None where the model has no prices."""
    room = reasoning_room(endpoint)
    prices = [
        highest_price(endpoint, replace(asked, max_tokens=asked.max_tokens + room))
        for asked in requests
    ]
    known = [price for price in prices if price is not None]
    return sum(known, Decimal(0)) / len(known) * count if known else None


def _name(endpoint: TextEndpoint | AgentEndpoint) -> str:
    return f"{endpoint.name} ({endpoint.model_name})"


def _grade_requests(task: Task, variant: Variant, rows: Iterable[Item]) -> Iterator[TextRequest]:
    """What a judge is asked, about answers as long as a model may give: they are not there yet."""
    for item in map(engine_item, rows):
        [*_, last] = _prompts(task, variant, item, ())
        characters = CHARACTERS_PER_TOKEN * last.max_tokens
        for graded in task.judge_prompts(item, task.saying(item, "x" * characters)):
            yield request_of(task, graded)


def _requests(pool: ExamplePool, items: Iterable[Item], pictures: int) -> Iterator[TextRequest]:
    for item in items:
        try:
            shown = pool.drawn_for(item, 0)
        except ValueError as error:
            raise ValidationError({"variant": f"There are no examples: {error}."}) from error
        # A price needs the number of pictures, not what is on them.
        pictured = [row for row in (item, *(one.row for one in shown)) if row.video_id]
        count = sum(_picture_count(pool.task, row, pictures) for row in pictured)
        examples = tuple(one.item for one in shown)
        asked = engine_item(item, with_truth=False)
        for prompt in _prompts(pool.task, pool.variant, asked, examples):
            yield replace(request_of(pool.task, prompt), images=(Image(b"", ""),) * count)


def _picture_count(task: Task, row: Item, count: int) -> int:
    """How many pictures a request about an item has at most, with `count` of each stretch."""
    stretches = engine_item(row, with_truth=False).stretches or [
        Stretch(number, number + 0.5) for number in range(task.most_stretches)
    ]
    times = times_of_stretches(stretches, count) if stretches else picture_times(row, count)
    return len(times)


def _prompts(
    task: Task, variant: Variant, item: engine.Item, examples: tuple[engine.Item, ...]
) -> Iterator[engine.Prompt]:
    """All requests that an item may take, with replies as long as they may be."""
    turn = Turn(variant.name, examples)
    for _ in range(variant.request_count):
        yield (prompt := task.prompt(item, (), turn))
        reply = "x" * CHARACTERS_PER_TOKEN * prompt.max_tokens
        turn = replace(turn, replies=(*turn.replies, reply))
