"""A campaign with a million ratings: pages of figures, the export, and the command `agreement`.

The export stands beside a bare loop, one ordered query written with the csv module, in turns with
it; `agreement` beside the bare interpreter with Django. Each runs in a process of its own, on the
database that DATABASE_URL names (it must be empty), else on a private one.

    python -m bench.ratings [--ratings 1000000] [--runs 3]
"""

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.measure import BYTES_PER_KIB

NAME = "Bench"
MEGABYTE = 1e6
REPOSITORY = Path(__file__).resolve().parent.parent
# What the project promises.
MOST_PAGE_MS = 150.0
LEAST_ROWS_PER_S = 30_000
LEAST_SHARE_OF_BARE = 0.4
MOST_EXPORT_MB = 50.0
MOST_AGREEMENT_MB = 150.0


def main() -> int:
    """Print the figures beside their peers; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure what a million ratings cost.")
    parser.add_argument("--ratings", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder))
        count = _site(environment, "prepare", str(options.ratings))
        print(f"{count:,} ratings")
        job = _site(environment, "figures")
        print(f"  figures in a job    {job['seconds']:7.2f} s, {job['megabytes']:.0f} MB added")
        pages = _site(environment, "pages")
        for name, milliseconds in pages["milliseconds"].items():
            print(f"  {name:<40}{milliseconds:7.1f} ms   (goal: under {MOST_PAGE_MS:g})")
        print(f"  added by all these requests {pages['megabytes']:.1f} MB")
        print(f"  newer ratings are {'told' if pages['is_said'] else 'NOT told'}")
        is_exported = _measure_export(environment, Path(folder), count, options.runs)
        command = ["manage.py", "agreement", "--dataset", NAME, "--json"]
        seconds, own_mb = _run(environment, *command)
        bare_seconds, bare_mb = _run(environment, "-c", "import django; django.setup()")
        added = own_mb - bare_mb
        print(
            f"  agreement           {seconds:10.2f} s, of which {bare_seconds:.2f} to start Django"
        )
        print(f"  memory over Django  {added:10.1f} MB       (goal: under {MOST_AGREEMENT_MB:g})")
        goals = [
            pages["is_said"] and max(pages["milliseconds"].values()) < MOST_PAGE_MS,
            is_exported,
            added < MOST_AGREEMENT_MB,
        ]
    print("  goals met" if all(goals) else "  GOALS MISSED")
    return 0 if all(goals) else 1


def _measure_export(environment: dict[str, str], folder: Path, count: int, runs: int) -> bool:
    own, bare = [], []
    for _ in range(runs):
        own.append(_site(environment, "export", str(folder / "own.csv")))
        bare.append(_site(environment, "bare", str(folder / "bare.csv")))
    own_rate = count / statistics.median(item["seconds"] for item in own)
    bare_rate = count / statistics.median(item["seconds"] for item in bare)
    share = statistics.median(
        loop["seconds"] / site["seconds"] for site, loop in zip(own, bare, strict=True)
    )
    added = max(item["megabytes"] for item in own)
    print(f"  export              {own_rate:10,.0f} rows/s   (goal: at least {LEAST_ROWS_PER_S:,})")
    print(f"  bare loop           {bare_rate:10,.0f} rows/s")
    print(f"  share of it         {share:10.2f}          (goal: at least {LEAST_SHARE_OF_BARE:g})")
    print(f"  memory added        {added:10.1f} MB       (goal: under {MOST_EXPORT_MB:g})")
    return own_rate >= LEAST_ROWS_PER_S and share >= LEAST_SHARE_OF_BARE and added < MOST_EXPORT_MB


def _run(environment: dict[str, str], *arguments: str) -> tuple[float, float]:
    """The seconds and the peak megabytes of a Python of its own."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - started, usage.ru_maxrss * BYTES_PER_KIB / MEGABYTE


def _environment(folder: Path) -> dict[str, str]:
    (folder / "static").mkdir()
    return {
        **os.environ,
        "PIEV_STATE": str(folder),
        "SECRET_KEY": secrets.token_urlsafe(32),
        # Pages without the list of static files that a site collects at its start.
        "DEBUG": "1",
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
    }


def _site(environment: dict[str, str], *arguments: str) -> Any:
    command = [sys.executable, "-m", "bench.ratings_site", *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
