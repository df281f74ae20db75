"""Stands between the site and a storage: counts what is asked, and breaks answers on demand."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HOP_HEADERS = frozenset({"connection", "transfer-encoding", "keep-alive"})


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one answer for an object; `status` replaces it, the rest change it.

    `cut_after` closes the connection after so many bytes of the body, `pause_s` waits there
    instead; `headers` replace the storage's own, None removes one.
    """

    status: int = 0
    cut_after: int | None = None
    pause_s: float = 0.0
    headers: dict[str, str | None] = field(default_factory=dict)
    ignores_range: bool = False
    flips_byte: int | None = None


@dataclass(slots=True)
class Asked:
    """One request that arrived, and how much of an object was sent for it."""

    method: str
    path: str
    query: str
    range: str
    sent_bytes: int = 0


class FaultyProxy:
    """A proxy on a free port; `faults` meet the next GET or HEAD requests for objects, in order."""

    def __init__(self, upstream_url: str) -> None:
        self.upstream = urlsplit(upstream_url).netloc
        self.faults: deque[Fault] = deque()
        self.asked: list[Asked] = []
        self.on_cut: Callable[[], object] = lambda: None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.proxy = self
        self.server.daemon_threads = True
        self.endpoint_url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def gets(self) -> list[Asked]:
        """Return the requests for bytes of objects."""
        return [item for item in self.asked if item.method == "GET" and not item.query]


class _Handler(BaseHTTPRequestHandler):
    """Forwards one request after the other to the storage behind the proxy."""

    protocol_version = "HTTP/1.1"

    @property
    def proxy(self) -> "FaultyProxy":
        return self.server.proxy

    def do_GET(self) -> None:
        self._forward()

    def do_HEAD(self) -> None:
        self._forward()

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _forward(self) -> None:
        address = urlsplit(self.path)
        asked = Asked(self.command, address.path, address.query, self.headers.get("Range", ""))
        self.proxy.asked.append(asked)
        is_object = not address.query and address.path.strip("/").count("/") >= 1
        fault = self.proxy.faults.popleft() if is_object and self.proxy.faults else Fault()
        if fault.status:
            self._fail(fault)
        else:
            self._pass_on(fault, asked)

    def _fail(self, fault: Fault) -> None:
        self.send_response(fault.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _pass_on(self, fault: Fault, asked: "Asked") -> None:
        status, headers, body = self._answer(fault)
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        end = len(body) if fault.cut_after is None else fault.cut_after
        asked.sent_bytes = min(end, len(body))
        self.wfile.write(body[:end])
        if fault.cut_after is not None:
            self.wfile.flush()
            self.proxy.on_cut()
            time.sleep(fault.pause_s)
            self.close_connection = True

    def _answer(self, fault: Fault) -> tuple[int, dict[str, str], bytes]:
        upstream = HTTPConnection(self.proxy.upstream, timeout=120)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if not (fault.ignores_range and name.lower() == "range"):
                upstream.putheader(name, value)
        upstream.endheaders()
        answer = upstream.getresponse()
        body = bytearray(answer.read())
        upstream.close()
        if fault.flips_byte is not None:
            body[fault.flips_byte] ^= 0xFF
        headers = {
            name: value
            for name, value in answer.getheaders()
            if name.lower() not in HOP_HEADERS
            and name.lower() not in {changed.lower() for changed in fault.headers}
        }
        headers |= {name: value for name, value in fault.headers.items() if value is not None}
        return answer.status, headers, bytes(body)
