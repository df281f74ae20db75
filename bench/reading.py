"""Reading the published files of CaptainCook4D, beside `json.loads` of the same files.

python -m bench.reading [--runs 5]
"""

import argparse
import json
import sys
from pathlib import Path

from annotation.engine.corpus.formats import captaincook4d
from bench.measure import median_seconds
from bench.shared_data import shared_data_folder

GOAL_S = 1.0


def main() -> int:
    """Print both times and their ratio; return 1 when reading takes longer than wanted."""
    parser = argparse.ArgumentParser(description="Measure the reading of CaptainCook4D.")
    parser.add_argument("--runs", type=int, default=5)
    folder = shared_data_folder() / "captaincook4d"
    seconds = median_seconds(
        {"read": lambda: captaincook4d.read(folder), "json": lambda: parse_all(folder)},
        parser.parse_args().runs,
    )
    ratio = seconds["read"] / seconds["json"]
    print(
        f"CaptainCook4D: read and checked in {seconds['read']:.2f} s, "
        f"json.loads alone {seconds['json']:.2f} s ({ratio:.1f} times); "
        f"goal: under {GOAL_S:g} s"
    )
    return 0 if seconds["read"] < GOAL_S else 1


def parse_all(folder: Path) -> None:
    for path in folder.rglob("*.json"):
        json.loads(path.read_text())


if __name__ == "__main__":
    sys.exit(main())
