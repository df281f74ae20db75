"""A server of which every question knows its own kind of misbehaviour, by its number."""

import re

from tests.fakes.openai_server import OpenAiServer

GOOD = '{"steps": ["Get a bowl"]}'
# What is done, what is recorded of it, and whether it was paid for.
KINDS = (
    ({"do": "answer", "text": GOOD}, "answered", ""),
    ({"do": "answer", "text": GOOD, "latency_s": 30}, "failed", "timed_out"),
    ({"do": "rate_limit", "retry_after": 0}, "failed", "rate_limited"),
    ({"do": "server_error"}, "failed", "server_failed"),
    ({"do": "refuse"}, "unusable", "refused"),
    ({"do": "empty"}, "unusable", "empty"),
    ({"do": "truncate"}, "unusable", "cut_off"),
    ({"do": "not_json"}, "unusable", "not_json"),
    ({"do": "wrong_schema"}, "unusable", "wrong_schema"),
    # The right schema with the wrong content is a good answer here: what it says is for the judge.
    ({"do": "answer", "text": '{"steps": []}'}, "answered", ""),
    ({"do": "reject"}, "failed", "rejected"),
    ({"do": "hang_up"}, "failed", "no_connection"),
    ({"do": "page"}, "failed", "rejected"),
)


def kind_of(prompt):
    return KINDS[int(re.search(r"\d+", prompt).group()) % len(KINDS)]


def prompt_of(body):
    """Return the question of a request, in either protocol."""
    if "messages" in body:
        return body["messages"][1]["content"]
    (message,) = body["input"]
    return "".join(part["text"] for part in message["content"])


class MisbehavingServer(OpenAiServer):
    """Plays the act that belongs to the question."""

    def next_act(self):
        act, _, _ = kind_of(prompt_of(self.asked[-1].body))
        return {"latency_s": self.latency_s, **act}
