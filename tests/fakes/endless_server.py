"""A server whose answers never end: a byte now and then, or as many as the line takes, or packed.

`sent_count` is how many bytes of answers it got rid of before its client hung up.
"""

import socket
import threading
import time
import zlib
from dataclasses import dataclass, field

ENDLESS_BYTES = 900_000_000
BLOCK = b" " * 65536
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
DRIP_PAUSE_S = 0.1


@dataclass
class EndlessServer:
    """Runs while its `with` block does; `do` is one of the functions below."""

    do: str
    sent_count: int = 0
    hung_up: threading.Event = field(default_factory=threading.Event)

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        # Closing alone would leave the thread waiting for a client.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                try:
                    for block in ANSWERS[self.do]():
                        connection.sendall(block)
                        self.sent_count += len(block)
                except OSError:
                    self.hung_up.set()


def drips_headers():
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    yield from _drops()


def drips_body():
    yield HEAD + b"Content-Length: 100000\r\n\r\n"
    yield from _drops()


def drips_to_the_end_of_the_connection():
    yield HEAD + b"Connection: close\r\n\r\n{}"
    yield from _drops()


def floods():
    yield HEAD + b"Content-Length: %d\r\n\r\n" % ENDLESS_BYTES
    for _ in range(ENDLESS_BYTES // len(BLOCK)):
        yield BLOCK


def bombs():
    yield HEAD + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS | 16)
    for _ in range(ENDLESS_BYTES // len(BLOCK)):
        yield packer.compress(BLOCK)
    yield packer.flush()


def packs_oddly():
    yield HEAD + b"Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}"


def _drops():
    for _ in range(100_000):
        yield b" "
        time.sleep(DRIP_PAUSE_S)


ANSWERS = {
    answer.__name__: answer
    for answer in (
        drips_headers,
        drips_body,
        drips_to_the_end_of_the_connection,
        floods,
        bombs,
        packs_oddly,
    )
}
