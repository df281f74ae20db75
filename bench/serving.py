"""The site of this process's environment behind gunicorn, for benches that open it in a browser."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, sync_playwright

from bench.saving import free_port

if TYPE_CHECKING:
    from annotation.models import User

REPOSITORY = Path(__file__).resolve().parent.parent
# Both play H.264; the first draws no windows that nobody sees, and so takes half the time.
BROWSERS = ("chromium-headless-shell", "chromium")
PORT = free_port()
ADDRESS = f"http://127.0.0.1:{PORT}"
# Counts from now on how far apart animation frames are.
RECORD_GAPS = """() => {
  window.gaps = [];
  let last = performance.now();
  const look = (now) => {
    window.gaps.push(now - last);
    last = now;
    window.recording = requestAnimationFrame(look);
  };
  window.recording = requestAnimationFrame((now) => { last = now; look(now); });
}"""
STOP_GAPS = "() => { cancelAnimationFrame(window.recording); return window.gaps.slice(2); }"


def browser_path() -> str:
    """The browser that `make test` installs; ends the bench where there is none."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        sys.exit(f"no browser; install one of the Debian packages {', '.join(BROWSERS)}")
    return path


@contextmanager
def served() -> Iterator[None]:
    command = [sys.executable, "-m", "gunicorn", "piev_site.wsgi:application"]
    command += ["--bind", f"127.0.0.1:{PORT}", "--worker-class", "gthread", "--threads", "8"]
    command += ["--log-level", "warning"]
    server = subprocess.Popen(command, cwd=REPOSITORY)
    try:
        yield
    finally:
        server.terminate()
        server.wait(30)


@contextmanager
def page_of(person: "User") -> Iterator[Page]:
    """A page of a browser in which somebody is logged in, once the server answers."""
    # Benches import this before they have set up Django.
    from django.conf import settings  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    client = Client()
    client.force_login(person, backend="annotation.logins.AccountBackend")
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        browser = playwright.chromium.launch(executable_path=browser_path(), args=flags)
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        cookie: Any = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": ADDRESS}
        context.add_cookies([cookie])
        page = context.new_page()
        wait_for_server(page, ADDRESS)
        yield page
        browser.close()


def wait_for_server(page: Page, address: str) -> None:
    for _ in range(100):
        try:
            page.request.get(f"{address}/login/")
        except PlaywrightError:  # as long as nothing listens there
            time.sleep(0.1)
        else:
            return
    sys.exit("the server did not start")
