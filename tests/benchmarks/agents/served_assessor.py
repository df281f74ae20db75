"""The assessor in a thread, and a stock client of the SDK that asks it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
from a2a.client import ClientConfig, create_client
from a2a.helpers import new_data_message
from a2a.types import Role, SendMessageRequest
from google.protobuf.json_format import MessageToDict
from rest_framework.authtoken.models import Token

from benchmarks.backends.a2a.assessor import assessor_app, assessor_card
from tests.benchmarks.agents.served import Served


class ServedAssessor(Served):
    def __init__(self, site):
        self._site = site

    def app_at(self, url):
        return assessor_app(assessor_card(url=url, version="1"), self._site)


def token_of(user):
    return Token.objects.get_or_create(user=user)[0].key


def request_for(agent_url, item_set, **config):
    named = f"{item_set.name}@{item_set.version}"
    return {"participants": {"participant": agent_url}, "config": {"item_set": named, **config}}


def asked(url, token, use):
    """What `use` returns of a client of the assessor at an address."""

    async def connected():
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            client = await create_client(url, ClientConfig(httpx_client=http, streaming=True))
            return await use(client)

    return run_apart(connected())


def run_apart(coroutine):
    """What it returns, run in a thread: in this one the event loop of a browser may run."""
    with ThreadPoolExecutor(1) as own:
        return own.submit(asyncio.run, coroutine).result()


async def events_of(stream):
    """Every event of a stream as (kind, JSON)."""
    events = []
    async for event in stream:
        kind = event.WhichOneof("payload")
        events.append((kind, MessageToDict(getattr(event, kind))))
    return events


def assess(url, token, request, **message):
    """Send a request and return all events of its stream."""

    async def use(client):
        sent = new_data_message(request, role=Role.ROLE_USER)
        for name, value in message.items():
            setattr(sent, name, value)
        return await events_of(client.send_message(SendMessageRequest(message=sent)))

    return asked(url, token, use)


def states_of(events):
    states = [
        event.get("status", {}).get("state") for kind, event in events if kind != "artifact_update"
    ]
    return [state.removeprefix("TASK_STATE_") for state in states if state]


def results_in(events):
    [artifact] = [event["artifact"] for kind, event in events if kind == "artifact_update"]
    return artifact["parts"][0]["data"]
