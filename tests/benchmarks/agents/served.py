"""Agents and the assessor as tests run them: an application on a free port, in a thread."""

import json
import threading
import time
from dataclasses import dataclass, field

import uvicorn

from benchmarks.backends.a2a.cards import name_of
from benchmarks.backends.a2a.participant import participant_app, participant_card
from benchmarks.models import AgentEndpoint
from benchmarks.services.agents import read_agent_card
from generation.services.calls.keys import encrypted

STARTS_WITHIN_S, PAUSE_S = 120, 0.01


class Served:
    """Serves an application, which `app_at` makes for its address, while a `with` block runs."""

    def app_at(self, url):
        raise NotImplementedError

    def __enter__(self):
        config = uvicorn.Config(
            None, port=0, log_level="error", lifespan="off", timeout_graceful_shutdown=1
        )
        socket = config.bind_socket()
        self.url = f"http://127.0.0.1:{socket.getsockname()[1]}"
        config.app = self.app_at(self.url)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [socket]}, daemon=True
        )
        self._thread.start()
        ends_at = time.monotonic() + STARTS_WITHIN_S
        while not self._server.started and time.monotonic() < ends_at:
            time.sleep(PAUSE_S)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join()


@dataclass
class AnsweringAgent(Served):
    """Answers every question with what `answer` makes of the request; `asked` keeps them."""

    answer: object
    takes_pictures: bool = True
    asked: list = field(default_factory=list)
    # Another address for its card to name.
    card_url: str = ""

    def app_at(self, url):
        card = participant_card(
            name="Stub", version="1.2", url=self.card_url or url, takes_pictures=self.takes_pictures
        )

        def answered(request):
            self.asked.append(request)
            return self.answer(request)

        return participant_app(card, answered)


def yes(request):
    return json.dumps({"answer": "yes", "score": 0.75})


def agent_at(url, owner, **changes):
    """An agent of the owner's at an address, with its card read; the time-out is for answers."""
    fields = {"name": "An agent", "owner": owner, "base_url": url, **changes}
    key, timeout_s = fields.pop("api_key", ""), fields.pop("timeout_s", 60)
    endpoint = AgentEndpoint(**fields, timeout_s=60, encrypted_key=encrypted(key))
    endpoint.model_name = name_of({})
    endpoint.save()
    assert read_agent_card(endpoint) == ""
    endpoint.timeout_s = timeout_s
    endpoint.save()
    return endpoint
