"""Whose request it is is read anew for every request, with two queries."""

from datetime import timedelta

import pytest
from django.contrib.auth import logout
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from annotation.logins import AccountBackend, SessionStore
from annotation.models import User
from tests.annotation.conftest import client_of

ACCOUNT = "/api/v1/account/"


def _log_out(client: Client, user: User) -> None:
    client.post("/logout/")


def _log_out_elsewhere(client: Client, user: User) -> None:
    request = type("Request", (), {"session": SessionStore(client.session.session_key)})()
    request.user = user
    logout(request)


def _let_it_run_out(client: Client, user: User) -> None:
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))


def _close_the_account(client: Client, user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def _change_the_password(client: Client, user: User) -> None:
    changed = User.objects.get(pk=user.pk)
    changed.set_password("another long password")
    changed.save()


def _delete_the_account(client: Client, user: User) -> None:
    User.objects.filter(pk=user.pk).delete()


@pytest.mark.parametrize(
    "end",
    [
        _log_out,
        _log_out_elsewhere,
        _let_it_run_out,
        _close_the_account,
        _change_the_password,
        _delete_the_account,
    ],
)
def test_what_ends_a_login_holds_from_the_next_request_on(annotator, end):
    client = client_of(annotator)
    assert client.get(ACCOUNT).json()["username"] == annotator.username

    end(client, annotator)

    assert client.get(ACCOUNT).status_code in {401, 403}
    # The API asks about closed accounts a second time, pages do not.
    assert client.get("/queue/").url.startswith("/login/")


def test_lost_role_holds_from_the_next_request_on(owner):
    client = client_of(owner)
    assert client.get("/datasets/").status_code == 200

    User.objects.filter(pk=owner.pk).update(role="annotator")

    assert client.get("/datasets/").status_code == 403


def test_account_is_read_whole_in_one_query(annotator, django_assert_num_queries):
    annotator.last_login = timezone.now()
    annotator.save()

    with django_assert_num_queries(1):
        found = AccountBackend().get_user(annotator.pk)
        read = {
            field.attname: getattr(found, field.attname) for field in User._meta.concrete_fields
        }

    assert read == {
        field.attname: getattr(annotator, field.attname) for field in User._meta.concrete_fields
    }
    assert AccountBackend().get_user(0) is None


def test_session_is_read_in_one_query_and_an_ended_one_is_not_taken_up(
    db, django_assert_num_queries
):
    session = SessionStore()
    session["place"] = 3
    session.create()

    with django_assert_num_queries(1):
        again = SessionStore(session.session_key)
        assert again["place"] == 3

    session.delete()
    ended = SessionStore(session.session_key)
    ended["place"] = 4
    ended.save()
    assert ended.session_key not in {None, session.session_key}


def test_a_form_that_comes_after_the_login_is_given_back_without_its_secrets(client, db):
    typed = {"name": "<b>Mine</b>", "takes": ["one", "two"], "api_key": "sk-very-secret"}

    answer = client.post("/endpoints/new/", typed)
    polled = client.get("/queue/", headers={"HX-Request": "true"})

    page = answer.content.decode()
    assert answer.status_code == polled.status_code == 403
    assert 'name="name" value="&lt;b&gt;Mine&lt;/b&gt;"' in page
    assert page.count('name="takes"') == 2
    assert "Passwords and keys are not kept" in page
    assert "sk-very-secret" not in page
    assert (polled.content, polled.headers["HX-Refresh"]) == (b"", "true")
