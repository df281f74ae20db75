"""Pages that the wiring brings: login, API docs, admin; every page under the strict policy."""

import gzip
import re
from io import BytesIO

import pytest
from axes.models import AccessAttempt, AccessLog
from django.http import StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver, reverse
from PIL import Image

from annotation.models import AuditEntry, Role
from piev_site.middleware import CompressedPagesMiddleware
from tests.factories import PASSWORD, UserFactory

INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)(?![^>]*application/json)|<style|\sstyle=|\son\w+=", re.I
)


@pytest.fixture
def administrator_client(db):
    client = Client()
    account = UserFactory(role=Role.ADMINISTRATOR, is_staff=True, is_superuser=True)
    client.force_login(account)
    return client


@pytest.mark.parametrize(
    "name", ["login", "api-docs", "api-try", "account", "campaigns", "datasets", "queue"]
)
def test_pages_hold_nothing_inline(administrator_client, client, name):
    visitor = client if name == "login" else administrator_client

    answer = visitor.get(reverse(name))

    assert answer.status_code == 200
    assert INLINE.findall(answer.content.decode()) == []
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_icon_is_where_browsers_ask_for_it(client):
    """Pages name the drawn icon; what is no page of ours (admin, files) leaves browsers to ask."""
    answer = client.get("/favicon.ico")

    with Image.open(BytesIO(answer.getvalue())) as icon:
        sizes = icon.info["sizes"]
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/x-icon")
    assert sizes == {(16, 16), (32, 32), (48, 48)}
    assert '<link rel="icon" href="/static/site/icon.svg"' in client.get("/login/").content.decode()


def addresses(patterns=None, before=""):
    """Yield every address of the site as the resolver writes it, the admin's left out."""
    for item in patterns or get_resolver().url_patterns:
        route = before + str(item.pattern)
        if isinstance(item, URLPattern):
            yield route
        elif not route.startswith("admin/"):
            yield from addresses(item.url_patterns, route)


def test_addresses_take_nothing_that_a_database_would_choke_on(administrator_client):
    """PostgreSQL refuses NUL: ids are `slug:` in an address, which such a thing does not match."""
    ids = re.compile(r"<(?!int:)[^>]+>")
    answers = {
        route: administrator_client.get(
            "/" + ids.sub("a%00b", route).replace("<int:position>", "1")
        )
        for route in addresses()
        if ids.search(route)
    }

    assert len(answers) > 30
    assert {answer.status_code for answer in answers.values()} == {404}


@pytest.mark.parametrize("model", ["user", "auditentry", "job"])
def test_admin_lists_answer(administrator_client, model):
    assert administrator_client.get(f"/admin/annotation/{model}/").status_code == 200


def test_admin_shows_what_administrators_need_and_nobodys_token(administrator_client):
    page = administrator_client.get("/admin/").content.decode()

    assert "PIE-V administration" in page
    assert sorted(set(re.findall(r'href="/admin/(\w+/\w+)/"', page))) == [
        "annotation/auditentry",
        "annotation/job",
        "annotation/openedplace",
        "annotation/user",
        "axes/accessattempt",
        "benchmarks/assessment",
        "benchmarks/featureset",
        "benchmarks/itemset",
    ]


def test_audit_log_cannot_be_changed_in_the_admin(administrator_client):
    entry = AuditEntry.objects.create(action="user.create", subject="user:1")

    answer = administrator_client.post(f"/admin/annotation/auditentry/{entry.pk}/delete/")

    assert answer.status_code == 403
    assert AuditEntry.objects.filter(pk=entry.pk).exists()


def test_annotators_have_no_admin(db, client):
    client.login(username=UserFactory().username, password=PASSWORD)

    assert client.get("/admin/").status_code == 302


def test_logins_leave_no_trail_of_addresses(db, client, settings):
    settings.AXES_ENABLED = True
    rater = UserFactory()
    form = {"username": rater.username, "password": PASSWORD}

    refused = client.post("/login/", {**form, "password": "guessed"})
    logged_in = client.post("/login/", form)

    assert (refused.status_code, logged_in.status_code) == (200, 302)
    assert AccessLog.objects.count() == 0
    assert [attempt.username for attempt in AccessAttempt.objects.all()] == [rater.username]


def test_a_new_token_is_shown_once(administrator_client):
    made = administrator_client.post(reverse("account-token")).content.decode()
    again = administrator_client.get(reverse("account")).content.decode()

    (token,) = re.findall(r'id="token">([0-9a-f]{40})<', made)
    assert token not in again


def test_pages_are_compressed_and_what_streams_is_not(client, db, tmp_path):
    page = client.get(reverse("login"), headers={"Accept-Encoding": "gzip"})
    plain = client.get(reverse("login"))

    assert page.headers["Content-Encoding"] == "gzip"
    assert b"Log in" in gzip.decompress(page.content)
    assert "Content-Encoding" not in plain.headers
    assert len(page.content) < len(plain.content)
    streamed = StreamingHttpResponse([b"x" * 1000], content_type="text/csv")
    request = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    answer = CompressedPagesMiddleware(lambda _: streamed)(request)
    assert "Content-Encoding" not in answer.headers


def test_pages_have_a_description(client, db):
    assert (
        '<meta name="description" content="PIE-V: audit'
        in client.get(reverse("login")).content.decode()
    )


def test_the_address_of_a_form_leads_to_its_page_with_what_was_asked_of_it(administrator_client):
    opened = administrator_client.get("/campaigns/x0x0/raters/add/?people-q=%22noor&people=2")
    polled = administrator_client.get("/campaigns/x0x0/close/", headers={"HX-Request": "true"})

    page = opened.content.decode()
    # No page is at /campaigns/x0x0/raters/.
    address = "/campaigns/x0x0/?people-q=%22noor&amp;people=2"
    assert (opened.status_code, opened.headers["Allow"]) == (405, "POST")
    assert f'<meta http-equiv="refresh" content="0; url={address}">' in page
    assert f'href="{address}"' in page
    assert (polled.status_code, polled.content) == (405, b"")
