"""An HTTP server that plays the providers of video models, each in its own form, and misbehaves.

`submissions`, `polls` and `downloads` are acts, one per request, the last one again and again; an
act is a dictionary with `do` and what belongs to it. `asked` keeps every request that arrived, so
that a test can count what would have been paid. The forms are written down here a second time, not
taken from the adapters. With `numbers_jobs` every order gets a job of its own, `job-17-1`,
`job-17-2` and so on.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JOB = "job-17"
API_KEY, SECRET_KEY = "key-very-secret", "second-half-of-the-pair"
WAIT, DONE, TAKE = {"do": "wait"}, {"do": "done"}, {"do": "take"}
FILE_PATH = "/files/clip.mp4"


@dataclass(frozen=True)
class Forms:
    """One provider: where a job starts, where it is asked for, and its answers."""

    start: str
    query: str
    free: str
    taken: dict
    waiting: tuple
    done: dict
    failed: dict
    refused: dict
    errors: dict
    cancel: str | None = None


def openai_error(code, message):
    return {"error": {"code": code, "message": message, "type": "error"}}


def kling(word, **more):
    return {"code": 0, "message": "SUCCEED", "data": {"task_id": JOB, "task_status": word, **more}}


def veo(**more):
    return {"name": f"models/m/operations/{JOB}", **more}


def veo_made(**more):
    return veo(done=True, response={"generateVideoResponse": more})


KLING = Forms(
    start="/v1/videos/omni-video",
    query=f"/v1/videos/omni-video/{JOB}",
    free="/v1/videos/omni-video?pageNum=1&pageSize=1",
    taken=kling("submitted"),
    waiting=(kling("submitted"), kling("processing")),
    done=kling("succeed", task_result={"videos": [{"id": "1", "url": "URL", "duration": "5"}]}),
    failed=kling("failed", task_status_msg="Out of frames"),
    refused=kling("failed", task_status_msg="Failure to pass the risk control system"),
    errors={
        "refuse": (400, {"code": 1301, "message": "Prompt not allowed", "request_id": "1"}),
        "spent": (429, {"code": 1102, "message": "Resource pack used up", "request_id": "1"}),
        "limit": (429, {"code": 1302, "message": "Requests too fast", "request_id": "1"}),
        "reject": (400, {"code": 1201, "message": "Invalid duration", "request_id": "1"}),
    },
)
RUNWAY = Forms(
    start="/v1/image_to_video",
    query=f"/v1/tasks/{JOB}",
    free="/v1/organization",
    taken={"id": JOB},
    waiting=tuple({"id": JOB, "status": word} for word in ("PENDING", "THROTTLED", "RUNNING")),
    done={"id": JOB, "status": "SUCCEEDED", "output": ["URL"]},
    failed={"id": JOB, "status": "FAILED", "failure": "Oops", "failureCode": "INTERNAL"},
    refused={
        "id": JOB,
        "status": "FAILED",
        "failure": "Not shown",
        "failureCode": "SAFETY.OUTPUT.VIDEO",
    },
    errors={
        "refuse": (400, {"error": "Did not pass content moderation"}),
        "spent": (400, {"error": "You do not have enough credits to run this task."}),
        "limit": (429, {"error": "Daily task limit reached"}),
        "reject": (400, {"error": "Validation of body failed"}),
    },
    cancel=f"/v1/tasks/{JOB}",
)
SEEDANCE = Forms(
    start="/contents/generations/tasks",
    query=f"/contents/generations/tasks/{JOB}",
    free="/contents/generations/tasks?page_num=1&page_size=1",
    taken={"id": JOB},
    waiting=tuple({"id": JOB, "status": word} for word in ("queued", "running")),
    done={"id": JOB, "status": "succeeded", "content": {"video_url": "URL"}},
    failed={"id": JOB, "status": "failed", **openai_error("InternalServiceError", "Oops")},
    refused={
        "id": JOB,
        "status": "failed",
        **openai_error("OutputVideoSensitiveContentDetected", "Not shown"),
    },
    errors={
        "refuse": (400, openai_error("InputTextSensitiveContentDetected", "Not allowed")),
        "spent": (403, openai_error("AccountOverdueError", "Please pay")),
        "limit": (429, openai_error("RateLimitExceeded.EndpointRPMExceeded", "Too fast")),
        "reject": (400, openai_error("InvalidParameter", "duration")),
    },
    cancel=f"/contents/generations/tasks/{JOB}",
)
SORA = Forms(
    start="/videos",
    query=f"/videos/{JOB}",
    free="/videos?limit=1",
    taken={"id": JOB, "object": "video", "status": "queued", "progress": 0},
    waiting=tuple({"id": JOB, "status": word} for word in ("queued", "in_progress")),
    done={"id": JOB, "status": "completed", "progress": 100},
    failed={"id": JOB, "status": "failed", **openai_error("internal_error", "Oops")},
    refused={"id": JOB, "status": "failed", **openai_error("moderation_blocked", "Not shown")},
    errors={
        "refuse": (400, openai_error("content_policy_violation", "Not allowed")),
        "spent": (429, openai_error("insufficient_quota", "You exceeded your current quota")),
        "limit": (429, openai_error("rate_limit_exceeded", "Too fast")),
        "reject": (400, openai_error("invalid_value", "seconds")),
    },
)
VEO = Forms(
    start="/models/veo-3.1-generate-preview:predictLongRunning",
    query=f"/models/m/operations/{JOB}",
    free="/models/veo-3.1-generate-preview",
    taken=veo(),
    waiting=(veo(), veo(done=False)),
    done=veo_made(generatedSamples=[{"video": {"uri": "URL"}}]),
    failed=veo(done=True, error={"code": 13, "message": "Internal error", "status": "INTERNAL"}),
    refused=veo_made(raiMediaFilteredCount=1, raiMediaFilteredReasons=["Not shown"]),
    errors={
        "refuse": (
            400,
            {"error": {"code": 400, "message": "Against the usage guidelines", "status": "BAD"}},
        ),
        "limit": (
            429,
            {"error": {"code": 429, "message": "Too fast", "status": "RESOURCE_EXHAUSTED"}},
        ),
        "reject": (
            400,
            {"error": {"code": 400, "message": "seconds", "status": "INVALID_ARGUMENT"}},
        ),
    },
)
FORMS = {"kling": KLING, "runway": RUNWAY, "seedance": SEEDANCE, "sora": SORA, "veo": VEO}


@dataclass
class Asked:
    """One request that arrived; `body` is its JSON, or its form with files as bytes."""

    method: str
    path: str
    headers: dict
    body: dict


@dataclass
class VideoProviderServer:
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
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self):
        self.http = Server(("127.0.0.1", 0), Handler)
        self.http.fake = self
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    @property
    def forms(self):
        return FORMS[self.provider]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http.server_port}"

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
        return self.forms.taken.get("name") or self.forms.taken.get("id") or JOB

    @property
    def poll_count(self):
        return self.count("GET", self.forms.query)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        """Clients that hang up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """Keep the tests' output clean."""

    def do_GET(self):
        self.note({})
        fake = self.server.fake
        path = re.sub(rf"{JOB}-\d+", JOB, self.path)
        self.job = (re.findall(rf"{JOB}-\d+", self.path) or [JOB])[0]
        if path == fake.forms.query:
            if fake.on_poll is not None:
                fake.on_poll()
            self.play(self.next_act(fake.polls))
        elif path in {FILE_PATH, "/files/moved.mp4", f"{fake.forms.query}/content"}:
            self.play_download(self.next_act(fake.downloads))
        elif self.path == fake.forms.free:
            self.send(200 if self.is_allowed() else 401, {"data": []})
        else:
            self.send(404, {"error": {"message": "nothing is here"}})

    def do_POST(self):
        fake = self.server.fake
        self.note(self.read_body())
        self.job = f"{JOB}-{len(fake.submitted)}" if fake.numbers_jobs else JOB
        if self.path != fake.forms.start:
            self.send(404, {"error": {"message": "nothing is here"}})
        elif not self.is_allowed():
            self.send(401, {"error": {"message": f"Who is {dict(self.headers)}?"}})
        else:
            self.play(self.next_act(fake.submissions))

    def do_DELETE(self):
        self.note({})
        is_known = re.sub(rf"{JOB}-\d+", JOB, self.path) == self.server.fake.forms.cancel
        self.send_bytes(204 if is_known else 404, b"", {})

    def note(self, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.fake.lock:
            self.server.fake.asked.append(Asked(self.command, self.path, headers, body))

    def next_act(self, acts):
        with self.server.fake.lock:
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
        provider, token = self.server.fake.provider, self.headers.get("authorization", "")
        if provider == "veo":
            return self.headers.get("x-goog-api-key") == API_KEY
        if provider == "kling":
            return is_valid_token(token.removeprefix("Bearer "))
        if provider == "runway" and self.headers.get("x-runway-version") != "2024-11-06":
            return False
        return token == f"Bearer {API_KEY}"

    def play(self, act):
        fake, do = self.server.fake, act["do"]
        forms = fake.forms
        if "latency_s" in act:
            time.sleep(act["latency_s"])
        answers = {"take": forms.taken, "done": forms.done, "failed": forms.failed}
        answers |= {"refused": forms.refused, "wait": forms.waiting[act.get("word", 0)]}
        if do in answers:
            text = json.dumps(answers[do]).replace('"URL"', json.dumps(fake.file_url))
            text = text.replace(JOB, self.job)
            self.send(200, json.loads(text))
        elif do == "hang_up":
            self.close_connection = True
        elif do == "drip":
            self.send_drops(act["count"])
        elif do == "page":
            self.send_bytes(200, b"<html>Log in</html>", {"content-type": "text/html"})
        elif do == "say":
            self.send(200, act["document"])
        elif do == "redirect":
            self.send(307, {}, {"location": act["to"]})
        elif do == "status":
            headers = {"retry-after": str(act["retry_after"])} if "retry_after" in act else {}
            self.send(act["status"], {"error": {"message": "busy"}}, headers)
        elif do == "echo_headers":
            self.send(401, {"error": {"message": str(dict(self.headers))}})
        else:
            headers = {"retry-after": str(act["retry_after"])} if "retry_after" in act else {}
            status, document = forms.errors[do]
            self.send(status, document, headers)

    def play_download(self, act):
        fake, do = self.server.fake, act["do"]
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
        else:
            self.send(act["status"], {})

    def send_drops(self, count):
        """Send an answer of blanks, one every 50 ms, as long as somebody listens."""
        self.send_response(200)
        self.send_header("content-length", str(count))
        self.end_headers()
        for _ in range(count):
            self.wfile.write(b" ")
            time.sleep(0.05)

    def send_chunks(self, count):
        """Send chunks of 64 KiB without saying how many, as long as somebody listens."""
        self.send_response(200)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for _ in range(count):
            self.wfile.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")
            self.server.fake.chunk_count += 1
        self.wfile.write(b"0\r\n\r\n")

    def send(self, status, document, headers=None):
        self.send_bytes(status, json.dumps(document).encode(), headers or {})

    def send_bytes(self, status, content, headers):
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


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
