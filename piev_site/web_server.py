"""How gunicorn serves the site: `gunicorn --config python:piev_site.web_server`.

What stands on gunicorn's command line goes before what stands here.
"""

import os
import shutil
import tempfile

wsgi_app = "piev_site.wsgi"
worker_class = "gthread"
workers = 2
threads = 4
# The code is loaded once, before the workers are forked: on a busy machine the site is back twice
# as fast after a kill, and a worker that is started again answers at once.
preload_app = True
# Longer than a rater thinks between two answers. A connection that is closed while the next save
# is on its way costs that save a second try; with gunicorn's 2 s that happened to 1 of 100.
keepalive = 75
loglevel = "warning"
# It would be one file per account of the machine, which two sites would fight for.
control_socket_disable = True


# Each process counts its requests in a file of this folder, and any of them can tell all.
if os.environ.get("METRICS_TOKEN") or os.environ.get("METRICS_TOKEN_FILE"):
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="piev-metrics-")


def on_exit(server: object) -> None:
    """Throw the counts away: Prometheus knows that they begin anew with a server."""
    if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        shutil.rmtree(folder, ignore_errors=True)
