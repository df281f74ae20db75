"""Send the requests of a provider, and turn every failure into a precise error.

Keys go only to the provider's own address, never after a redirect, and never into a message. A
submission whose answer was lost may be running and paid, so it is a different error from one that
never arrived.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from generation.backends.addresses import leads_inside
from generation.backends.exceptions import (
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.request_guard import (
    OddEncodingError,
    RequestGuard,
    TooLargeError,
    certificates,
)
from generation.backends.retry_after import retry_after_s
from generation.backends.server_text import SHOWN_CHARACTERS, readable
from generation.backends.video.providers.adapter import Adapter
from generation.backends.video.providers.answers import words_at
from generation.backends.video.providers.exceptions import (
    DownloadError,
    DownloadTooLargeError,
    MalformedAnswerError,
    ModerationError,
    QuotaSpentError,
    SettingsError,
    UnclearSubmissionError,
    UnreachableError,
)
from generation.backends.video.providers.provider import (
    Document,
    ProviderRequest,
    VideoSettings,
    contains_any,
)

CONNECT_TIMEOUT_S = 10.0
MOST_ANSWER_BYTES = 4_000_000
MOST_REDIRECTS = 4
# If too many jobs run at the provider, a place becomes free only when one of them ends.
FULL_PAUSE_S = 60.0
_TOO_MANY, _PAYMENT, _SERVER, _UNAVAILABLE = 429, 402, 500, 503
_BUSY_STATUS = frozenset({408, 409, 425})
_MISUSES = (httpx2.InvalidURL, httpx2.UnsupportedProtocol)


class Transport:
    """A connection to one provider, to be closed; not shared between threads."""

    def __init__(self, provider: Adapter, settings: VideoSettings) -> None:
        """Raise SettingsError if the settings cannot be right."""
        self.provider, self.settings = provider, settings
        self._base = checked_base_url(settings.base_url)
        if provider.needs_key and not settings.api_key:
            raise SettingsError(f"{provider.name} needs a key; none is set")
        if not all(key.isascii() and key.isprintable() for key in _keys(settings)):
            raise SettingsError(f"the key of {provider.name} has a character that cannot be sent")
        self._token = ""
        timeout = httpx2.Timeout(settings.answer_timeout_s, connect=CONNECT_TIMEOUT_S)
        self._guard = RequestGuard()
        self._client = httpx2.Client(
            timeout=timeout,
            follow_redirects=False,
            verify=certificates(),
            event_hooks=self._guard.hooks,
        )

    def close(self) -> None:
        self._client.close()

    def ask(self, call: ProviderRequest, *, is_submission: bool = False) -> Document:
        """Send a request and return the document in the answer; raises ModelError without one."""
        received = self._exchange(call, is_submission=is_submission)
        document = _document(received)
        if document is None:
            raise MalformedAnswerError(
                f"the answer is not a JSON document: {self.shown(_words(received))!r}"
                " (is the base address right?)"
            )
        errors = self.provider.limits.errors
        if errors.good_code and words_at(document, *errors.codes) not in {"", errors.good_code}:
            raise self._status_error(received, is_submission=is_submission)
        return document

    def send(self, call: ProviderRequest) -> None:
        """Send a request of whose answer only the status matters."""
        self._exchange(call, is_submission=False)

    def download(self, video: str, out: Path, check: Callable[[], None]) -> None:
        """Write a finished clip to `out`; `check` is called between its parts and may raise.

        Raises DownloadTooLargeError as soon as the limit is passed, and MayPassError if asking
        again may help.
        """
        try:
            url = httpx2.URL(f"{self._base}{video}" if video.startswith("/") else video)
        except httpx2.InvalidURL as error:
            raise MalformedAnswerError(f"the clip's address cannot be read: {error}") from error
        ends_at = time.monotonic() + self.settings.download_limit_s
        for _ in range(MOST_REDIRECTS + 1):
            schemes = {"https", httpx2.URL(self._base).scheme}
            if url.scheme not in schemes or not url.host:
                raise MalformedAnswerError(
                    f"the clip's address is {self.shown(str(url))!r}; expected one with"
                    f" {' or '.join(sorted(schemes))}"
                )
            base = httpx2.URL(self._base)
            if _origin(url) != _origin(base) and leads_inside(url.host, base.host):
                raise MalformedAnswerError(
                    f"the clip's address leads to {self.shown(url.host)}; expected one outside of"
                    " this server's network"
                )
            target = self._downloaded(url, out, check, ends_at)
            if target is None:
                return
            url = target
        raise DownloadError(f"the file's address redirects more than {MOST_REDIRECTS} times")

    def shown(self, text: str) -> str:
        """A server's message without our keys, cut to a readable length."""
        return readable(text, *_keys(self.settings), self._token)

    def _headers(self) -> dict[str, str]:
        headers = self.provider.headers(self.settings, time.time())
        # A signed token is also a secret, as long as it is valid.
        self._token = headers.get("Authorization", "").removeprefix("Bearer ")
        return headers

    def _exchange(self, call: ProviderRequest, *, is_submission: bool) -> httpx2.Response:
        with (
            self._translated_errors(is_submission=is_submission),
            self._guard.within(self.settings.answer_timeout_s, MOST_ANSWER_BYTES),
        ):
            response = self._client.request(
                call.method,
                f"{self._base}{call.path}",
                headers=self._headers(),
                json=call.document,
                # In a form, a text is a part without a file name.
                files=[
                    (name, (None, part.encode()) if isinstance(part, str) else part)
                    for name, part in (call.form or {}).items()
                ]
                or None,
            )
        if response.status_code >= httpx2.codes.MULTIPLE_CHOICES:
            raise self._status_error(response, is_submission=is_submission)
        return response

    def _downloaded(
        self, url: httpx2.URL, out: Path, check: Callable[[], None], ends_at: float
    ) -> httpx2.URL | None:
        """Write the file, or return the address that the server redirects to."""
        headers = self._headers() if _origin(url) == _origin(httpx2.URL(self._base)) else {}
        with (
            self._translated_errors(is_submission=False),
            self._client.stream("GET", url, headers=headers) as response,
        ):
            if response.has_redirect_location:
                return url.join(response.headers["location"])
            if response.status_code != httpx2.codes.OK:
                raise self._download_error(response)
            most = self.settings.most_clip_bytes
            announced = response.headers.get("content-length", "")
            size = int(announced) if announced.isdecimal() else 0
            with out.open("wb") as file:
                # An announced size that is too large is refused before reading a byte.
                for block in response.iter_bytes() if size <= most else ():
                    size = file.tell() + len(block)
                    if size > most:
                        break
                    check()
                    if time.monotonic() > ends_at:
                        limit_s = self.settings.download_limit_s
                        raise DownloadError(f"the download took more than {limit_s:g} s")
                    file.write(block)
        if size > most:
            raise DownloadTooLargeError(f"the clip has {size} bytes or more; allowed are {most}")
        return None

    @contextmanager
    def _translated_errors(self, *, is_submission: bool) -> Iterator[None]:
        try:
            yield
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise UnreachableError(f"no connection: {self.shown(str(error))}") from error
        except _MISUSES as error:
            raise MalformedAnswerError(f"not an address: {self.shown(str(error))}") from error
        except (TooLargeError, OddEncodingError) as error:
            raise MalformedAnswerError(f"{error}; expected a document") from error
        except httpx2.RequestError as error:
            reason = self.shown(str(error)) or type(error).__name__
            if is_submission:
                raise _unclear(reason) from error
            raise UnreachableError(f"the connection broke: {reason}") from error

    def _status_error(self, received: httpx2.Response, *, is_submission: bool) -> ModelError:
        errors, document = self.provider.limits.errors, _document(received)
        code = words_at(document, *errors.codes) if document else ""
        message = words_at(document, *errors.messages) if document else ""
        status, words = received.status_code, f"{code} {message}".strip() or _words(received)
        report = f"HTTP {status}: {self.shown(words)}"
        if httpx2.codes.MULTIPLE_CHOICES <= status < httpx2.codes.BAD_REQUEST:
            return RejectedError(f"{report} (a redirect; is the base address right?)")
        if errors.is_refusal(code, message):
            return ModerationError(report)
        if status == _PAYMENT or errors.is_spent(code, message):
            return QuotaSpentError(report)
        if contains_any(code, errors.fault_codes):
            status = max(status, _SERVER)
        wait_s = retry_after_s(received.headers)
        if contains_any(code, errors.full_codes):
            return RateLimitedError(report, retry_after_s=max(FULL_PAUSE_S, wait_s or 0.0))
        is_early = contains_any(f"{code} {message}", errors.early_codes)
        if status == _TOO_MANY or contains_any(code, errors.limited_codes):
            return RateLimitedError(report, retry_after_s=wait_s)
        is_busy = status == _UNAVAILABLE or status in _BUSY_STATUS
        if is_early or is_busy or (status >= _SERVER and not is_submission):
            return ServerFailedError(report, retry_after_s=wait_s)
        # A server error after a submission: the job may have been accepted all the same.
        return _unclear(report) if status >= _SERVER else RejectedError(report)

    def _download_error(self, response: httpx2.Response) -> ModelError:
        """Why a finished clip cannot be fetched, at the moment or ever."""
        words = next(response.iter_bytes(4 * SHOWN_CHARACTERS), b"").decode(errors="replace")
        status, wait_s = response.status_code, retry_after_s(response.headers)
        report = f"HTTP {status} for the clip's file"
        if contains_any(words, self.provider.limits.errors.early_codes):
            return ServerFailedError(f"{report}: it is not ready yet", retry_after_s=wait_s)
        if status == _TOO_MANY or status >= _SERVER or status in _BUSY_STATUS:
            return ServerFailedError(report, retry_after_s=wait_s)
        return DownloadError(report)


def _document(received: httpx2.Response) -> Document | None:
    """The JSON object in an answer; None if it is not one."""
    try:
        document = json.loads(received.content)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _words(received: httpx2.Response) -> str:
    return received.content[: 4 * SHOWN_CHARACTERS].decode(errors="replace")


def _keys(settings: VideoSettings) -> tuple[str, str]:
    return settings.api_key, settings.secret_key


def checked_base_url(text: str) -> str:
    """The address without its last slash; raises SettingsError if it is not usable."""
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        is_web_address = parts.scheme in {"http", "https"} and bool(httpx2.URL(url).host)
    except (ValueError, httpx2.InvalidURL) as error:
        raise SettingsError(f"the base address is {url!r}: {error}") from error
    if not is_web_address:
        raise SettingsError(f"the base address is {url!r}; expected https://host/… or http://…")
    if parts.query or parts.fragment or parts.username is not None:
        raise SettingsError("the base address has a user, a ? or a #; expected a plain address")
    return url


def _unclear(reason: str) -> UnclearSubmissionError:
    return UnclearSubmissionError(
        f"{reason.rstrip('.')} after the job was sent; the job may be running, so it is"
        " not sent again"
    )


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, port
