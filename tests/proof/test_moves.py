"""`manage.py move` on the demo's site and on 100,000 ratings, into a PostgreSQL of its own.

The command compares a hash of every table itself; here every table is counted in both databases
without Django, and the ratings that both export are compared byte by byte.
"""

import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import psycopg
import pytest

from sample.site import RATED_CAMPAIGN
from tests.demo_site import DemoSite
from tests.migrated import DATABASE, REPOSITORY
from tests.proof.test_waiting_takes import postgresql
from tests.site.serving import site_environment

RATINGS = 100_000
MOVED = re.compile(r"^([0-9a-f]{16})  +([\d,]+)  (\w+)$", re.MULTILINE)
MOST_MB = 200
BYTES_PER_MB = 1_000_000


# What a process is counted with by others (`os.wait4`) holds what its parent had before it.
MEASURED = """
import sys
from bench.measure import peak_memory_bytes
from piev_site.command import main
try:
    main()
finally:
    print(peak_memory_bytes(), file=sys.stderr)
"""


def manage(environment, *words):
    """What a command printed, and how much memory its process had at most, in MB."""
    command = [sys.executable, "-c", MEASURED, *words]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, int(done.stderr.split()[-1]) / BYTES_PER_MB


def exported(environment, campaign, file):
    manage(environment, "export_ratings", "--campaign", campaign, "--out", str(file))
    return file.read_bytes()


@pytest.fixture
def demo(tmp_path):
    site = DemoSite(tmp_path)
    return site.environment, site.state / DATABASE, RATED_CAMPAIGN


@pytest.fixture
def rated(tmp_path):
    environment = site_environment(tmp_path)
    prepare = [sys.executable, "-m", "bench.ratings_site", "prepare", str(RATINGS)]
    subprocess.run(prepare, cwd=REPOSITORY, env=environment, check=True)
    return environment, tmp_path / "state" / DATABASE, "Bench"


@pytest.mark.parametrize("made", ["demo", "rated"])
def test_a_site_moves_with_every_row(made, request, tmp_path):
    before, file, campaign = request.getfixturevalue(made)
    with postgresql() as address:
        after = {**before, "DATABASE_URL": address}
        manage(after, "migrate", "--verbosity", "0")
        began = time.monotonic()
        printed, megabytes = manage(after, "move", str(file))
        seconds = time.monotonic() - began

        rows = {name: int(count.replace(",", "")) for _, count, name in MOVED.findall(printed)}
        with closing(sqlite3.connect(file)) as old, psycopg.connect(address) as new:
            count = 'select count(*) from "{}"'
            counts = {
                name: tuple(each.execute(count.format(name)).fetchone()[0] for each in (old, new))
                for name in rows
            }
        ratings = [
            exported(environment, campaign, tmp_path / f"{number}.csv")
            for number, environment in enumerate((before, after))
        ]

    total = sum(rows.values())
    print(  # noqa: T201
        f"{made}: {total:,} rows of {len(rows)} tables in {seconds:.1f} s, {megabytes:.0f} MB;"
        f" {len(ratings[0]):,} bytes of ratings exported from either"
    )
    assert counts == {name: (number, number) for name, number in rows.items()}
    assert f"{total:,} rows of {len(rows)} tables moved" in printed
    assert ratings[0] == ratings[1]
    assert ratings[0].count(b"\n") > 100
    assert megabytes < MOST_MB
