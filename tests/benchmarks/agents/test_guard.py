"""Whoever waits for an agent's server can hang up, and waits only so long in all."""

import socket
import threading
import time
from contextlib import contextmanager

import httpx
import pytest

from benchmarks.backends.a2a.guard import GuardedTransport, finished, within

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
BIG = b"x" * 30_000_000
# Long for a busy machine, and short beside what the servers below would take.
SOON_S = 60


class HungUpError(Exception):
    """Nobody wants the answer any more."""


@contextmanager
def server(handle):
    """Serve each connection with `handle` in a thread; yields the address and the connections."""
    connections = []
    listening = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            try:
                connections.append(listening.accept()[0])
            except OSError:
                return
            threading.Thread(target=handle, args=(connections[-1],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", connections
    finally:
        # Closed alone it would go on accepting.
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for connection in connections:
            connection.close()


def answers(connection):
    try:
        # Its content may come after its headers.
        while received := connection.recv(65536):
            if received.endswith(b"{}"):
                connection.sendall(ANSWER)
    except OSError:
        return


def drips(connection):
    connection.recv(65536)
    try:
        for byte in ANSWER * 200:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
    except OSError:
        return


def reads_nothing(connection):
    time.sleep(600)


def hang_up_after(seconds):
    ends_at = time.monotonic() + seconds

    def hang_up():
        if time.monotonic() > ends_at:
            raise HungUpError

    return hang_up


def post(client, url, content=b"{}"):
    return finished(client.post(url, content=content))


@pytest.fixture
def client_of():
    clients = []

    def make(url):
        clients.append(httpx.AsyncClient(transport=GuardedTransport(url), timeout=30))
        return clients[-1]

    yield make
    for client in clients:
        finished(client.aclose())


def test_connection_serves_one_request_after_the_other(client_of):
    with server(answers) as (url, connections):
        client = client_of(url)
        with within(SOON_S):
            answered = [post(client, url).status_code for _ in range(3)]

    assert answered == [200, 200, 200]
    assert len(connections) == 1


def test_connection_that_the_server_has_closed_is_not_used_again(client_of):
    closed = threading.Semaphore(0)

    def closes(connection):
        while not connection.recv(65536).endswith(b"{}"):
            pass
        connection.sendall(ANSWER)
        connection.close()
        closed.release()

    with server(closes) as (url, connections):
        client = client_of(url)
        with within(SOON_S):
            for _ in range(2):
                assert post(client, url).status_code == 200
                assert closed.acquire(timeout=60)

    assert len(connections) == 2


@pytest.mark.parametrize("handle", [drips, reads_nothing])
def test_answer_has_so_long_in_all(client_of, handle):
    with server(handle) as (url, _):
        client, began_s = client_of(url), time.monotonic()
        with within(0.5), pytest.raises(TimeoutError):
            post(client, url)

    assert time.monotonic() - began_s < SOON_S


@pytest.mark.parametrize(("handle", "content"), [(drips, b"{}"), (reads_nothing, BIG)])
def test_whoever_waits_can_hang_up(client_of, handle, content):
    with server(handle) as (url, _):
        client, began_s = client_of(url), time.monotonic()
        with within(600, hang_up_after(0.3)), pytest.raises(HungUpError):
            post(client, url, content)

    assert time.monotonic() - began_s < SOON_S


def test_whoever_waits_for_a_connection_can_hang_up(client_of, monkeypatch):
    is_wanted = threading.Event()

    def connects_late(*arguments, **named):
        is_wanted.wait(600)
        raise OSError("too late")

    monkeypatch.setattr(socket, "create_connection", connects_late)
    client, began_s = client_of("http://127.0.0.1:9"), time.monotonic()
    try:
        with within(600, hang_up_after(0.3)), pytest.raises(HungUpError):
            post(client, "http://127.0.0.1:9")
    finally:
        is_wanted.set()

    assert time.monotonic() - began_s < SOON_S
