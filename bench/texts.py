"""The pages of a round of texts: how long each takes, and in how many queries, with 10,000 texts.

    python -m bench.texts [--texts 10000] [--runs 20]

A private database in a folder of its own. The same pages are opened in a round of 100 texts, in the
same run: what grows with the round is seen in their ratio. Times are of the site's own code without
a browser, medians of the runs. The page of a text has the goals; the others are told beside it.
"""

import argparse
import os
import secrets
import sys
import tempfile
from statistics import median
from time import perf_counter

import django

STATE = tempfile.TemporaryDirectory(prefix="piev-bench-")
# A private database, whatever this machine is set up to use.
KEPT_DATABASE = os.environ.get("DATABASE_URL", "") if "postgresql" in sys.argv else ""
os.environ.update(PIEV_STATE=STATE.name, DATABASE_URL=KEPT_DATABASE, DEBUG="0")
os.environ.update(SECRET_KEY=secrets.token_urlsafe(32), LOG_LEVEL="WARNING")
os.environ["DJANGO_SETTINGS_MODULE"] = "piev_site.settings"
django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Dataset, Role, Round, Step, Take, User
from annotation.services.campaigns.campaigns import add_raters
from texts.models import TextVerdict
from texts.services.rounds import NewTextRound, TextDraft, begin_reading, open_text_round

TAKES, STEPS, PEOPLE, FEW = 100, 12, 3, 100
GOAL_MS, GOAL_QUERIES = 100.0, 12
# What of a round is read already when its pages are opened.
READ_SHARE = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the pages of a round of texts.")
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["testserver"]
    owner = User.objects.create_user("owner", role=Role.RESEARCHER)
    dataset = dataset_of(owner)
    rounds = {count: _round(owner, dataset, count) for count in (FEW, options.texts)}
    rows = {count: _measured(made, owner, options.runs) for count, made in rounds.items()}
    is_met = True
    for name, (ms, queries) in rows[options.texts].items():
        few_ms, few_queries = rows[FEW][name]
        print(
            f"   {name:<16} {ms:8.1f} ms, {queries} queries; with {FEW} texts {few_ms:.1f} ms,"
            f" {few_queries} queries ({ms / few_ms:.1f} times)"
        )
        if name in ("first opening", "text", "verdict"):
            is_met = is_met and ms < GOAL_MS and queries <= GOAL_QUERIES
    print(f"   goal of a text and its verdict: under {GOAL_MS:g} ms, in {GOAL_QUERIES} queries")
    print(f"   load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return 0 if is_met else 1


def dataset_of(owner: User) -> Dataset:
    dataset = Dataset.objects.create(name="Bench", format="template", owner=owner)
    takes = Take.objects.bulk_create(
        Take(dataset=dataset, uid=f"take{n}", name=f"take{n}", scenario="bench")
        for n in range(TAKES)
    )
    Step.objects.bulk_create(
        Step(take=take, index=index, step_id=str(index), text=f"Do number {index}")
        for take in takes
        for index in range(STEPS)
    )
    return dataset


def _round(owner: User, dataset: Dataset, count: int) -> Round:
    """An open round of so many texts, part of which is read."""
    people = [User.objects.create_user(f"reader{count}-{n}") for n in range(PEOPLE)]
    begun = perf_counter()
    planned = open_round(owner, dataset, count, people)
    print(f"   {count:,} texts handed over and given out in {perf_counter() - begun:.2f} s")
    places = TextVerdict.objects.filter(round=planned).order_by("position")
    read = list(places[: int(count * READ_SHARE) * 2])
    for own in read:
        own.started_at = own.given_at = planned.created_at
        own.verdict = "accept" if own.pk % 4 else "reject"
        own.reasons = [] if own.pk % 4 else ["unclear", "language"]
        own.seconds = 5.0
    TextVerdict.objects.bulk_update(
        read, ["started_at", "given_at", "verdict", "reasons", "seconds"], batch_size=500
    )
    planned.refresh_from_db()
    return planned


def open_round(owner: User, dataset: Dataset, count: int, people: list[User]) -> Round:
    takes = list(dataset.takes.values_list("pk", flat=True))
    drafts = [
        TextDraft(
            source_key=str(n), take=takes[n % TAKES], text=f"Did I do number {n}?",
            answer="No, I left it out.", label="Missing step", group=f"kind {n % 5}",
            step_index=n % STEPS,
        )
        for n in range(count)
    ]  # fmt: skip
    planned = begin_reading(
        name=f"Bench {count}",
        datasets=[dataset],
        new=NewTextRound(origin=f"bench:{count}"),
        drafts=drafts,
        actor=owner,
    )
    add_raters(campaign=planned.campaign, raters=people, actor=owner)
    open_text_round(planned=planned, actor=owner)
    planned.refresh_from_db()
    return planned


def _measured(made: Round, owner: User, runs: int) -> dict[str, tuple[float, int]]:
    """Median ms and queries of each page by its name."""
    person = made.raters.order_by("pk")[0].rater
    left = TextVerdict.objects.filter(round=made, person=person, verdict="").order_by("position")
    ids = list(left.values_list("public_id", flat=True)[: runs + 2])
    reader, researcher = Client(), Client()
    reader.force_login(person)
    researcher.force_login(owner)
    page = reverse("text-round", args=[made.campaign.public_id, made.number])
    campaign = reverse("campaign-detail", args=[made.campaign.public_id])
    verdict = {"verdict": "accept", "revision": 0, "seconds": 3}
    works = {
        "first opening": lambda n: reader.get(reverse("text", args=[ids[n]])),
        "text": lambda n: reader.get(reverse("text", args=[ids[n]])),
        "verdict": lambda n: reader.post(reverse("text", args=[ids[n]]), verdict),
        "next": lambda n: reader.get(reverse("text-next", args=[made.public_id])),
        "queue": lambda n: reader.get(reverse("queue")),
        "page of a round": lambda n: researcher.get(page),
        "campaign": lambda n: researcher.get(campaign),
    }
    found = {}
    for name, work in works.items():
        work(runs + 1)
        times, queries = [], []
        for n in range(runs):
            with CaptureQueriesContext(connection) as captured:
                begun = perf_counter()
                answer = work(n)
                times.append(1000 * (perf_counter() - begun))
            if answer.status_code not in (200, 302):
                sys.exit(f"{name} answered {answer.status_code}")
            queries.append(len(captured))
        found[name] = (median(times), max(queries))
    return found


if __name__ == "__main__":
    sys.exit(main())
