"""The demo's site with something on every kind of page, and the addresses of those pages.

Made once for all test processes of a run; each of the tests looks at a part of the pages.
"""

import json
import re
import shutil
import sqlite3
from collections import deque
from contextlib import closing
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotation.models import Dataset, Phase, User
from generation.models import Run
from generation.services.run_work import work_on_takes
from sample.management.commands.demo import RUN_NAME
from sample.site import ADMINISTRATOR, ANNOTATOR, DATASET_NAME
from tests.demo_site import DemoSite, folder_of_the_run
from tests.e2e.benchmark_site import make_benchmark_site
from tests.e2e.protocol_site import make_protocol_site
from tests.e2e.site import in_worker
from tests.migrated import alone

# The administration and the page to try the API come with their frameworks; the rest are no pages.
NOT_OURS = re.compile(
    r"^/(admin|api/try|api/v1|static|logout)/|\.(csv|jsonl?|vtt|eaf|png|mp4|svg|pdf|tex|md)$"
    r"|^/benchmarks/.*/(table|tables/\w+|download|judges-and-people)/[\w-]+/$"
)
# Pages that differ by an id or a place in a list alone have the same elements.
VARYING = re.compile(r"/(?:[\w-]{12}|[0-9a-f]{16}|\d+)(?=/)")
WORKED_OFF = 2


def kind_of(path: str) -> str:
    return VARYING.sub("/…", path)


@pytest.fixture
def pages(transactional_db, settings, tmp_path_factory) -> dict[str, dict[str, str]]:
    """The site in the database of the test; by account, the address of a page of each kind."""
    if connection.vendor != "sqlite":
        pytest.skip("the demo's site is kept as an SQLite file; pages look alike on all databases")
    folder = folder_of_the_run(tmp_path_factory, "crawled")
    kept, told = folder / "site.sqlite3", folder / "pages.json"
    settings.MEDIA_ROOT = folder / "media"
    with alone("crawled"):
        if not told.exists():
            demo = DemoSite(folder_of_the_run(tmp_path_factory, "demo"))
            shutil.copytree(demo.state / "media", settings.MEDIA_ROOT, dirs_exist_ok=True)
            give_database(demo.as_made)
            more = fill_site()
            kept.unlink(missing_ok=True)
            connection.cursor().execute("vacuum into %s", [str(kept)])
            found = {account: linked_pages(account, more[account]) for account in more}
            told.write_text(json.dumps(found))
    give_database(kept)
    return json.loads(told.read_text())


def give_database(path) -> None:
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as kept:
        kept.backup(connection.connection)


def fill_site() -> dict[str, list[str]]:
    """The run begun, a campaign amid its protocol, item sets answered.

    Returns the pages that only redirects lead to, and those that are other pages than their
    address tells.
    """
    dataset = Dataset.objects.get(name=DATASET_NAME)
    takes = Run.objects.get(name=RUN_NAME).run_takes.order_by("position")
    job_ids = list(takes.values_list("job_id", flat=True)[:WORKED_OFF])
    in_worker(lambda: work_on_takes(job_ids=job_ids))
    training = make_protocol_site(dataset).rounds.get(phase=Phase.TRAINING)
    annotator = User.objects.get(username=ANNOTATOR)
    researchers, own = make_benchmark_site(dataset, annotator)
    return {
        ANNOTATOR: [reverse("consent", args=[training.public_id]), *own],
        ADMINISTRATOR: researchers,
    }


class Links(HTMLParser):
    def __init__(self, page: str):
        super().__init__()
        self.paths: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        address = dict(attrs).get("href")
        if tag == "a" and address and not urlsplit(address).netloc:
            self.paths.append(address)


def linked_pages(account: str, more: list[str]) -> dict[str, str]:
    """Every kind of page that links lead to from the start page -> the first such page.

    The pages of `more` are a kind each.
    """
    client = Client()
    client.force_login(User.objects.get(username=account))
    found: dict[str, str] = {}
    waiting = deque(["/", *more])
    while waiting:
        path = waiting.popleft()
        kind = path if path in more else kind_of(path)
        if kind in found or NOT_OURS.search(path):
            continue
        found[kind] = path
        answer = client.get(path, follow=True)
        links = Links(answer.content.decode()).paths
        waiting += (urlsplit(urljoin(answer.request["PATH_INFO"], link)).path for link in links)
    return found
