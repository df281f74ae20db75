"""What fakes of other people's servers share: they run in threads while a `with` block does."""

import json
import threading
import time
from http.server import ThreadingHTTPServer

NO_CONTENT = 204
ARRIVAL_LIMIT_S, PAUSE_S = 60, 0.01


class FakeServer:
    """A server on a free port of this machine, for subclasses to say who answers."""

    @property
    def handler_class(self):
        """Return the class that answers requests; it finds this server as its `fake`."""
        raise NotImplementedError

    def __enter__(self):
        self.http = _Server(("127.0.0.1", 0), self.handler_class)
        self.http.fake = self
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http.server_port}"

    def count_of(self, requests, least):
        """Return how many of a list of requests there are, once so many have arrived.

        Whoever gives up waiting may do so before the server has noted what was sent.
        """
        ends_at = time.monotonic() + ARRIVAL_LIMIT_S
        while len(requests) < least and time.monotonic() < ends_at:
            time.sleep(PAUSE_S)
        return len(requests)


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        """Clients that hang up or are killed are part of the tests."""


class JsonAnswers:
    """Lets a request handler answer with JSON documents, or with bytes where others are wanted."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def fake(self):
        return self.server.fake

    def log_message(self, *_):
        """Keep the tests' output clean."""

    def send(self, status, document, headers=None):
        self.send_bytes(status, json.dumps(document).encode(), headers or {})

    def send_bytes(self, status, content, headers):
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        if status != NO_CONTENT:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def wait_of(act):
    """Return the header that tells a client how long to wait, where the act has one."""
    names = {"retry_after": "retry-after", "retry_after_ms": "retry-after-ms"}
    return {header: str(act[name]) for name, header in names.items() if name in act}
