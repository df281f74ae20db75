"""`python -m bench`: run every bench in this package, one after the other.

Each bench prints its figures beside the named peer, measured in the same run, and exits 1 when a
goal is missed; so does this.
"""

import pkgutil
import subprocess
import sys
import time

import bench

SHARED_MODULES = {
    "__main__",
    "addresses_site",
    "addresses_walk",
    "addresses_world",
    "firefox",
    "floor_app",
    "item_sets_site",
    "load",
    "measure",
    "planted_faults",
    "planted_raters",
    "playing_videos",
    "ratings_site",
    "runs_site",
    "saves_site",
    "segment_results_site",
    "saving",
    "serving",
    "segments_site",
    "shared_data",
    "splice_recording",
    "video_jobs",
    "video_memory_site",
}


def main() -> int:
    names = [info.name for info in pkgutil.iter_modules(bench.__path__)]
    missed = []
    for name in sorted(set(names) - SHARED_MODULES):
        print(f"\n== {name}", flush=True)
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False)
        print(f"   ({time.perf_counter() - started:.0f} s)", flush=True)
        if done.returncode:
            missed.append(name)
    print("\nEvery goal is met." if not missed else f"\nGoals missed in: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
