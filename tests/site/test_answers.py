"""What holds for every answer: nobody keeps private ones, and the API always speaks JSON."""

import pytest
from django.core.management import call_command
from rest_framework.authtoken.models import Token

from annotation.models import Role
from tests.factories import PASSWORD, UserFactory

NEW_PASSWORD = "another horse battery"
TOKEN_BODY = {"username": "mara", "password": "guessed"}


@pytest.fixture
def researcher(db, client):
    account = UserFactory(username="mara", role=Role.RESEARCHER)
    client.force_login(account)
    return account


@pytest.mark.parametrize("address", ["/", "/queue/", "/account/", "/api/v1/account/", "/nothing/"])
def test_private_answers_are_kept_by_nobody(client, researcher, address):
    answer = client.get(address)

    assert answer.headers["Cache-Control"] == "private, no-store"


def test_static_files_may_be_kept(client):
    icon = client.get("/favicon.ico")
    assert icon.getvalue()

    assert "no-store" not in icon.headers["Cache-Control"]


@pytest.mark.parametrize(
    "address", ["/api/", "/api/v1/nothing/", "/api/v2/runs/", "/api/v1/runs/%ED%A0%80/", "/api/v1"]
)
def test_unknown_addresses_of_the_api_are_json(client, researcher, address):
    answer = client.get(address)

    assert (answer.status_code, answer.json()) == (
        404,
        {"detail": "There is nothing at this address; /api/docs/ lists what exists."},
    )
    # A client reads as many bytes as this says, and waits for those that do not come.
    assert int(answer.headers["Content-Length"]) == len(answer.content)


def test_unknown_addresses_of_the_site_are_pages(client, researcher):
    assert client.get("/nothing/").headers["Content-Type"].startswith("text/html")


def test_a_locked_login_is_told_in_json(client, researcher, settings):
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 1
    client.logout()

    answer = client.post("/api/v1/token/", TOKEN_BODY, content_type="application/json")

    assert (answer.status_code, answer.json()) == (
        429,
        {"detail": "Too many failed logins; try again in 15 minutes."},
    )
    assert int(answer.headers.get("Content-Length", len(answer.content))) == len(answer.content)


def change_by_command(client, account, monkeypatch):
    monkeypatch.setattr("getpass.getpass", lambda *args, **named: NEW_PASSWORD)
    call_command("changepassword", account.username)


def change_on_the_page(client, account, monkeypatch):
    form = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert client.post("/password/", form).status_code == 302


def change_in_the_administration(client, account, monkeypatch):
    administrator = UserFactory(role=Role.ADMINISTRATOR, is_staff=True, is_superuser=True)
    client.force_login(administrator)
    form = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD, "usable_password": "true"}
    answer = client.post(f"/admin/annotation/user/{account.pk}/password/", form)
    assert answer.status_code == 302


@pytest.mark.parametrize(
    "change", [change_by_command, change_on_the_page, change_in_the_administration]
)
def test_a_changed_password_ends_token_and_sessions(researcher, client, monkeypatch, change):
    token = Token.objects.create(user=researcher).key
    elsewhere = type(client)()
    elsewhere.force_login(researcher)

    change(client, researcher, monkeypatch)

    researcher.refresh_from_db()
    assert researcher.check_password(NEW_PASSWORD)
    asked = type(client)().get("/api/v1/account/", headers={"Authorization": f"Token {token}"})
    assert asked.status_code == 401
    assert elsewhere.get("/account/").status_code == 302
