"""One save at a time in each process, and nothing else waits for it."""

import threading

import pytest
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpResponse
from django.urls import resolve
from rest_framework.views import APIView

from piev_site.middleware import SavesInTurnMiddleware

SAVE = "/api/v1/assignments/abc/changes/"
GESTURES = "/api/v1/segmentations/abc/gestures/"
CHECKS = "/api/v1/segmentations/abc/checks/"
SAVES = {SAVE, GESTURES, CHECKS}
LIMIT_S = 30


@pytest.fixture
def site(rf):
    """A site in which a save takes until it is let go; what began is in its list."""
    if connection.vendor != "sqlite":
        pytest.skip("saves take turns on SQLite only")
    began, let_go = [], threading.Event()

    def answer(request):
        began.append(request.path)
        if request.path in SAVES:
            let_go.wait(LIMIT_S)
        return HttpResponse()

    return SavesInTurnMiddleware(answer), began, let_go


def test_second_save_begins_after_the_first_and_pages_do_not_wait(site, rf):
    take, began, let_go = site
    saves = [threading.Thread(target=take, args=[rf.post(path)]) for path in SAVES]
    for save in saves:
        save.start()

    take(rf.get("/"))
    take(rf.get(SAVE.replace("changes", "ratings")))
    seen = list(began)
    let_go.set()
    for save in saves:
        save.join(LIMIT_S)

    assert len(SAVES & set(seen)) <= 1
    assert "/" in seen
    assert set(began) > SAVES


@pytest.mark.parametrize("path", sorted(SAVES))
def test_saves_are_what_the_site_saves_at(path):
    assert issubclass(resolve(path).func.cls, APIView)
    assert "post" in vars(resolve(path).func.cls)


def test_body_that_comes_slowly_keeps_no_other_save_waiting(site, rf):
    take, began, let_go = site
    reading, arrived = threading.Event(), threading.Event()

    class SlowRequest(type(rf.post(SAVE))):
        @property
        def body(self):
            reading.set()
            arrived.wait(LIMIT_S)
            return b""

    slow = SlowRequest(rf.post(SAVE).environ)
    save = threading.Thread(target=take, args=[slow])
    save.start()
    assert reading.wait(LIMIT_S)

    let_go.set()
    take(rf.post(SAVE))

    assert began == [SAVE]
    arrived.set()
    save.join(LIMIT_S)
    assert began == [SAVE, SAVE]


def test_it_is_left_out_where_the_database_takes_writers_side_by_side(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "postgresql", raising=False)

    with pytest.raises(MiddlewareNotUsed):
        SavesInTurnMiddleware(HttpResponse)
