"""Processes of `manage.py serve` are killed by the dozen: the site is back, and nothing is lost."""

import os
import signal
import time

import httpx
import pytest

from tests.generation.served_site import TAKE_COUNT, served_site, worker_processes
from tests.site.raters import prepare_raters, raters_at_work, times_logged
from tests.site.segment_kills import kill_under_load
from tests.site.serving import (
    children_of,
    is_running,
    parts_of,
    serving,
    site_environment,
    wait_until,
)

ROUNDS = 20
RATERS = 20
SAVES_BETWEEN_KILLS = 100
BACK_LIMIT_S = 10.0
WORKER_KILLS, POOL_KILLS = 3, 5


def kill_master(server):
    """Kill the web server's first process; return the moment, its id and its workers' ids."""
    [master] = wait_until(lambda: parts_of(server, "gunicorn"))
    workers = wait_until(lambda: children_of(master))
    killed_at = time.monotonic()
    os.kill(master, signal.SIGKILL)
    return killed_at, master, workers


def is_back(server, master):
    """Return whether another web server than that one runs, with a worker."""
    return any(pid != master and children_of(pid) for pid in parts_of(server, "gunicorn"))


@pytest.mark.redis
def test_twenty_kills_of_the_web_server_under_load_lose_and_double_nothing(tmp_path):
    environment = site_environment(tmp_path)
    raters = prepare_raters(RATERS, environment)
    seconds = []
    with (
        serving(environment, log=tmp_path / "log") as server,
        raters_at_work(server.port, raters) as load,
    ):
        for _ in range(ROUNDS):
            enough = len(load.saved) + SAVES_BETWEEN_KILLS
            wait_until(lambda: len(load.saved) >= enough)  # noqa: B023
            killed_at, master, orphans = kill_master(server)
            wait_until(lambda: is_back(server, master))  # noqa: B023
            wait_until(lambda: not any(map(is_running, orphans)))  # noqa: B023
            # Whoever answers now was started after the kill.
            httpx.get(f"{server.url}login/", timeout=60).raise_for_status()
            seconds.append(time.monotonic() - killed_at)
    logged = times_logged(tmp_path / "state" / "piev.sqlite3")

    lost = [change for change in load.saved if change not in logged]
    doubled = [change for change, times in logged.items() if times > 1]
    print(  # noqa: T201
        f"{ROUNDS} kills under load: {len(load.saved)} saves answered, {load.resent} sent again, "
        f"{len(lost)} lost, {len(doubled)} doubled; never longer than "
        f"{load.longest_silence_s():.1f} s without an answer; the new web server answered, and the "
        f"old one's workers were gone, after {min(seconds):.1f} to {max(seconds):.1f} s"
    )
    assert (lost, doubled, load.refused) == ([], [], [])
    assert logged == dict.fromkeys(load.saved, 1)
    assert max(*seconds, load.longest_silence_s()) < BACK_LIMIT_S


@pytest.mark.redis
def test_an_idle_site_is_back_after_its_web_server_was_killed(tmp_path):
    seconds = []
    with serving(site_environment(tmp_path), log=tmp_path / "log") as server:
        for _ in range(3):
            killed_at, master, orphans = kill_master(server)
            wait_until(lambda: not any(map(is_running, orphans)))  # noqa: B023
            httpx.get(f"{server.url}login/", timeout=60).raise_for_status()
            seconds.append(time.monotonic() - killed_at)
            wait_until(lambda: is_back(server, master))  # noqa: B023

    print(f"idle: back after {', '.join(f'{second:.1f}' for second in seconds)} s")  # noqa: T201
    assert max(seconds) < BACK_LIMIT_S


@pytest.mark.redis
def test_a_run_outlives_eight_kills_of_its_workers_and_so_does_the_web_server(tmp_path):
    with served_site(tmp_path, has_redis=True) as site:
        [web] = site.processes("gunicorn")
        run = site.ask("launch")
        for number in range(WORKER_KILLS + POOL_KILLS):
            kills_pool = number % 8 in {1, 2, 4, 5, 7}
            victims = wait_until(
                lambda: (worker_processes if kills_pool else whole_workers)(site)  # noqa: B023
            )
            os.kill(victims[0], signal.SIGKILL)
            wait_until(lambda: not is_running(victims[0]))  # noqa: B023
        at_end = site.wait_until(lambda counts: counts.get("done", 0) == TAKE_COUNT, run)

        assert at_end == {"done": TAKE_COUNT}
        assert site.server.poll() is None
        assert site.processes("gunicorn") == [web]


def whole_workers(site):
    return site.processes("celery")


def test_twenty_kills_of_web_workers_tear_no_gesture_and_double_none(tmp_path):
    load, counted, faults = kill_under_load(
        tmp_path, people=RATERS, kills=ROUNDS, gestures_between=SAVES_BETWEEN_KILLS
    )

    print(  # noqa: T201
        f"{ROUNDS} kills: {len(load.saved)} gestures answered, {load.resent} sent again; {faults}"
    )
    assert faults == {"torn": [], "twice": [], "unlike": []}
    assert load.refused == []
    assert counted == {"gestures": len(load.saved), "rows": 2 * len(load.saved)}
