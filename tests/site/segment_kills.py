"""Web workers that are killed while people move an edge that two segments share."""

import os
import signal

from bench.saving import ask_site, gesture_body
from tests.site.raters import raters_at_work
from tests.site.serving import (
    children_of,
    is_running,
    parts_of,
    serving,
    site_environment,
    wait_until,
)

SITE = "bench.segments_site"


def kill_under_load(folder, *, people, kills, gestures_between):
    """Return (load, what the log counts, what is not as it should be) after so many kills -9."""
    environment = site_environment(folder, has_redis=False)
    prepared = ask_site(environment, "prepare", str(people), site=SITE)["people"]
    with (
        serving(environment, log=folder / "log") as server,
        raters_at_work(server.port, prepared, gesture_body) as load,
    ):
        for _ in range(kills):
            enough = len(load.saved) + gestures_between
            wait_until(lambda: len(load.saved) >= enough)  # noqa: B023
            [master] = wait_until(lambda: parts_of(server, "gunicorn"))
            workers = wait_until(lambda: children_of(master))  # noqa: B023
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            wait_until(lambda: not any(map(is_running, workers)))  # noqa: B023
            seen = len(load.saved)
            wait_until(lambda: len(load.saved) > seen + people)  # noqa: B023
    counted = ask_site(environment, "count", site=SITE)
    return load, counted, ask_site(environment, "check", site=SITE)
