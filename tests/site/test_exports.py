"""Everything that leaves the site, with formulas and markup in every text that a person can write.

The addresses come from the URL conf and the forms from their registries: an address that this test
cannot open has to stand in `CLOSED`, so that a new export is not forgotten.
"""

import csv
import io
import itertools
import json
import re
import zipfile
from xml.etree import ElementTree

import pytest
from django.apps import apps
from django.db import models
from django.test import Client

from annotation.analytics.pictures.canvas import PictureFormat
from annotation.analytics.pictures.paper_pictures import PaperPicture
from annotation.analytics.tables.paper_tables import PaperTable
from annotation.analytics.tables.table_writers import TableFormat
from annotation.engine.rubric.rubric import Metric
from annotation.models import (
    Case,
    CaseComment,
    Dataset,
    FilingMoment,
    Remark,
    Role,
)
from annotation.services.campaigns.protocol import accept_consent, file_protocol, set_consent_text
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.ratings.gold import NewGold, mark_gold
from benchmarks.models import FeatureSet, Item
from benchmarks.selectors.downloads import Download
from benchmarks.services.answering import start_answering
from generation.engine.stages import Stage
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from sample.corpus import load_corpus
from segments.formats.exchange import segment_formats
from segments.models import Segment
from tests.annotation.two_rounds import make_two_rounds
from tests.benchmarks.asked import small_set
from tests.benchmarks.made import as_csv, baseline_values, uploaded
from tests.factories import DatasetFactory, UserFactory
from tests.generation.tea import add_take, request_for
from tests.generation.text_endpoints import make_endpoint
from tests.generation.video_endpoints import make_video_endpoint
from tests.routes import routes_of_the_site
from tests.segments.campaigns import audit_and_correction

pytestmark = pytest.mark.django_db

STARTS = ("=", "+", "-", "@", "\t=", "\r=", "＝", "＋", "－", "＠", " =", "\ufeff=", "\u200b@")
UNSEEN = " \t\r\n\v\f\u00a0\u3000\u200b\ufeff"
FORMULA = re.compile(rf"[{UNSEEN}]*[=+\-@＝＋－＠]")
NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d+)?")
# What people write, by field; texts of machines (hashes, states, file formats) are no matter.
WRITTEN = {
    "name", "title", "text", "uid", "label", "note", "reason", "comment", "username", "first_name",
    "last_name", "email", "scenario", "profile_name", "stop_rule", "let_in_reason", "hypotheses",
    "exclusions", "changes", "reference_reason", "event_id", "detail", "entity", "raw", "made_by",
    "model_name", "proposal_source", "source", "edited_text", "error", "video_pattern", "stem",
}  # fmt: skip
OWN_APPS = ("annotation", "segments", "generation", "benchmarks")


def hostile(place: int) -> str:
    """A text that begins a formula, has a tag, ends quotes, and commands LaTeX."""
    return f"{STARTS[place % len(STARTS)]}<xss i={place}>\"'|\\input{{x}}&lt;](javascript:0)"


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
    audit = make_two_rounds(owner)
    rating = audit.rounds.get(number=2).assignments.order_by("pk").first()
    Remark.objects.create(
        assignment=rating, kind="comment", text="x", revision=1, client_id="a", client_sequence=1,
        written_at=rating.round.opened_at,
    )  # fmt: skip
    gold = NewGold(0, Metric.PROCEDURE_LOGIC, ["yes"], reason="x")
    mark_gold(campaign=audit, trace=rating.trace, new=gold, actor=owner)
    consent = set_consent_text(campaign=audit, text="x", actor=owner)
    accept_consent(text=consent, rater=rating.rater)
    case = Case.objects.create(
        round=audit.rounds.get(number=1), trace=rating.trace, event=rating.trace.events.get(),
        metric="confusability",
    )  # fmt: skip
    CaseComment.objects.create(case=case, author=owner, text="x", client_key="k")
    _, people, *_ = audit_and_correction(owner, name="Segments")
    tea = DatasetFactory(name="Tea to plan", owner=owner)
    for uid in ("tea-a", "tea-b"):
        add_take(tea, uid)
    run = create_run(request=request_for(tea, stages=list(Stage)), actor=owner).run
    work_on_takes(job_ids=[take.job_id for take in run.run_takes.all()])
    target = ImportTarget(name="Everyday", format="native", owner=owner, is_shared=False)
    import_reading(load_corpus(), target=target, actor=owner)
    item_set = small_set(Dataset.objects.get(name="Everyday"), owner, item_count=4)
    uploaded(item_set, owner, as_csv(item_set, baseline_values(item_set)))
    start_answering(item_set=item_set, person=rating.rater, actor=owner)
    make_endpoint(owner=owner)
    make_video_endpoint(owner=owner)
    FeatureSet.objects.create(dataset=tea, owner=owner, name="x", width=1)
    assert spoil_everything() > 100
    file_protocol(campaign=audit, moment=FilingMoment.BEFORE_MAIN, actor=owner)
    return {"owner": owner, "people": [rating.rater, people["ann"], people["cem"]]}


def routes():
    """Every route of the site but those of the administration."""
    return [route for route in routes_of_the_site() if not route.startswith("admin/")]


def ids_of(word):
    """The public ids of what the first word of an address names."""
    models_of = {
        "audit": "annotation.Assignment", "assignments": "annotation.Assignment",
        "cases": "annotation.Case", "campaigns": "annotation.Campaign",
        "datasets": "annotation.Dataset", "graphs": "annotation.Dataset",
        "takes": "annotation.Take", "traces": "annotation.Trace", "gold": "annotation.GoldItem",
        "rounds": "annotation.Round", "queue": "annotation.Round", "training": "annotation.Round",
        "runs": "generation.Run", "segments": "annotation.Segmentation",
        "segmentations": "annotation.Segmentation", "sets": "benchmarks.ItemSet",
        "item-sets": "benchmarks.ItemSet", "assessments": "benchmarks.Assessment",
        "answering": "benchmarks.Assessment", "features": "benchmarks.FeatureSet",
        "feature-sets": "benchmarks.FeatureSet", "endpoints": "generation.TextEndpoint",
        "text-endpoints": "generation.TextEndpoint", "video": "generation.VideoEndpoint",
        "video-endpoints": "generation.VideoEndpoint", "filed": "annotation.ProtocolFile",
    }  # fmt: skip
    if word not in models_of:
        return []
    rows = apps.get_model(models_of[word]).objects.order_by("pk")
    return list(rows.values_list("public_id", flat=True)[:40])


def values_of(route, name):
    """What a part of an address may be."""
    words = route.removeprefix("api/v1/").removeprefix("benchmarks/").split("/")
    forms = [*(form.value for form in TableFormat), *(form.value for form in PictureFormat)]
    fixed = {
        "number": ["1", "2"], "position": ["0"], "place": ["0"], "head": ["1"], "form": forms,
        "table": [key.value for key in PaperTable], "picture": [key.value for key in PaperPicture],
        "which": [*Download, "all", "suspect"], "task": ["step_mistakes"],
        "kind": ["pairs", "shared", "confusion", "drift", "take", "trace"],
        "suffix": ["csv", "tex", "md", *(form.value for form in PictureFormat)],
        "side": ["first", "last"],
    }  # fmt: skip
    if name in fixed:
        return fixed[name]
    named = {
        "filed_id": ids_of("filed"), "trace_id": ids_of("traces")[:6],
        "recording": ids_of("traces")[:3], "other_id": ids_of("assessments"),
        "round_id": ids_of("rounds"), "key": list(Item.objects.values_list("key", flat=True)[:2]),
    }  # fmt: skip
    if name == "key" and "<str:" in route:
        return [key.value for key in (PaperTable if "table-" in route else PaperPicture)]
    if name != "public_id":
        return named.get(name, [])
    if words[0] == "walks":
        return [*ids_of("takes")[:3], *ids_of("traces")[:3]]
    return ids_of("video" if route.startswith("endpoints/video/") else words[0])


def addresses_of(route):
    """The addresses that a route makes, at most 40 of them."""
    names = re.findall(r"<\w+:(\w+)>", route)
    choices = [values_of(route, name) for name in names]
    for chosen in itertools.islice(itertools.product(*choices), 40):
        text = route
        for name, value in zip(names, chosen, strict=True):
            text = re.sub(rf"<\w+:{name}>", value, text)
        yield f"/{text}"


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
    cells = (cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row)
    return [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)]


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
    "api/v1/assignments/<slug:public_id>/feedback/", "api/v1/trainings/<slug:public_id>/again/",
    "training/<slug:round_id>/", "training/feedback/<slug:assignment_id>/",
    "queue/<slug:public_id>/next/", "queue/<slug:round_id>/consent/",
    "queue/<slug:round_id>/segments/", "rounds/<slug:round_id>/examples/<int:place>/",
    "gold/<slug:gold_id>/retire/", "campaigns/<slug:public_id>/guidelines/<int:number>/edit/",
    "campaigns/<slug:public_id>/raters/leaving/", "campaigns/<slug:public_id>/raters/password/",
    "campaigns/<slug:public_id>/segment-rounds/<int:number>/proposals/<slug:upload_id>/",
    # The same file as that of the API, by a form.
    "campaigns/<slug:public_id>/segment-rounds/<int:number>/results/file/",
    "benchmarks/assessments/<slug:public_id>/tables/<slug:key>/<slug:form>/",
    "benchmarks/sets/<slug:public_id>/compare/", "benchmarks/walks/<slug:kind>/<slug:public_id>/",
    "benchmarks/sets/<slug:public_id>/recordings/<slug:recording>/",
}  # fmt: skip
OF_FILES = re.compile(
    r"/clips/|\.jpg|/pictures/<int|/video/file/|^video/|/import/<slug:upload_id>/"
)


def opened(clients, route):
    """The answers to all addresses of a route, of everybody up to who is let in."""
    answers = []
    for client in clients:
        answers += [
            (address + query, client.get(address + query))
            for address in addresses_of(route)
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
    forms, closed, faults = set(), set(), []
    for route in routes():
        statuses = set()
        for address, answer in opened(clients, route):
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
