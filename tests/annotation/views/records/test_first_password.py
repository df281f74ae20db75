"""A first password has to be changed, and a changed password ends what the old one gave."""

import pytest
from django.contrib.admin.models import LogEntry
from rest_framework.authtoken.models import Token

from annotation.models import AuditEntry, Role, User
from annotation.services.records.accounts import create_rater_account, renew_api_token
from tests.factories import UserFactory

NEW_PASSWORD = "violet-kettle-38"


@pytest.fixture
def owner(db) -> User:
    return UserFactory(role=Role.RESEARCHER)


@pytest.fixture
def made(owner):
    return create_rater_account(username="mara", actor=owner)


def change(client, old: str):
    fields = {"old_password": old, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    return client.post("/password/", fields)


def test_new_account_sees_nothing_but_the_password_page(client, made):
    client.force_login(made.user)

    for path in ("/", "/queue/", "/account/"):
        assert client.get(path)["Location"] == "/password/"
    refused = client.get("/api/v1/account/")
    assert refused.status_code == 403
    assert refused.json()["detail"].startswith("Log in on the site and change your first password")
    assert "Your account was made for you" in client.get("/password/").content.decode()


def test_new_account_works_after_the_change(client, made):
    client.login(username="mara", password=made.password)
    assert change(client, made.password).status_code == 302

    assert client.get("/account/").status_code == 200
    assert AuditEntry.objects.filter(action="password.change", actor=made.user).count() == 1


def test_first_password_gets_no_token(client, made):
    body = {"username": "mara", "password": made.password}
    refused = client.post("/api/v1/token/", body, content_type="application/json")

    assert refused.status_code == 403
    assert "change your first password" in refused.content.decode()
    assert not Token.objects.exists()


def test_changed_password_ends_the_token(client, owner):
    owner.set_password("first-of-two-41")
    owner.save()
    token = renew_api_token(user=owner)
    client.force_login(owner)
    change(client, "first-of-two-41")

    asked = client.get("/api/v1/account/", headers={"Authorization": f"Token {token}"})
    assert asked.status_code == 401


def test_password_set_by_an_administrator_ends_the_token_and_is_a_first_one(client, owner):
    administrator = UserFactory(role=Role.ADMINISTRATOR, is_staff=True, is_superuser=True)
    renew_api_token(user=owner)
    client.force_login(administrator)
    fields = {"usable_password": "true", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    client.post(f"/admin/annotation/user/{owner.pk}/password/", fields)

    owner.refresh_from_db()
    assert (owner.check_password(NEW_PASSWORD), owner.must_change_password) == (True, True)
    assert not Token.objects.filter(user=owner).exists()
    assert LogEntry.objects.count() == 1
