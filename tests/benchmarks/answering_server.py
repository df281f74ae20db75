"""A model server whose answers, and misbehaviour, depend only on the prompt.

The same prompt always gets the same answer, so that the answers of a killed assessment can be
compared with those of an undisturbed one. `bad_share` of the prompts are treated badly, each in its
own way: 429, 500 or a closed connection the first time, prose, broken JSON, an answer that is cut
off or refused, one with its fields in another order, one that comes byte by byte. With `fates`
every new prompt gets the next of them, among them two that outlast any time-out: silence, and bytes
without end.
"""

import hashlib
import json
import time
from dataclasses import dataclass, field

from tests.fakes.openai_server import Handler, OpenAiServer, chat_answer

LASTING = ("prose", "broken", "truncate", "refuse", "slow_drip")
PASSING = ("rate_limit", "server_error")
ENDLESS = ("silence", "endless_drip")
ALL_FATES = ("answer", *LASTING, *PASSING, *ENDLESS, "hang_up", "other_order")
PROSE = "Well, that is hard to say. I would have to think about it for a long time."
DRIP_S = 0.002
# Answers overtake each other by as much.
MOST_LATENCY_S = 0.02
# Half of it is the time-out, which a busy machine must not reach either.
ENDLESS_S = 8.0


@dataclass
class AnsweringServer(OpenAiServer):
    """`answers` gives the text to a request's body; `sent` keeps the answers by prompt."""

    answers: object = None
    bad_share: float = 0.0
    fates: tuple = ()
    seen: dict = field(default_factory=dict)
    met: dict = field(default_factory=dict)
    sent: dict = field(default_factory=dict)
    paid: list = field(default_factory=list)

    @property
    def handler_class(self):
        return AnsweringHandler

    def fate_of(self, text):
        if self.fates:
            return self.met.setdefault(text, self.fates[len(self.met) % len(self.fates)])
        number = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)
        if number % 1000 >= 1000 * self.bad_share:
            return "answer"
        kinds = LASTING + PASSING
        return kinds[number // 1000 % len(kinds)]


class AnsweringHandler(Handler):
    def play(self, act, body):
        fake = self.fake
        text = words_of(body)
        with fake.lock:
            times = fake.seen[text] = fake.seen.get(text, 0) + 1
            fate = fake.fate_of(text)
        if fate in (*PASSING, "hang_up") and times == 1:
            super().play({"do": fate}, body)
            return
        with fake.lock:
            fake.paid.append(text)
        if fate == "silence":
            time.sleep(ENDLESS_S)
            return
        if fake.fates:
            time.sleep(
                MOST_LATENCY_S * int(hashlib.sha256(text.encode()).hexdigest()[:2], 16) / 255
            )
        answer = fake.answers(body)
        if fate == "prose":
            answer = PROSE
        elif fate == "broken":
            answer = answer[:6] + "{["
        elif fate == "other_order":
            answer = json.dumps(dict(reversed(json.loads(answer).items())))
        do = fate if fate in {"truncate", "refuse"} else "answer"
        answer = "I cannot help with that." if fate == "refuse" else answer
        with fake.lock:
            fake.sent[text] = answer
        if fate in {"slow_drip", "endless_drip"}:
            self.drip(chat_answer(do, answer, body), is_endless=fate == "endless_drip")
        else:
            self.send(200, chat_answer(do, answer, body))

    def drip(self, document, *, is_endless):
        written = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        pieces = [written[start : start + 16] for start in range(0, len(written), 16)]
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()
            # All of it takes longer than the time-out, and no piece does.
            time.sleep(2 * ENDLESS_S / len(pieces) if is_endless else DRIP_S)


def words_of(body):
    """All texts of a request."""
    texts = []
    for message in body["messages"]:
        content = message["content"]
        parts = (
            [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        )
        texts.extend(parts)
    return "\n".join(texts)


def pictures_of(body):
    """The pictures of a request as data addresses."""
    return [
        part["image_url"]["url"]
        for message in body["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


def coin(body, *words):
    """One of the words, chosen by the request."""
    number = int(hashlib.sha256(words_of(body).encode()).hexdigest()[8:16], 16)
    return words[number % len(words)]


def step_answer(body):
    return json.dumps({"answer": coin(body, "yes", "no"), "score": 0.5})
