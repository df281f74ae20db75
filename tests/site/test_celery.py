import os
import subprocess
import sys

import pytest

from piev_site.celery import app

# What a worker does first: Celery sends this signal, and its support of Django answers it.
START_OF_A_WORKER = """
import sys
from piev_site.celery import app
app.loader.import_default_modules()
assert {"annotation.tasks", "generation.tasks"} <= set(sys.modules)
print(*sorted(name for name in sys.modules if name.endswith((".urls", ".views"))))
"""


def test_a_worker_holds_no_pages() -> None:
    command = [sys.executable, "-c", START_OF_A_WORKER]
    done = subprocess.run(command, check=True, capture_output=True, text=True)

    pages = [name for name in done.stdout.split() if name.startswith(("piev_site", "generation"))]
    assert pages == []


def test_a_worker_waits_for_its_queue_however_long_it_is_away() -> None:
    assert app.conf.broker_connection_max_retries is None
    assert app.conf.broker_connection_retry_on_startup is True


PATIENCE = """
import django
from django.db import connection
django.setup()
{start}
print(connection.pool.timeout, connection.pool.reconnect_timeout)
"""
OF_A_WORKER = "from piev_site.celery import app; app.loader.init_worker()"


@pytest.mark.parametrize(
    ("start", "variables", "patience_s"),
    [
        ("", {}, 10),
        ("", {"DATABASE_PATIENCE_S": "25"}, 25),
        (OF_A_WORKER, {}, 120),
        (OF_A_WORKER, {"DATABASE_PATIENCE_S": "25"}, 25),
    ],
)
def test_only_workers_wait_long_for_the_database(start, variables, patience_s, tmp_path) -> None:
    kept = {name: text for name, text in os.environ.items() if name != "DATABASE_PATIENCE_S"}
    environment = {
        **kept,
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
        "PIEV_STATE": str(tmp_path),
        "DATABASE_URL": "postgresql://piev@127.0.0.1:1/piev",
        **variables,
    }
    command = [sys.executable, "-c", PATIENCE.format(start=start)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)

    assert [float(word) for word in done.stdout.split()] == [patience_s, patience_s]
