"""200 people who review texts at the same moment: nobody gets an error, and nothing is lost.

    python -m bench.reviewers [--database sqlite|postgresql] [--people 200] [--texts 3]

The site behind gunicorn as in `bench.saves`, with a private database. All begin at one moment; each
opens a text, gives a verdict and goes on to the next, as fast as the site answers. Half of the
people reject, so that about half of the texts go to a third person. Then the table is read: each
answered save is a verdict, no text has more than two places and a third where they differ.
"""

import argparse
import http.client
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from time import perf_counter
from urllib.parse import urlencode

from bench.load import HOST
from bench.saving import REPOSITORY, served
from bench.texts import dataset_of, open_round

# isort: split
# The line above has set up Django.
import numpy as np
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Role, Round, User
from texts.engine.deciding import DECIDING_PLACE, differ
from texts.models import TextVerdict
from texts.selectors.verdicts import given_by_item

TOKEN = "b" * 32
LIMIT_S = 120
REVISION = re.compile(r'name="revision" value="(\d+)"')
# Kinds of answers, with what each is when all is well.
WELL = {"page": 200, "save": 302}
Times = dict[str, list[tuple[int, float]]]


def main() -> int:
    parser = argparse.ArgumentParser(description="People who review at the same moment.")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--texts", type=int, default=3, help="texts that each person reads")
    options = parser.parse_args()
    if options.database == "postgresql" and not os.environ.get("DATABASE_URL"):
        script = str(REPOSITORY / "scripts" / "with_postgresql.py")
        command = [sys.executable, script, sys.executable, "-m", "bench.reviewers", *sys.argv[1:]]
        return subprocess.run(command, cwd=REPOSITORY, check=False).returncode
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    owner = User.objects.create_user("owner", role=Role.RESEARCHER)
    people = [User.objects.create_user(f"reader{n}") for n in range(options.people)]
    count = options.people * options.texts // 2
    made = open_round(owner, dataset_of(owner), count, people)
    work = [_work(made, person) for person in people]
    with served("piev_site.wsgi:application", dict(os.environ)) as port:
        times, elapsed_s = _at_once(port, work)
    return 0 if _told(times, elapsed_s) & _kept(made, times) else 1


def _work(made: Round, person: User) -> tuple[str, str, list[str]]:
    """A person's cookies, verdict, and texts in the order of the queue."""
    client = Client()
    client.force_login(person)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={TOKEN}"
    own = TextVerdict.objects.filter(round=made, person=person).order_by("position")
    ids = list(own.values_list("public_id", flat=True))
    return cookies, "reject" if person.pk % 2 else "accept", ids


def _at_once(port: int, work: list[tuple[str, str, list[str]]]) -> tuple[Times, float]:
    """What was answered after how many s, by kind of request; all begin at one moment."""
    times: Times = {name: [] for name in WELL}
    barrier = threading.Barrier(len(work) + 1)

    def ask(name: str, cookies: str, path: str, fields: dict[str, str] | None = None) -> str:
        body = urlencode(fields, doseq=True) if fields else None
        headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        connection = http.client.HTTPConnection(HOST, port, timeout=LIMIT_S)
        begun = perf_counter()
        try:
            connection.request("POST" if body else "GET", path, body, headers)
            answer = connection.getresponse()
            status, page = answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            status, page = 0, str(error)
        finally:
            connection.close()
        times[name].append((status, perf_counter() - begun))
        return page

    def review(cookies: str, verdict: str, ids: list[str]) -> None:
        barrier.wait()
        for public_id in ids:
            path = reverse("text", args=[public_id])
            revision = REVISION.search(ask("page", cookies, path))
            sent = {"verdict": verdict, "reasons": "unclear", "seconds": "1"}
            sent |= {"revision": revision[1] if revision else "0", "csrfmiddlewaretoken": TOKEN}
            ask("save", cookies, path, sent)

    threads = [threading.Thread(target=review, args=item) for item in work]
    for thread in threads:
        thread.start()
    barrier.wait()
    begun = perf_counter()
    for thread in threads:
        thread.join()
    return times, perf_counter() - begun


def _told(times: Times, elapsed_s: float) -> bool:
    is_well = True
    for name in WELL:
        statuses = Counter(status for status, _ in times[name])
        took_ms = 1000 * np.array([seconds for _, seconds in times[name]])
        print(
            f"   {name}: {len(took_ms):,} requests, answers {dict(statuses)}, median"
            f" {np.median(took_ms):.0f} ms, 95th percentile {np.percentile(took_ms, 95):.0f} ms"
        )
        is_well &= set(statuses) == {WELL[name]}
    print(f"   all in {elapsed_s:.1f} s; load average {os.getloadavg()[0]:.1f}")
    return is_well


def _kept(made: Round, times: Times) -> bool:
    """Whether every answered save is a verdict, and a third has the texts on which two differ."""
    saved = sum(status == WELL["save"] for status, _ in times["save"])
    verdicts = TextVerdict.objects.filter(round=made).exclude(verdict="").count()
    thirds = TextVerdict.objects.filter(round=made, place=DECIDING_PLACE)
    disputed = {item for item, given in given_by_item(made).items() if differ(given)}
    is_right = set(thirds.values_list("item_id", flat=True)) == disputed
    print(
        f"   {verdicts:,} verdicts of {saved:,} answered saves; {len(disputed):,} texts in dispute,"
        f" {thirds.count():,} with a third person"
    )
    return is_right and verdicts == saved


if __name__ == "__main__":
    sys.exit(main())
