"""Debian's Firefox, driven by Puppeteer over WebDriver BiDi; Playwright drives only its own build.

Node and npm are needed besides. Puppeteer is fetched once, into a folder of the user's cache.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

PUPPETEER = "puppeteer-core@25.16.0"
FOLDER = Path.home() / ".cache" / "piev-bench" / "puppeteer"
FETCHING_S, RUNNING_S = 300, 600


class NoFirefoxError(Exception):
    """Firefox cannot be driven here; the message says what is missing."""


def run_in_firefox(script: Path, options: dict[str, object]) -> dict[str, Any]:
    """What a script of Node prints that is given `options`, the browser and Puppeteer as JSON."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if firefox is None:
        raise NoFirefoxError("the Debian package firefox-esr is not installed")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise NoFirefoxError("the Debian packages nodejs and npm are not installed")
    if not (FOLDER / "node_modules" / "puppeteer-core").is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        fetch = [npm, "install", "--prefix", str(FOLDER), "--no-save", PUPPETEER]
        done = subprocess.run(fetch, capture_output=True, timeout=FETCHING_S, check=False)
        if done.returncode:
            raise NoFirefoxError(f"npm could not fetch {PUPPETEER}")
    given = {**options, "browser": firefox, "puppeteer": str(FOLDER / "bench.js")}
    ran = subprocess.run(
        [node, str(script)], input=json.dumps(given), capture_output=True, text=True,
        timeout=RUNNING_S, check=False,
    )  # fmt: skip
    if ran.returncode:
        errors = [line for line in ran.stderr.splitlines() if "Error" in line]
        raise NoFirefoxError(f"it failed ({next(iter(errors), ran.returncode)})")
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer
