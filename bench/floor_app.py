"""The floor of a save: its very SQL statements from a bare WSGI application, without a framework.

`BENCH_STATEMENTS` names a JSON file of [sql, parameters] pairs recorded from one real save, in
which the text SEQUENCE stands for the sequence number; `BENCH_DATABASE` names the SQLite file.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

SEQUENCE = "SEQUENCE"

_local = threading.local()


@cache
def _statements() -> list[tuple[str, list[object]]]:
    return json.loads(Path(os.environ["BENCH_STATEMENTS"]).read_text())


def _connection() -> sqlite3.Connection:
    if not hasattr(_local, "connection"):
        connection = sqlite3.connect(os.environ["BENCH_DATABASE"], timeout=30, isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        _local.connection = connection
    return _local.connection


def application(
    environ: dict[str, object], start_response: Callable[..., object]
) -> Iterable[bytes]:
    """Run the statements in one IMMEDIATE transaction; the body of the request is the sequence."""
    sequence = int(environ["wsgi.input"].read())
    connection = _connection()
    connection.execute("BEGIN IMMEDIATE")
    # As a context manager the connection commits, or rolls back when a statement fails.
    with connection:
        for sql, parameters in _statements():
            filled = [sequence if item == SEQUENCE else item for item in parameters]
            connection.execute(sql, filled).fetchall()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
