"""A server of which every question knows its own kind of misbehaviour, by its number."""

import re

from tests.fakes.openai_server import OpenAiServer

GOOD = '{"steps": ["Get a bowl"]}'
# What is done, what is recorded of it, and whether it was paid for.
KINDS = (
    ({"do": "answer", "text": GOOD}, "answered", ""),
    ({"do": "answer", "text": GOOD, "latency_s": 30}, "failed", "NoAnswerInTimeError"),
    ({"do": "rate_limit", "retry_after": 0}, "failed", "RateLimitedError"),
    ({"do": "server_error"}, "failed", "ServerFailedError"),
    ({"do": "refuse"}, "unusable", "ModelRefusedError"),
    ({"do": "empty"}, "unusable", "EmptyAnswerError"),
    ({"do": "truncate"}, "unusable", "TruncatedError"),
    ({"do": "not_json"}, "unusable", "NotJsonError"),
    ({"do": "wrong_schema"}, "unusable", "WrongSchemaError"),
    # The right schema with the wrong content is a good answer here: what it says is for the judge.
    ({"do": "answer", "text": '{"steps": []}'}, "answered", ""),
    ({"do": "reject"}, "failed", "RejectedError"),
    ({"do": "hang_up"}, "failed", "ConnectionFailedError"),
    ({"do": "page"}, "failed", "RejectedError"),
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
