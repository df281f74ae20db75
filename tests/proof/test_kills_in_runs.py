"""Each part of a site is killed in mid-run, on either queue; `make test` has the hardest kills."""

import pytest

from tests.generation.test_faults import (  # noqa: F401
    TAKE_COUNT,
    files_site,
    hit_in_mid_run,
    kill_web,
    kill_whole_worker,
    kill_worker_child,
    left_undisturbed,
    redis_site,
)

KILLS = {
    "redis_site": [kill_worker_child, kill_whole_worker, kill_web],
    "files_site": [kill_worker_child, kill_web],
}


@pytest.mark.parametrize(
    ("site_name", "kill"), [(name, kill) for name, kills in KILLS.items() for kill in kills]
)
def test_run_with_killed_workers_finishes_like_an_uninterrupted_one(request, site_name, kill):
    site = request.getfixturevalue(site_name)

    done_at_kill, left = hit_in_mid_run(site, kill)

    assert done_at_kill < TAKE_COUNT
    assert left == left_undisturbed(site)
