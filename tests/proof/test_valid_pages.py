"""Every page through the checkers that others use: vnu (the W3C's) and html-validate.

Both come from the npm registry; `npm` and `java` must be there.
"""

import json
import re
import shutil
import subprocess
from collections import deque
from urllib.parse import urlsplit

import pytest
from django.urls import reverse

from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from sample.management.commands.demo import demo_request
from sample.site import ADMINISTRATOR, ANNOTATOR, PASSWORD, make_sample_site
from tests.e2e.crawled_site import NOT_OURS, VARYING

# Matters of taste, a rule that takes every group of checkboxes for a mistake, and one that only
# recommends against what the standard allows (a name on <video>).
LEFT_OUT = (
    "no-trailing-whitespace", "form-dup-name", "aria-label-misuse", "long-title",
    "no-implicit-button-type", "no-inline-style", "prefer-tbody", "prefer-native-element",
)  # fmt: skip
HREF = re.compile(r'href="(/[^"#?]*)')


@pytest.fixture(scope="module")
def checkers(tmp_path_factory):
    """Return a folder with both checkers."""
    missing = [name for name in ("npm", "java") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}: apt-get install npm default-jre-headless")
    folder = tmp_path_factory.mktemp("checkers")
    subprocess.run(
        ["npm", "install", "--silent", "--no-fund", "--prefix", folder, "vnu-jar", "html-validate"],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture
def pages(transactional_db, settings, tmp_path, client):
    """Return a folder with every kind of page, as an administrator and an annotator get it."""
    settings.MEDIA_ROOT = tmp_path / "media"
    dataset = make_sample_site(say=lambda line: None)
    made = create_run(request=demo_request(dataset), actor=dataset.owner)
    work_on_takes(job_ids=made.job_ids[:2])
    folder = tmp_path / "pages"
    folder.mkdir()
    for account in (ADMINISTRATOR, ANNOTATOR):
        client.login(username=account, password=PASSWORD)
        seen, waiting = set(), deque([reverse("home"), reverse("queue")])
        while waiting:
            path = urlsplit(waiting.popleft()).path
            kind = VARYING.sub("/x", path)
            if kind in seen or NOT_OURS.search(path):
                continue
            seen.add(kind)
            answer = client.get(path, follow=True)
            if not answer.headers["Content-Type"].startswith("text/html"):
                continue
            text = answer.content.decode()
            (folder / f"{account}{kind.replace('/', '_')}.html").write_text(text)
            waiting += HREF.findall(text)
    return folder


def test_every_page_is_valid(checkers, pages):
    files = sorted(str(path) for path in pages.iterdir())
    assert len(files) > 25

    jar = checkers / "node_modules/vnu-jar/build/dist/vnu.jar"
    vnu = subprocess.run(
        ["java", "-jar", jar, "--format", "json", *files], capture_output=True, text=True
    )
    messages = [
        f"{urlsplit(item['url']).path}: {item['message']} {item.get('extract', '')[:80]!r}"
        for item in json.loads(vnu.stderr)["messages"]
    ]
    assert messages == []

    rules = {"extends": ["html-validate:recommended"], "rules": dict.fromkeys(LEFT_OUT, "off")}
    (checkers / ".htmlvalidate.json").write_text(json.dumps({"root": True, **rules}))
    report = checkers / "report.json"
    with report.open("w") as output:
        subprocess.run(
            [checkers / "node_modules/.bin/html-validate", "--config",
             checkers / ".htmlvalidate.json", "--formatter", "json", *files],
            stdout=output, cwd=checkers,
        )  # fmt: skip
    found = [
        f"{item['filePath']}:{message['line']}: {message['ruleId']}: {message['message']}"
        for item in json.loads(report.read_text())
        for message in item["messages"]
    ]
    assert found == []
