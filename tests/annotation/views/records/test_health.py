"""The address that load balancers and monitors ask."""

import pytest
from django.db import OperationalError, connection


def refuse(*arguments):
    raise OperationalError("connection failed: Connection refused")


@pytest.mark.django_db
def test_health_answers_without_login(client):
    answer = client.get("/health/")

    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert answer.headers["Content-Type"] == "text/plain"


@pytest.mark.django_db
def test_health_is_told_over_plain_http_behind_https_too(client, settings):
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/login/").status_code == 301
    assert client.get("/health/").status_code == 200


@pytest.mark.django_db
def test_health_is_refused_while_the_database_is_away(client, monkeypatch):
    monkeypatch.setattr(connection, "cursor", refuse)

    answer = client.get("/health/")

    assert (answer.status_code, answer.content) == (503, b"The database does not answer.\n")
