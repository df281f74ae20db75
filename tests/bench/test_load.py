"""The load generator speaks HTTP as a browser does, so that what it counts as lost was lost."""

import socket
import threading
from contextlib import suppress

from bench.load import post_request, run_load

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def answer_once_each(listener, is_over):
    """Answer one request of each connection; what comes after it is thrown away, as by gunicorn."""
    while not is_over.is_set():
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(ANSWER)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass


def test_a_connection_that_the_server_ends_is_not_asked_again():
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        server = threading.Thread(target=answer_once_each, args=(listener, is_over))
        server.start()
        result = run_load(listener.getsockname()[1], [lambda: post_request("/", "", b"{}")], 3)
        is_over.set()
        server.join()

    assert result.errors == {}
    assert len(result.latencies_s) > 1
