"""Every address that answers a GET: queries, processor time, and growth from a tenth of the size.

Three worlds: a tenth, the whole with 100,000 ratings, the whole with 1,000,000; by `--raters`
that of 100,000 has as many, else 50. Each is made once and kept in a folder of its own, whose
name tells the size; delete it to make it anew. Every address of a route is asked by an
administrator, the owner and raters; the row is of the dearest. Beside an answer that is streamed
stands what sending the rest of it added to the peak of memory.

    python -m bench.addresses [--folder var/bench-addresses] [--only PART OF A ROUTE]
    python -m bench.addresses --raters 200 --sizes 2
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
# takes, ratings, campaigns, raters
TENTH = (500, 10_000, 20, 50)
WHOLE = (5_000, 100_000, 200, 50)
MILLION = (5_000, 1_000_000, 200, 50)
# What the project promises.
MOST_CPU_MS, MOST_QUERIES = 150.0, 15
MOST_STREAM_MB = 50.0


def main() -> int:
    """Print one table; return 1 when an address is over the goal."""
    parser = argparse.ArgumentParser(description="Measure what every address costs.")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "var" / "bench-addresses")
    parser.add_argument("--only", default="", help="only routes with this in them")
    parser.add_argument("--sizes", type=int, default=3, help="leave out the last with 2")
    parser.add_argument("--raters", type=int, default=WHOLE[3], help="in the world of 100,000")
    options = parser.parse_args()
    whole = (*WHOLE[:3], options.raters)
    worlds = [
        _walked(options.folder / "-".join(map(str, size)), size, options.only)
        for size in (TENTH, whole, MILLION)[: options.sizes]
    ]
    routes = sorted(
        {route for world in worlds for route in world},
        key=lambda route: -max(_of(world, route, "cpu_ms") for world in worlds[1:]),
    )
    print(_line("route", ["queries", "CPU ms", "growth", "kB", "MB", ""]))
    over = [route for route in routes if _print_row(route, worlds)]
    print(f"  {len(routes)} routes answer, {len(over)} are over the goal:", end=" ")
    print(f"under {MOST_CPU_MS:g} ms and at most {MOST_QUERIES} queries")
    print("  GOALS MISSED" if over else "  goals met")
    return 1 if over else 0


def _of(world: dict[str, Any], route: str, name: str) -> float:
    return float(world[route][name]) if route in world else 0.0


def _line(route: str, cells: list[str]) -> str:
    widths = (14, 24, 7, 10, 6, 5)
    return f"{route:<72}" + "".join(
        f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)
    )


def _print_row(route: str, worlds: list[dict[str, Any]]) -> bool:
    """Print the figures of a route in all worlds; whether it is over the goal in a large one."""
    cpu = [_of(world, route, "cpu_ms") for world in worlds]
    queries = [int(_of(world, route, "queries")) for world in worlds]
    megabytes = max(_of(world, route, "megabytes") for world in worlds)
    is_over = (
        max(cpu[1:]) >= MOST_CPU_MS or max(queries) > MOST_QUERIES or megabytes > MOST_STREAM_MB
    )
    cells = [
        " ".join(map(str, queries)),
        " ".join(f"{value:.1f}" for value in cpu),
        f"{max(cpu[1:]) / cpu[0]:.1f}" if cpu[0] else "",
        f"{_of(worlds[-1], route, 'kilobytes'):.0f}",
        f"{megabytes:.0f}" if megabytes else "",
        "OVER" if is_over else "",
    ]
    print(_line(route, cells))
    return is_over


def _walked(folder: Path, size: tuple[int, ...], part: str) -> dict[str, Any]:
    """The costs by route in the world of a folder, which is made if it is not there."""
    environment = {
        **os.environ,
        "PIEV_STATE": str(folder),
        "DATABASE_URL": "",
        "SECRET_KEY": secrets.token_urlsafe(32),
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
    }
    if not (folder / "world.json").exists():
        folder.mkdir(parents=True)
        _site(environment, "prepare", *map(str, size))
    walked: dict[str, Any] = _site(environment, "walk", part)
    return walked


def _site(environment: dict[str, str], *arguments: str) -> Any:
    command = [sys.executable, "-m", "bench.addresses_site", *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
