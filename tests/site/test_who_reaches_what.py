"""Who reaches what: every address of the site with every method, asked by everybody there is.

Two owners have something of every kind. What each role gets of the first one's things stands in
`who_reaches_what.txt`, one line a route and method; a new route fails the test until it stands
there. Make the table anew, and read what changed in it, with
`WRITE_TABLE=1 pytest tests/site/test_who_reaches_what.py`.

Beside the table stand rules that no table can change: outsiders get of what exists the very answer
that they get of what does not, nothing is refused and changed all the same, and nothing is a fault
of the site's own.
"""

import html
import json
import os
import re
from hashlib import sha256
from http import HTTPStatus
from itertools import product
from pathlib import Path

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test import Client
from django.urls import resolve

from annotation.engine.campaigns.guideline import built_in_guideline
from annotation.engine.rubric.rubric import current_rubric
from annotation.models import (
    Assignment,
    Campaign,
    FilingMoment,
    GuidelineVersion,
    Phase,
    Role,
    Trace,
)
from annotation.services.campaigns.campaigns import NewCampaign, add_raters, create_campaign
from annotation.services.campaigns.invitations import make_invitation
from annotation.services.campaigns.protocol import file_protocol, set_consent_text
from annotation.services.corpus.uploads import UploadRequest, store_upload
from annotation.services.ratings.rounds import NewRound, plan_round
from annotation.services.records.accounts import make_password_link
from annotation.services.videos.tokens import video_token
from benchmarks.models import FeatureSet, ItemSet
from benchmarks.services.answering import start_answering
from generation.models import Run, RunTake, TakeClip
from segments.models import Segmentation, Stage
from tests.factories import UserFactory, VideoFactory, VideoIngestFactory
from tests.routes import own_routes
from tests.segments.campaigns import corrected, opened
from tests.site.furnished import addresses_of, all_ids, furnish, kind_of

pytestmark = pytest.mark.django_db

TABLE = Path(__file__).with_name("who_reaches_what.txt")
HEAD = "# nobody rater stranger invited member owner other reviewer participant administrator"
ROLES = HEAD.removeprefix("# ").split()
# Who has something of their own, the most first.
HOLDERS = ("owner", "rater", "reviewer", "participant")
OUTSIDERS = ("nobody", "stranger", "other")
# Links for people who have no account or password yet: whoever holds one may use it.
HELD_LINKS = ("join/", "password/link/")
INVENTED = "x0" * 8
ID = "ID-HERE"
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
# A session's last sight and the lock of logins are no matter of the one who is refused.
OF_LOGINS = re.compile(r'"(django_session|axes_\w+)"')
TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"|hx-headers=\S+|\?v=[^"&]+')
LINK = re.compile(r'<a\b[^>]* href="(/[^"#]*)')
PUBLIC_ID = re.compile(r"[\w-]{12,}(?=/)")
NOTHING = (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED)
GIVEN = range(200, 300)


@pytest.fixture
def world(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.STATE_FOLDER = tmp_path / "state"
    owner, other = (UserFactory(username=name, role=Role.RESEARCHER) for name in ("anna", "bert"))
    house = furnish(owner)
    member, invited = UserFactory(role=Role.RESEARCHER), UserFactory()
    add_raters(campaign=house.audit, raters=[member], actor=owner)
    draft = create_campaign(
        new=NewCampaign("Draft", phase=None), datasets=house.audit.datasets.all(), actor=owner
    )
    set_consent_text(campaign=draft, text="Do you agree?", actor=owner)
    add_raters(campaign=draft, raters=[invited, house.people[0]], actor=owner)
    asked = NewRound(Phase.PILOT, draft.guideline_versions.get(), overlap=2, per_dataset=1)
    plan_round(campaign=draft, new=asked, actor=owner)
    correction = house.segments.rounds.latest("number")
    for own in Segmentation.objects.filter(round=correction):
        corrected(own)
    opened(
        house.segments, owner, stage=Stage.REVIEW, scheme="partition", source="round",
        source_round=correction, people=[house.people[1]],
    )  # fmt: skip
    file_protocol(campaign=house.audit, moment=FilingMoment.BEFORE_MAIN, actor=owner)
    # What the factories leave empty is no guideline.
    text = built_in_guideline(current_rubric().version).to_dict()
    GuidelineVersion.objects.filter(text={}, kind="ratings").update(text=text)
    participant = UserFactory()
    start_answering(item_set=ItemSet.objects.get(), person=participant, actor=owner)
    TakeClip.objects.create(
        run_take=RunTake.objects.get(position=0), clip_id="clip-of-anna", position=0,
        kind=TakeClip.KINDS[0][0], start_s=0, end_s=1, before_s=0, after_s=1, duration_s=1,
        asked_s=1, key="k", state="upload", maker="manual",
    )  # fmt: skip
    links = links_of(house.audit, owner, settings.MEDIA_ROOT)
    ids = {**all_ids(), "uploads": [an_upload(owner)], **links}
    theirs = furnish(other, " of others")
    file_protocol(campaign=theirs.audit, moment=FilingMoment.BEFORE_MAIN, actor=other)
    links = links_of(theirs.audit, other, settings.MEDIA_ROOT)
    everything = {**all_ids(), "uploads": [an_upload(other)], **links}
    return {
        "ids": ids,
        "ids_of_the_other": {
            name: [one for one in everything[name] if one not in ids[name]] or everything[name]
            for name in ids
        },
        "people": {
            "rater": house.people[0],
            "stranger": theirs.people[0],
            "invited": invited,
            "member": member,
            "owner": owner,
            "other": other,
            "reviewer": house.people[1],
            "participant": participant,
            "administrator": UserFactory(role=Role.ADMINISTRATOR),
        },
    }


def an_assigned_video(trace, folder):
    """The trace's recording, of which the raters get a copy that is clean."""
    video = VideoFactory(dataset=trace.dataset)
    Trace.objects.filter(pk=trace.pk).update(video=video)
    made = VideoIngestFactory(video=video)
    (folder / made.folder).mkdir(parents=True)
    for name in ("copy.mp4", "sprite.jpg"):
        (folder / made.folder / name).write_bytes(b"content")
    return video


def links_of(campaign, owner, folder):
    """Tokens by the routes that take them: of a campaign, of an account, of a rater's video."""
    rating = Assignment.objects.filter(round__campaign=campaign).earliest("pk")
    renewed = make_password_link(user=UserFactory(taken_in_by=owner), actor=owner)
    return {
        "join/": [make_invitation(campaign=campaign, places=3, actor=owner)],
        "uidb64": [renewed.user_id],
        "password/link/": [renewed.token],
        "video/": [video_token(an_assigned_video(rating.trace, folder), rating.rater)],
    }


def an_upload(user):
    request = UploadRequest(dataset_name="Uploaded", format="native", is_shared=False)
    file = SimpleUploadedFile("takes.json", b"{}")
    return store_upload(user=user, files=[file], request=request).upload_id


def clients_of(people):
    """Clients by role, logged in; they answer a fault as browsers get it."""
    clients = {role: Client(raise_request_exception=False) for role in ("nobody", *people)}
    for role, person in people.items():
        clients[role].force_login(person)
    return clients


def methods_of(route):
    """The methods that are tried; others are refused by the framework."""
    view = resolve(re.sub(r"<int:\w+>", "1", re.sub(r"<(str|slug|path):\w+>", "a", f"/{route}")))
    cls = getattr(view.func, "cls", None)
    names = ("put", "patch", "delete") if cls is not None else ()
    return ["get", "post", *(name for name in names if hasattr(cls, name))]


def sum_of_tables():
    """What stands in all tables but those of logins, in one number."""
    total = sha256()
    with connection.cursor() as cursor:
        for model in apps.get_models():
            table = model._meta.db_table
            if not OF_LOGINS.search(f'"{table}"'):
                cursor.execute(f'SELECT * FROM "{table}" ORDER BY 1')  # noqa: S608
                total.update(repr((table, cursor.fetchall())).encode())
    return total.hexdigest()


class Answer:
    """What a client got for a request, all of which is undone."""

    def __init__(self, client, method, address, untouched, sent=None):
        writes = []

        def noting(execute, sql, params, many, context):
            writes.extend([sql] if WRITES.match(sql) and not OF_LOGINS.search(sql) else [])
            return execute(sql, params, many, context)

        is_api = address.startswith("/api/") and method != "get"
        body = {"data": sent or {}, "content_type": "application/json"} if is_api else {}
        # A logout is undone as well.
        cookies = client.cookies.copy()
        with transaction.atomic():
            with connection.execute_wrapper(noting):
                answer = getattr(client, method)(address, **body)
                content = b"".join(answer) if answer.streaming else answer.content
            self.status = answer.status_code
            is_refused = self.status >= HTTPStatus.BAD_REQUEST
            self.has_changed = bool(is_refused and writes and sum_of_tables() != untouched)
            transaction.set_rollback(True)
        client.cookies = cookies
        self.text = TOKENS.sub("", content.decode(errors="replace"))
        self.text += answer.get("Location", "")

    @property
    def faults(self):
        if self.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            yield f"{self.status}"
        if self.has_changed:
            yield f"{self.status}, and changed something all the same"

    def without(self, words):
        """Status and text, where the words of an address are left out."""
        text = self.text
        for word in sorted(words, key=len, reverse=True):
            text = text.replace(word, "")
        return self.status, text


def slugs_of(route, address):
    """The texts that stand for the names of a route in an address."""
    pattern = re.sub(r"<int:\w+>", r"\\d+", re.escape(route).replace(r"\<", "<"))
    pattern = re.sub(r"<\w+:\w+>", "([^/.]+)", pattern.replace(r"\>", ">").replace(r"\:", ":"))
    return re.fullmatch(f"/{pattern}", address).groups()


def with_invented(address, ids):
    """The address with other ids, of nothing that exists, and both kinds of ids."""
    known = [
        word for word in re.split(r"[/.]", address) if any(word in its for its in ids.values())
    ]
    others = [INVENTED[: len(word)] for word in known]
    for word, other in zip(known, others, strict=True):
        address = address.replace(f"/{word}", f"/{other}")
    return address, [*known, *others]


def address_with_an_answer(route, ids, clients, untouched):
    """The first address of a route at which somebody gets anything, else any; None without one."""
    addresses = list(addresses_of(route, ids, 8))
    if len(addresses) < 2:
        return addresses[0] if addresses else None
    for role, address, method in product(HOLDERS, addresses, ("get", "post")):
        if Answer(clients[role], method, address, untouched).status not in NOTHING:
            return address
    return addresses[-1]


def test_everybody_reaches_what_the_table_says_and_outsiders_learn_nothing(world):
    clients, ids, untouched = clients_of(world["people"]), world["ids"], sum_of_tables()
    lines, faults = [], []
    for route in own_routes():
        address = address_with_an_answer(route, ids, clients, untouched)
        for method in methods_of(route) if address else ("-",):
            answers = {
                role: Answer(client, method, address, untouched)
                for role, client in (clients.items() if address else ())
            }
            lines.append(" ".join([f"{method.upper():6} {route}", *statuses_of(answers)]))
            faults += [
                f"{role} {method} {address}: {fault}"
                for role, answer in answers.items()
                for fault in answer.faults
            ]
            invented, words = with_invented(address or "", ids)
            for role in OUTSIDERS if words else ():
                other = Answer(clients[role], method, invented, untouched)
                if route.startswith(HELD_LINKS):
                    if other.status != HTTPStatus.NOT_FOUND:
                        faults.append(f"{role} {method} {invented}: {other.status}")
                    continue
                if answers[role].without(words) != other.without(words):
                    faults.append(f"{role} {method} {address}: unlike {invented}")
                if answers[role].status in GIVEN:
                    faults.append(f"{role} {method} {address}: {answers[role].status}")

    if os.environ.get("WRITE_TABLE"):
        TABLE.write_text("\n".join([HEAD, *lines]) + "\n")
    assert "\n".join(faults) == ""
    assert [HEAD, *lines] == TABLE.read_text().splitlines()


def statuses_of(answers):
    return [str(int(answer.status)) for answer in answers.values()]


def test_a_child_of_somebody_else_below_ones_own_parent_is_not_there(world):
    """`/campaigns/<mine>/…/<theirs>/`: asked by the owner of the parent, as if it did not exist."""
    client, untouched = clients_of(world["people"])["other"], sum_of_tables()
    mine, theirs = world["ids_of_the_other"], world["ids"]
    tried, faults = 0, []
    for route in own_routes():
        first = kind_of(route)
        if len(re.findall(r"<\w+:\w+>", route)) < 2 or not first:
            continue
        below = set()
        for address, own in product(addresses_of(route, theirs, 60), mine[first][:3]):
            parent = next(word for word in address.split("/") if word in theirs[first])
            head, rest = address.split(parent, 1)
            below.add((f"{head}{own}", rest))
        for (head, rest), method in product(sorted(below), methods_of(route)):
            invented, words = with_invented(rest, theirs)
            if not words:
                continue
            tried += 1
            answer = Answer(client, method, head + rest, untouched)
            other = Answer(client, method, head + invented, untouched)
            faults += [f"{method} {head}{rest}: {fault}" for fault in answer.faults]
            if answer.without(words) != other.without(words):
                faults.append(f"{method} {head}{rest}: {answer.status}, unlike {head}{invented}")
    assert "\n".join(faults) == ""
    assert tried > 50


def test_no_page_links_to_what_its_reader_does_not_get(world):
    """Where parents are shared and their data sets are not, and while a researcher rates."""
    for model in (Campaign, FeatureSet, ItemSet, Run):
        model.objects.update(is_shared=True)
    clients, dead = clients_of(world["people"]), {}
    for role in ("other", "member"):
        client, statuses = clients[role], {}
        for route in own_routes():
            for address in addresses_of(route, world["ids"], 2) if "api/" not in route else ():
                page = client.get(address)
                if page.streaming or page.status_code != HTTPStatus.OK:
                    continue
                for link in LINK.findall(page.content.decode()):
                    if link not in statuses:
                        statuses[link] = client.get(html.unescape(link)).status_code
                    if statuses[link] in NOTHING:
                        dead[f"{role} {route} {re.sub(PUBLIC_ID, '', link)}"] = statuses[link]

    assert dead == {}


def test_no_form_of_another_site_is_taken(world):
    """Sessions alone change nothing, on pages and in the API: the site's own token goes with it."""
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    client.force_login(world["people"]["administrator"])
    taken = []
    # A token is given for a name and a password; no session counts there.
    for route in sorted({*own_routes()} - {"api/v1/token/"}):
        for address in addresses_of(route, world["ids"], 1):
            for method in methods_of(route)[1:]:
                status = getattr(client, method)(address).status_code
                if status not in {HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED}:
                    taken.append(f"{method} {address}: {status}")
    assert taken == []


def bodies(mine):
    """Addresses of one's own with a body that has a place for an id, and of what that id is."""
    campaign, segments = mine["annotation.Campaign"][:2]
    dataset, trace = "annotation.Dataset", "annotation.Trace"
    text, clips = "generation.TextEndpoint", "generation.VideoEndpoint"
    item_set = f"item-sets/{mine['benchmarks.ItemSet'][0]}"
    run = {"profile": {"base": "piev"}, "name": "Run", "seed": 1, "budget_usd": 1}
    first = Run.objects.get(public_id=mine["generation.Run"][0])
    planned = {**run, "dataset": first.dataset.public_id}
    written = {**planned, "stages": ["plan", "correct", "write"]}
    asked = {"pictures": 0, "budget_usd": 1}
    yield "campaigns/", {"name": "New", "datasets": [ID]}, dataset
    yield f"campaigns/{campaign}/datasets/", {"datasets": [ID]}, dataset
    gold = {"event": 0, "metric": "procedure_logic", "accepted": ["yes"], "reason": "So it is."}
    yield f"campaigns/{campaign}/gold/", {**gold, "trace": ID}, trace
    labels = {"stage": "label", "scheme": "partition", "has_takes": True}
    yield f"campaigns/{segments}/segment-rounds/", {**labels, "datasets": [ID]}, dataset
    yield (
        "feature-sets/make/",
        {"name": "F", "extractor": "colour-and-motion", "dataset": ID},
        dataset,
    )
    yield "item-sets/", {"name": "S", "task": "step_mistakes", "source": ID}, dataset
    several = [{"source": first.dataset.public_id}, {"source": ID}]
    yield "item-sets/", {"name": "S", "task": "step_mistakes", "sources": several}, dataset
    yield "question-sets/", {"name": "Q", "dataset": ID}, dataset
    own = mine["annotation.Dataset"][0]
    yield "question-sets/", {"name": "Q", "dataset": own, "writer": ID}, text
    yield f"{item_set}/ask/price/", {**asked, "endpoint": ID}, text
    yield f"{item_set}/ask/", {**asked, "endpoint": ID}, text
    yield f"{item_set}/judges/", {"judges": [ID]}, text
    yield "runs/", {**run, "dataset": ID}, dataset
    yield "runs/", {**written, "writer": ID}, text
    yield "runs/", {**written, "judge": ID}, text
    stages = ["plan", "correct", "write", "judge", "publish", "video"]
    yield "runs/", {**planned, "stages": stages, "clips": {"maker": ID}}, clips
    own = mine["annotation.Trace"][0]
    yield f"traces/{own}/reference/", {"take": ID}, "annotation.Take"


def test_a_body_that_names_something_of_another_is_answered_as_if_it_were_not_there(world):
    client, untouched = clients_of(world["people"])["other"], sum_of_tables()
    mine, theirs = world["ids_of_the_other"], world["ids"]
    faults, refused = [], []
    for path, body, model in bodies(mine):
        address, text = f"/api/v1/{path}", json.dumps(body)

        def naming(named, address=address, text=text):
            sent = json.loads(text.replace(ID, named))
            return Answer(client, "post", address, untouched, sent)

        own = [naming(named) for named in mine[model][:8]]
        if all(answer.status >= HTTPStatus.BAD_REQUEST for answer in own):
            refused.append((path, text, own[0].text))
        invented = INVENTED[: len(theirs[model][0])]
        expected = naming(invented).without([invented])
        for named in theirs[model][:8]:
            answer = naming(named)
            faults += [f"{path} {text}: {fault}" for fault in answer.faults]
            if answer.without([named]) != expected:
                faults.append(f"{path} {text}: {answer.status} {answer.text}, unlike {expected}")
    assert "\n".join(faults) == ""
    assert refused == []
