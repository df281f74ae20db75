"""A web application that answers at once, or under /slow when the file GO in its folder exists."""

import os
import time
from pathlib import Path

FOLDER = Path(os.environ["SLOW_APP_FOLDER"])
with (FOLDER / "LOADED").open("a") as loads:
    loads.write(f"{os.getpid()}\n")


def application(environ, start_response):
    if environ["PATH_INFO"] == "/slow":
        (FOLDER / "STARTED").touch()
        while not (FOLDER / "GO").exists():
            time.sleep(0.05)
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]
