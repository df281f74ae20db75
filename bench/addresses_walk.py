"""Asks every address of the site that answers a GET, and measures what an answer costs.

The routes come from the URL conf, and what fills their names from what there is: of every model
some rows of the large world and some of the furnished one.
"""

import functools
import gc
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from itertools import chain
from typing import Any

from django.apps import apps
from django.db import connection
from django.http.response import HttpResponseBase
from django.test import Client

from annotation.models import User
from bench.measure import forget_peak, peak_memory_bytes
from tests.annotation.drawn import draw_all
from tests.routes import own_routes
from tests.site.furnished import KINDS, addresses_of

# Of each model so many rows of the large world (the first ones) and of the furnished one.
LARGE_ROWS, FURNISHED_ROWS = 2, 3
ADDRESSES_OF_ROUTE = 8
RUNS = 3
MEGABYTE = 1e6
# Ends the session of who asks.
LEFT_OUT = {"logout/"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What the dearest address of a route costs: the first byte of a streamed answer, else all.

    `megabytes` is what sending a streamed answer to its end added to the peak of memory.
    """

    address: str
    queries: int
    cpu_ms: float
    kilobytes: float
    megabytes: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class People:
    """Clients of who may see something at an address, and how many rows the large world had."""

    clients: tuple[Client, ...]
    ids: dict[str, list[str]]


def highest_keys() -> dict[str, int]:
    """The newest row of each model that addresses name."""
    names = {*KINDS.values(), "benchmarks.Item", "generation.TakeClip"}
    newest = ((name, apps.get_model(name).objects.order_by("pk").last()) for name in names)
    return {name: 0 if row is None else row.pk for name, row in newest}


def chosen_ids(large: dict[str, int]) -> dict[str, list[str]]:
    """Public ids by model: some up to the newest keys of the large world, some of the rest."""
    ids: dict[str, list[str]] = {}
    for model in {*KINDS.values(), "benchmarks.Item", "generation.TakeClip"}:
        field = {"benchmarks.Item": "key", "generation.TakeClip": "clip_id"}.get(model, "public_id")
        rows = apps.get_model(model).objects.order_by("pk")
        first = rows.filter(pk__lte=large.get(model, 0)).values_list(field, flat=True)
        rest = rows.filter(pk__gt=large.get(model, 0)).values_list(field, flat=True)
        ids[model] = [*first[:LARGE_ROWS], *rest[:FURNISHED_ROWS]]
    return ids | {"items": ids["benchmarks.Item"], "clips": ids["generation.TakeClip"]}


def entered(users: Iterable[User]) -> tuple[Client, ...]:
    clients = []
    for user in users:
        client = Client(raise_request_exception=False, headers={"host": "localhost"})
        client.force_login(user)
        clients.append(client)
    return tuple(clients)


def get_routes() -> list[str]:
    return [route for route in own_routes() if route not in LEFT_OUT]


def dearest_of(route: str, people: People) -> Cost | None:
    """What the slowest address of a route costs whom it answers, with the most queries of any.

    All are asked twice; the time is the least of three of the slowest. None where nobody gets any.
    """
    asked: list[tuple[Cost, Client]] = []
    for address in addresses_of(route, people.ids, ADDRESSES_OF_ROUTE):
        for client in people.clients:
            status, cost = _ask(address, client)
            if status in (HTTPStatus.ACCEPTED, HTTPStatus.FOUND) and draw_all():
                status, cost = _ask(address, client)
            if status == HTTPStatus.METHOD_NOT_ALLOWED:
                return None
            if status == HTTPStatus.OK:
                # The first answer may compute figures of few ratings and store them.
                # And what it loads would make whatever is asked first the slowest.
                stored = _ask(address, client)[1]
                queries, cpu_ms = min(cost.queries, stored.queries), min(cost.cpu_ms, stored.cpu_ms)
                asked.append((replace(cost, queries=queries, cpu_ms=cpu_ms), client))
    if not asked:
        return None
    slowest, client = max(asked, key=lambda item: item[0].cpu_ms)
    # The first answers of a process load modules and templates.
    again = [_ask(slowest.address, client)[1] for _ in range(RUNS - 1)]
    return replace(
        min([slowest, *again], key=lambda cost: cost.cpu_ms),
        queries=max(cost.queries for cost, _ in asked),
        megabytes=max(cost.megabytes for cost, _ in asked),
    )


@functools.cache
def _kept_answers() -> list[Any]:
    """What the selectors of this process keep of earlier answers."""
    # By its type: a lazy object would be made by being asked for its class.
    found = [item for item in gc.get_objects() if type(item) is functools._lru_cache_wrapper]
    return [item for item in found if ".selectors." in item.__module__]


def forget_answers() -> None:
    for kept in _kept_answers():
        kept.cache_clear()


def _ask(address: str, client: Client) -> tuple[int, Cost]:
    """The status and the cost of one answer by a process that has kept nothing."""
    queries = 0
    forget_answers()

    def counting(execute: Any, *arguments: Any) -> Any:
        nonlocal queries
        queries += 1
        return execute(*arguments)

    with connection.execute_wrapper(counting):
        started = time.process_time()
        answer = client.get(address)
        chunks = _chunks_of(answer)
        first = next(chunks, b"")
        seconds = time.process_time() - started
    if not answer.streaming:
        return answer.status_code, Cost(address, queries, 1000 * seconds, len(first) / 1000)
    forget_peak()
    before = peak_memory_bytes()
    size = sum(map(len, chain([first], chunks)))
    added = (peak_memory_bytes() - before) / MEGABYTE
    return answer.status_code, Cost(address, queries, 1000 * seconds, size / 1000, added)


def _chunks_of(answer: HttpResponseBase) -> Iterator[bytes]:
    return iter(answer) if answer.streaming else iter([answer.content])
