"""Export of 100,000 segments from the tables, beside a bare query written with the csv module.

Each runs in a process of its own on a private database, in turns; memory is what the export adds
to its process. A tenth of the segments is exported too: memory has to stay where it is.

    python -m bench.segment_export [--segments 100000] [--runs 3]
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.saving import ask_site, site_environment

SITE = "bench.segment_results_site"
PER_RECORDING, PEOPLE = 25, 2
FORMATS = ("piev", "table")
MOST_SECONDS = 5.0
# Ten times as many may add this much more: buffers of the database and of the allocator fill up.
MOST_GROWTH_MB = 20.0


def main() -> int:
    """Print the figures beside the peer; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the export of segments.")
    parser.add_argument("--segments", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    is_met = True
    with tempfile.TemporaryDirectory() as folder:
        environment = site_environment(Path(folder), "sqlite")
        rounds = {}
        for count in (options.segments // 10, options.segments):
            recordings = str(count // PER_RECORDING // PEOPLE)
            rounds[count] = ask_site(
                environment, "prepare", recordings, str(PER_RECORDING), site=SITE
            )
        few, many = rounds

        def ask(*words: object) -> Any:
            out = str(Path(folder) / "out")
            return ask_site(environment, *map(str, words), out, site=SITE)

        for form in FORMATS:
            own, bare = [], []
            for _ in range(options.runs):
                own.append(ask("export", rounds[many], form))
                bare.append(ask("bare", rounds[many]))
            small = ask("export", rounds[few], form)
            seconds = statistics.median(item["seconds"] for item in own)
            peer_s = statistics.median(item["seconds"] for item in bare)
            added = statistics.median(item["megabytes"] for item in own)
            growth = added - small["megabytes"]
            size = (Path(folder) / "out").stat().st_size
            print(f"{form}: {many:,} segments")
            work_s = statistics.median(item["work_s"] for item in own)
            print(
                f"  export           {seconds:8.2f} s    (goal: under {MOST_SECONDS:g}),"
                f" {work_s:.2f} s of them at work"
            )
            print(f"  bare query, csv  {peer_s:8.2f} s    x {seconds / peer_s:.1f}")
            print(f"  memory added     {added:8.1f} MB; of {few:,}: {small['megabytes']:.1f} MB")
            print(f"  growth           {growth:8.1f} MB   (goal: under {MOST_GROWTH_MB:g})")
            is_met = is_met and seconds < MOST_SECONDS and growth < MOST_GROWTH_MB and size > 0
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
