"""What holds for every answer of the site: caching, compression, saves in turn, JSON errors."""

import json
import threading
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import render
from django.urls import is_valid_path

Answerer = Callable[[HttpRequest], HttpResponse]
JSON = "application/json"
COMPRESSED = ("text/", JSON, "application/vnd.oai.openapi", "image/svg+xml")
UTF_8 = {"utf-8", "utf8"}
SAVES = ("/changes/", "/gestures/", "/checks/")
SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address; /api/docs/ lists what exists.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many failed logins; try again in {minutes:.0f} minutes.",
}


class PrivateAnswersMiddleware:
    """Keep answers to one person out of every cache.

    Static files, videos and pictures set their own time to live, which stays.
    """

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response


class CompressedPagesMiddleware(GZipMiddleware):
    """Compress pages and JSON, but neither streams (videos, exports) nor pictures.

    Each answer gets a random length (Django's guard against guessing secrets from the size).
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        if response.streaming or not kind.startswith(COMPRESSED):
            return response
        return super().process_response(request, response)


class Utf8FormsMiddleware:
    """Refuse forms in other character sets: some can spell text that cannot be stored."""

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.lower() not in UTF_8:
            words = f"The form came in the character set {charset!a}; expected UTF-8.\n"
            return HttpResponse(words, "text/plain", status=HTTPStatus.BAD_REQUEST)
        return self.get_response(request)


class SavesInTurnMiddleware:
    """Run one save at a time in each process, beside pages and videos.

    Saves at once in one interpreter take its lock from one another in the middle of a transaction,
    for whose end the other processes wait: on SQLite a third fewer get through.
    """

    def __init__(self, get_response: Answerer) -> None:
        if connection.vendor != "sqlite":
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.turn = threading.Lock()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST" or not request.path.endswith(SAVES):
            return self.get_response(request)
        # Before the turn: a body that comes slowly keeps nobody else waiting.
        _ = request.body
        with self.turn:
            return self.get_response(request)


class FormAddressesMiddleware:
    """Lead on to its page whoever opens the address that a form is sent to.

    A page with a form that was refused has that address: it is there when the page is reloaded,
    sorted, searched, or opened from the history, and would show nothing at all.
    """

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_opened = request.method == "GET" and "HX-Request" not in request.headers
        is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        if not (is_opened and is_refused) or request.path.startswith("/api/"):
            return response
        page = request.path
        while page != "/":
            page = page.rstrip("/").rpartition("/")[0] + "/"
            if is_valid_path(page):
                break
        query = request.META["QUERY_STRING"]
        shown = render(request, "405.html", {"page": f"{page}?{query}" if query else page})
        response.content = shown.content
        return response


class ApiErrorsMiddleware:
    """Answer every error under /api/ in JSON, also one that never came to an endpoint."""

    def __init__(self, get_response: Answerer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_error = response.status_code >= HTTPStatus.BAD_REQUEST
        kind = response.headers.get("Content-Type", "").partition(";")[0]
        if not (is_error and request.path.startswith("/api/")) or kind == JSON or settings.DEBUG:
            return response
        status = HTTPStatus(response.status_code)
        minutes = 60 * settings.AXES_COOLOFF_TIME
        response.content = json.dumps(
            {"detail": SENTENCES.get(status, f"{status.phrase}.").format(minutes=minutes)}
        )
        response.headers["Content-Type"] = JSON
        # The old length is that of the HTML page; a client would wait for the rest.
        response.headers["Content-Length"] = str(len(response.content))
        return response
