import subprocess
import sys

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
