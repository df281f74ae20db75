"""Everything that leaves the site, with formulas and markup in every text that a person can write.

The addresses come from the URL conf and the forms from their registries: an address that this test
cannot open has to stand in `CLOSED`, so that a new export is not forgotten.
"""

import csv
import io
import json
import re
import zipfile
from xml.etree import ElementTree

import pytest
from django.apps import apps
from django.db import models
from django.test import Client

from annotation.models import (
    Dataset,
    FilingMoment,
    Role,
)
from annotation.services.campaigns.protocol import file_protocol
from segments.formats.exchange import segment_formats
from segments.models import Segment
from tests.annotation.drawn import get_drawn
from tests.factories import UserFactory
from tests.routes import own_routes
from tests.site.furnished import addresses_of, all_ids, furnish, judged_set

pytestmark = pytest.mark.django_db

STARTS = ("=", "+", "-", "@", "\t=", "\r=", "＝", "＋", "－", "＠", " =", "\ufeff=", "\u200b@")
UNSEEN = " \t\r\n\v\f\u00a0\u3000\u200b\ufeff"
FORMULA = re.compile(rf"[{UNSEEN}]*[=+\-@＝＋－＠]")
# A negative number, with the other cells of its row where these were not taken apart.
NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d+)?(,|$)")
# What people write, by field; texts of machines (hashes, states, file formats) are no matter.
WRITTEN = {
    "name", "title", "text", "uid", "label", "note", "reason", "comment", "username", "first_name",
    "last_name", "email", "scenario", "profile_name", "stop_rule", "let_in_reason", "hypotheses",
    "exclusions", "changes", "reference_reason", "event_id", "detail", "entity", "raw", "made_by",
    "model_name", "proposal_source", "source", "edited_text", "error", "video_pattern", "stem",
}  # fmt: skip
OWN_APPS = ("annotation", "segments", "texts", "generation", "benchmarks")


def hostile(place: int) -> str:
    """A text that begins two formulas, has a tag, ends quotes, and commands LaTeX."""
    start = STARTS[place % len(STARTS)]
    return f"{start}<xss i={place}>;=\"'|\\input{{x}}&lt;](javascript:0)"


def spoil_everything() -> int:
    """Write such a text into every field that people write; returns into how many rows."""
    count = 0
    for model in apps.get_models():
        if model._meta.app_label not in OWN_APPS:
            continue
        fields = [
            field
            for field in model._meta.get_fields()
            if isinstance(field, models.CharField | models.TextField)
            and field.name in WRITTEN
            and not field.choices
        ]
        for row in model._base_manager.all() if fields else ():
            count += 1
            changes = {
                field.name: hostile(row.pk)[: field.max_length]
                for field in fields
                if getattr(row, field.name) or model is Segment
            }
            model._base_manager.filter(pk=row.pk).update(**changes)
    return count


@pytest.fixture
def world(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    owner = UserFactory(username="owner", role=Role.RESEARCHER)
    house = furnish(owner)
    judged_set(Dataset.objects.get(name="Everyday"), owner)
    assert spoil_everything() > 100
    file_protocol(campaign=house.audit, moment=FilingMoment.BEFORE_MAIN, actor=owner)
    return {"owner": owner, "people": house.people}


def queries_of(route):
    if route.endswith("results/file/") or route.endswith("segment-rounds/<int:number>/file/"):
        return [f"?form={name}&rate=25" for name in segment_formats()]
    if route.endswith("segmentations/<slug:public_id>/export/"):
        return [f"?format={name}" for name in segment_formats()]
    return [""]


def faults_of(name, content):
    """What in a file could run, by the kind that its name ends with."""
    ending = name.rpartition(".")[2]
    if ending == "zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inside = archive.namelist()
            return [fault for item in inside for fault in faults_of(item, archive.read(item))]
    if ending in READERS:
        return READERS[ending](content.decode())
    return [] if ending in {"pdf", "jpg", "mp4", "txt", "yaml"} else [f"what is {name}?"]


def formulas(text):
    """Cells that start a formula, at whatever a spreadsheet takes the cells apart."""
    cells = [
        cell
        for separator in ",;\t"
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for cell in row
    ]
    return [cell for cell in cells if FORMULA.match(cell) and not NUMBER.match(cell)]


def strange_tags(text):
    tags = [item.tag for item in ElementTree.fromstring(text).iter()]  # noqa: S314
    return [tag for tag in tags if "xss" in tag or tag.endswith("script")]


def tags_of_cues(text):
    cues = [block for block in text.split("\n\n") if not block.startswith("NOTE")]
    return re.findall("<xss", "".join(cues))


def unread(text):
    json.loads(text)
    return []


READERS = {
    "csv": formulas,
    "svg": strange_tags,
    "eaf": strange_tags,
    "json": unread,
    "jsonl": lambda text: [fault for line in text.splitlines() for fault in unread(line)],
    "tex": lambda text: re.findall(r"\\input\{x\}", text),
    "md": lambda text: re.findall(r"(?<!\\)<xss|(?<!\\)\]\(javascript", text),
    "html": lambda text: re.findall("<xss", text),
    "vtt": tags_of_cues,
    # Whatever is outside of its quotation marks Praat would read.
    "TextGrid": lambda text: re.findall("<xss|=1", re.sub(r'"(?:[^"]|"")*"', "", text)),
}
ENDINGS = {
    "text/csv": ".csv", "text/html": ".html", "application/json": ".json", "image/svg+xml": ".svg",
    "text/markdown": ".md", "application/x-tex": ".tex", "application/pdf": ".pdf",
    "application/x-ndjson": ".jsonl", "application/zip": ".zip", "text/vtt": ".vtt",
    "application/xml": ".eaf", "image/jpeg": ".jpg", "video/mp4": ".mp4",
    "application/vnd.oai.openapi": ".txt", "text/plain": ".txt",
}  # fmt: skip


def name_of(answer):
    """The name of a file that is sent, else an ending by its type."""
    named = re.search(r'filename="([^"]+)"', answer.get("Content-Disposition", ""))
    if named:
        return named[1]
    kind = answer["Content-Type"].split(";")[0]
    return ENDINGS.get(kind, kind)


# Pages of links that are shown once, of uploads, of pictures and clips, of training, of what the
# world of this test has not; and those that only lead elsewhere.
CLOSED = {
    "", "login/", "join/<str:token>/", "password/link/<str:uidb64>/<str:token>/",
    "api/v1/assignments/<slug:public_id>/feedback/",
    "training/<slug:round_id>/", "training/feedback/<slug:assignment_id>/",
    "queue/<slug:public_id>/next/", "queue/<slug:round_id>/consent/",
    # Pages of `docs/`, by names that no id has.
    "help/<slug:name>/",
    # They open to raters of their round alone.
    "queue/<slug:round_id>/segments/", "queue/<slug:round_id>/texts/",
    "rounds/<slug:round_id>/examples/<int:place>/",
    "campaigns/<slug:public_id>/guidelines/<int:number>/edit/",
    "campaigns/<slug:public_id>/raters/leaving/", "campaigns/<slug:public_id>/raters/password/",
    "campaigns/<slug:public_id>/segment-rounds/<int:number>/proposals/<slug:upload_id>/",
    # The same file as that of the API, by a form.
    "campaigns/<slug:public_id>/segment-rounds/<int:number>/results/file/",
    "benchmarks/assessments/<slug:public_id>/tables/<slug:key>/<slug:form>/",
    # No recording of that house has two people: there is nothing to draw.
    "campaigns/<slug:public_id>/segment-rounds/<int:number>/agreement/edges.<str:suffix>",
    "benchmarks/sets/<slug:public_id>/compare/", "benchmarks/walks/<slug:kind>/<slug:public_id>/",
    "benchmarks/answering/<slug:public_id>/items/<slug:key>/recording/",
    "benchmarks/sets/<slug:public_id>/recordings/<slug:recording>/",
    "benchmarks/sets/<slug:public_id>/recordings/<slug:recording>/live/",
    "benchmarks/proposals/<slug:public_id>/recordings/<int:number>/",
    # Opens to Prometheus alone, and holds nothing that anybody wrote.
    "metrics",
}  # fmt: skip
OF_FILES = re.compile(
    r"/clips/|\.jpg|/pictures/<int|/video/file/|^video/|/import/<slug:upload_id>/"
)


def opened(clients, route, ids):
    """The answers to all addresses of a route, of everybody up to who is let in."""
    answers = []
    for client in clients:
        answers += [
            (address + query, get_drawn(client, address + query))
            for address in addresses_of(route, ids)
            for query in queries_of(route)
        ]
        if any(answer.status_code == 200 for _, answer in answers):
            break
    return answers


def test_no_text_that_somebody_wrote_runs_in_anything_that_leaves_the_site(world):
    people = [UserFactory(role=Role.ADMINISTRATOR), world["owner"], *world["people"]]
    clients = [Client(raise_request_exception=False) for _ in people]
    for client, person in zip(clients, people, strict=True):
        client.force_login(person)
    forms, closed, faults, ids = set(), set(), [], all_ids()
    for route in own_routes():
        statuses = set()
        for address, answer in opened(clients, route, ids):
            statuses.add(answer.status_code)
            if answer.status_code >= 500:
                faults.append((address, answer.status_code))
            if answer.status_code == 200:
                body = b"".join(answer) if answer.streaming else answer.content
                forms.add(name_of(answer).rpartition(".")[2])
                faults += [(address, fault) for fault in faults_of(name_of(answer), body)]
        if not statuses & {200, 405} and not OF_FILES.search(route):
            closed.add(route)

    assert faults == []
    assert closed == CLOSED
    assert forms >= {*READERS, "zip", "pdf"}
