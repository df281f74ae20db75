"""An HTTP server that plays the providers of video models, each in its own form, and misbehaves.

`submissions`, `polls` and `downloads` are acts, one per request, the last one again and again; an
act is a dictionary with `do` and what belongs to it. `asked` keeps every request that arrived, so
that a test can count what would have been paid. With `numbers_jobs` every order gets a job of its
own, `job-17-1`, `job-17-2` and so on. An order that is not of the provider's form is turned down,
and a job that is ended is gone for good, whether it was finished or not.
"""

import base64
import email
import hashlib
import hmac
import json
import re
import threading
import time
from dataclasses import dataclass, field
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler

from jsonschema import Draft202012Validator

from tests.fakes.http_server import FakeServer, JsonAnswers, wait_of
from tests.fakes.video_provider_forms import FORMS, JOB

API_KEY, SECRET_KEY = "key-very-secret", "second-half-of-the-pair"
WAIT, DONE, TAKE = {"do": "wait"}, {"do": "done"}, {"do": "take"}
FILE_PATH = "/files/clip.mp4"


@dataclass
class Asked:
    """One request that arrived; `body` is its JSON, or its form with files as bytes."""

    method: str
    path: str
    headers: dict
    body: dict


@dataclass
class VideoProviderServer(FakeServer):
    """Plays one provider while its `with` block runs; `url` is the base address for a client."""

    provider: str
    clip: bytes = b""
    submissions: list = field(default_factory=lambda: [TAKE])
    polls: list = field(default_factory=lambda: [DONE])
    downloads: list = field(default_factory=lambda: [{"do": "file"}])
    asked: list = field(default_factory=list)
    other_host: str = ""
    numbers_jobs: bool = False
    on_poll: object = None
    chunk_count: int = 0
    drop_count: int = 0
    wants_key: bool = True
    deleted: set = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def handler_class(self):
        return Handler

    @property
    def forms(self):
        return FORMS[self.provider]

    @property
    def file_url(self):
        return f"{self.other_host or self.url}{FILE_PATH}"

    def count(self, method, path):
        return sum((asked.method, asked.path) == (method, path) for asked in self.asked)

    @property
    def submitted(self):
        return [asked for asked in self.asked if asked.method == "POST"]

    @property
    def job_id(self):
        """Return the id that the provider gives its job."""
        return self.forms.taken.get("id") or JOB

    @property
    def poll_count(self):
        return self.count("GET", self.forms.query)


class Handler(JsonAnswers, BaseHTTPRequestHandler):
    def do_GET(self):
        self.note({})
        fake = self.fake
        path = re.sub(rf"{JOB}-\d+", JOB, self.path)
        self.job = (re.findall(rf"{JOB}-\d+", self.path) or [JOB])[0]
        if self.job in fake.deleted:
            self.send(404, {"error": {"message": "there is no such job"}})
        elif path == fake.forms.query:
            if fake.on_poll is not None:
                fake.on_poll()
            self.play(self.next_act(fake.polls))
        elif path in {FILE_PATH, "/files/moved.mp4", fake.forms.content}:
            self.play_download(self.next_act(fake.downloads))
        elif fake.forms.cards and path == "/videos/models":
            self.send(200, fake.forms.cards)
        elif self.path == fake.forms.free:
            self.send(200 if self.is_allowed() else 401, {"data": []})
        else:
            self.send(404, {"error": {"message": "nothing is here"}})

    def do_POST(self):
        fake = self.fake
        body = self.read_body()
        self.note(body)
        self.job = f"{JOB}-{len(fake.submitted)}" if fake.numbers_jobs else JOB
        if self.path != fake.forms.start:
            self.send(404, {"error": {"message": "nothing is here"}})
        elif not self.is_allowed():
            self.send(401, {"error": {"message": f"Who is {dict(self.headers)}?"}})
        elif fault := self.fault_of(body):
            status, document = fake.forms.errors["reject"]
            self.send(status, {**document, "because": fault})
        else:
            self.play(self.next_act(fake.submissions))

    def fault_of(self, body):
        """Return what is wrong with an order; a file stands for its type, JSON for its value."""
        shown = {
            name: "image/jpeg"
            if isinstance(value, bytes) and value[:3] == b"\xff\xd8\xff"
            else value
            for name, value in body.items()
            if value is not None
        }
        if isinstance(shown.get("image_reference"), str):
            shown["image_reference"] = json.loads(shown["image_reference"])
        errors = Draft202012Validator(self.fake.forms.request).iter_errors(shown)
        return "; ".join(f"{error.json_path}: {error.message[:200]}" for error in errors)

    def do_DELETE(self):
        self.note({})
        is_known = re.sub(rf"{JOB}-\d+", JOB, self.path) == self.fake.forms.cancel
        if is_known:
            self.fake.deleted.add(self.path.rpartition("/")[2])
        self.send_bytes(204 if is_known else 404, b"", {})

    def note(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.fake.lock:
            self.fake.asked.append(Asked(self.command, self.path, headers, body))

    def next_act(self, acts):
        with self.fake.lock:
            return acts.pop(0) if len(acts) > 1 else acts[0]

    def read_body(self):
        content = self.rfile.read(int(self.headers["content-length"]))
        kind = self.headers["content-type"]
        if kind == "application/json":
            return json.loads(content)
        message = email.message_from_bytes(
            b"content-type: " + kind.encode() + b"\r\n\r\n" + content, policy=HTTP
        )
        body = {}
        for part in message.iter_parts():
            name = part.get_param("name", header="content-disposition")
            payload = part.get_payload(decode=True)
            body[name] = payload if part.get_filename() else payload.decode()
        return body

    def is_allowed(self):
        provider, token = self.fake.provider, self.headers.get("authorization", "")
        if not self.fake.wants_key:
            return not token
        if provider == "kling" and token != f"Bearer {API_KEY}":
            return is_valid_token(token.removeprefix("Bearer "))
        if provider == "runway" and self.headers.get("x-runway-version") != "2024-11-06":
            return False
        return token == f"Bearer {API_KEY}"

    def play(self, act):
        fake, do = self.fake, act["do"]
        forms = fake.forms
        if "latency_s" in act:
            time.sleep(act["latency_s"])
        answers = {"take": forms.taken, "done": forms.done, "failed": forms.failed}
        answers |= {"refused": forms.refused, "wait": forms.waiting[act.get("word", 0)]}
        if do in answers:
            text = json.dumps(answers[do]).replace('"URL"', json.dumps(fake.file_url))
            text = text.replace(JOB, self.job)
            self.send(forms.taken_status if do == "take" else 200, json.loads(text))
        elif do == "hang_up":
            self.close_connection = True
        elif do == "drip":
            self.send_drops(act["count"])
        elif do == "page":
            content = act.get("content", b"<html>Log in</html>")
            self.send_bytes(200, content, {"content-type": "text/html"})
        elif do == "say":
            self.send(200, act["document"])
        elif do == "redirect":
            self.send(307, {}, {"location": act["to"]})
        elif do == "status":
            self.send(act["status"], {"error": {"message": "busy"}}, wait_of(act))
        elif do == "echo_headers":
            self.send(401, {"error": {"message": str(dict(self.headers))}})
        else:
            self.send(*forms.errors[do], wait_of(act))

    def play_download(self, act):
        fake, do = self.fake, act["do"]
        if do == "file":
            self.send_bytes(200, act.get("content", fake.clip), {"content-type": "video/mp4"})
        elif do == "cut_off":
            self.send_response(200)
            self.send_header("content-length", str(len(fake.clip)))
            self.end_headers()
            self.wfile.write(fake.clip[: len(fake.clip) // 2])
            self.close_connection = True
        elif do == "endless":
            self.send_chunks(act["count"])
        elif do == "redirect":
            self.send_bytes(302, b"", {"location": act["to"]})
        elif do == "early":
            self.send(*fake.forms.errors["early"])
        else:
            self.send(act["status"], {})

    def send_drops(self, count):
        """Send an answer of blanks, one every 50 ms, as long as somebody listens."""
        self.send_response(200)
        self.send_header("content-length", str(count))
        self.end_headers()
        for _ in range(count):
            self.wfile.write(b" ")
            self.fake.drop_count += 1
            time.sleep(0.05)

    def send_chunks(self, count):
        """Send chunks of 64 KiB without saying how many, as long as somebody listens."""
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for _ in range(count):
            self.wfile.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")
            self.fake.chunk_count += 1
        self.wfile.write(b"0\r\n\r\n")


def is_jpeg(value):
    return isinstance(value, bytes) and value[:3] == b"\xff\xd8\xff"


def is_valid_token(token):
    """Check a JSON web token as its receiver does: signature, issuer and times."""
    signed, _, signature = token.rpartition(".")
    expected = hmac.new(SECRET_KEY.encode(), signed.encode(), hashlib.sha256).digest()
    if decoded(signature) != expected:
        return False
    header, claims = (json.loads(decoded(part)) for part in signed.split("."))
    is_now = claims["nbf"] <= time.time() < claims["exp"] <= time.time() + 1801
    return header == {"alg": "HS256", "typ": "JWT"} and claims["iss"] == API_KEY and is_now


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
