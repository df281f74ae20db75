"""An HTTP server that speaks the OpenAI protocol, chat completions and responses, and misbehaves.

`acts` are played one per request, the last one again and again; an act is a dictionary with `do`
and what belongs to it (see `Handler`). `asked` keeps every request that arrived, so that a test can
count what would have been paid.
"""

import json
import math
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.fakes.http_server import FakeServer, JsonAnswers, wait_of

ANSWER = {"do": "answer", "text": "Get a bowl."}
TOKENS_IN, TOKENS_OUT = 120, 30
PAUSE_S = 0.01
GATHERING_LIMIT_S = 60
CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
ERRORS = {
    "rate_limit": (429, "Too many requests", "rate_limit_exceeded"),
    "quota": (429, "You exceeded your current quota", "insufficient_quota"),
    "server_error": (500, "The server had an error", None),
    "overloaded": (503, "Overloaded", None),
    "blind": (500, "image input is not supported - hint: provide the mmproj", None),
    "reject": (400, "Invalid schema for response_format", None),
    "not_found": (404, "The model does not exist", "model_not_found"),
}
TEXTS = {"empty": "", "truncate": '{"steps": ["Get', "not_json": "Sure! Get a bowl."}
TEXTS |= {"wrong_schema": '{"other": 1}', "refuse": "I cannot help with that."}


@dataclass
class Asked:
    """One request that arrived; those of one `client_port` came over one connection."""

    path: str
    headers: dict
    body: dict
    at_s: float
    client_port: int


@dataclass
class OpenAiServer(FakeServer):
    """Runs while its `with` block does; `url` is the base URL for a client."""

    acts: list = field(default_factory=lambda: [ANSWER])
    latency_s: float = 0.0
    # Requests beyond so many wait until it is raised, and who asks stays in mid-work meanwhile.
    most_answered: float = math.inf
    # They get a blank now and then meanwhile, as from a server that sends what it has so far.
    drips: bool = False
    # Nobody is answered before so many have been inside at once, or it has become too late.
    least_inside: int = 0
    asked: list = field(default_factory=list)
    most_inside: int = 0
    inside: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def handler_class(self):
        return Handler

    @property
    def url(self):
        return f"{super().url}/v1"

    def next_act(self):
        return self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]


class Handler(JsonAnswers, BaseHTTPRequestHandler):
    def do_POST(self):
        fake = self.fake
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with fake.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            port = self.client_address[1]
            fake.asked.append(Asked(self.path, headers, body, time.monotonic(), port))
            number = len(fake.asked)
            act = fake.next_act()
            fake.inside += 1
            fake.most_inside = max(fake.most_inside, fake.inside)
        try:
            time.sleep(act.get("latency_s", fake.latency_s))
            ends_at = time.monotonic() + GATHERING_LIMIT_S
            while fake.most_inside < fake.least_inside and time.monotonic() < ends_at:
                time.sleep(PAUSE_S)
            if fake.drips:
                self.open_end()
            while number > fake.most_answered:
                time.sleep(PAUSE_S)
                if fake.drips:
                    self.wfile.write(b" ")
        finally:
            with fake.lock:
                fake.inside -= 1
        self.play(act, body)

    def open_end(self):
        """Begin an answer that ends with its connection."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("connection", "close")
        self.end_headers()

    def send_bytes(self, status, content, headers):
        if self.fake.drips:
            self.wfile.write(content)
        else:
            super().send_bytes(status, content, headers)

    def play(self, act, body):
        do = act["do"]
        if do == "hang_up":
            self.close_connection = True
        elif do == "redirect":
            self.send(307, {}, {"location": act["to"]})
        elif do == "say":
            self.send(200, act["document"])
        elif do == "page":
            self.send_bytes(200, b"<html>Log in</html>", {"content-type": "text/html"})
        elif do == "echo_key":
            self.error(
                401, f"Incorrect API key: {self.headers['authorization']}", "invalid_api_key"
            )
        elif do in ERRORS:
            self.error(*ERRORS[do], wait_of(act))
        elif refused_schema(body):
            self.error(400, "Invalid schema: 'oneOf' is not permitted", None)
        else:
            text = TEXTS.get(do, act.get("text", ""))
            make = chat_answer if self.path == CHAT else responses_answer
            self.send(200, make(do, text, body))

    def error(self, status, message, code, headers=None):
        self.send(status, {"error": {"message": message, "code": code, "type": "error"}}, headers)


def refused_schema(body):
    """Say whether strict mode would refuse the request for a keyword that it does not know."""
    return '"oneOf"' in json.dumps([body.get("response_format"), body.get("text")])


def chat_answer(do, text, body):
    refusal = text if do == "refuse" else None
    message = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
    finish = "length" if do == "truncate" else "stop"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{body['model']}-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": TOKENS_IN,
            "completion_tokens": TOKENS_OUT,
            "total_tokens": TOKENS_IN + TOKENS_OUT,
        },
    }


def responses_answer(do, text, body):
    part = {"type": "output_text", "text": text, "annotations": []}
    if do == "refuse":
        part = {"type": "refusal", "refusal": text}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
    is_cut = do == "truncate"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": f"{body['model']}-2026",
        "status": "incomplete" if is_cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "error": None,
        "output": [{**message, "content": [part]}],
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "usage": {
            "input_tokens": TOKENS_IN,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": TOKENS_OUT,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": TOKENS_IN + TOKENS_OUT,
        },
    }
