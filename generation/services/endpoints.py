"""Create, change, delete and try endpoints of text models.

The key is taken in and never given out; the audit log says that it changed, not to what.
"""

import ipaddress
import secrets
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import User
from annotation.services.audit_log import record
from generation.backends.text.exceptions import TextModelError
from generation.backends.text.model import TextRequest
from generation.backends.text.retrying import RetryPolicy
from generation.models import TextEndpoint
from generation.services.endpoint_keys import UnreadableKeyError, encrypted
from generation.services.text_calls import Caller, ask

DEFAULT_PORTS = {"http": 80, "https": 443}
# A page waits for the test, so it does not wait for as long as a run would.
TEST_TIMEOUT_S = 20
TEST_WORD = "ready"
TEST_SAMPLES = 2**31
TEST_REQUEST = TextRequest(
    system="You answer in JSON.",
    prompt=f'This is a test of the connection. Put the word "{TEST_WORD}" into the field "word".',
    prompt_version="endpoint_test.v1",
    schema={
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    },
    max_tokens=1000,
)


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What can be set at an endpoint beside its key; see `TextEndpoint`."""

    name: str
    base_url: str
    model_name: str
    api_style: str
    supports_images: bool
    takes_temperature: bool
    concurrency: int
    requests_per_minute: int | None
    timeout_s: int
    price_in: Decimal | None
    price_out: Decimal | None
    is_shared: bool


def settings_of(endpoint: TextEndpoint) -> EndpointSettings:
    """Return what is set at an endpoint."""
    return EndpointSettings(
        **{name: getattr(endpoint, name) for name in EndpointSettings.__dataclass_fields__}
    )


@transaction.atomic
def create_endpoint(*, new: EndpointSettings, api_key: str, actor: User) -> TextEndpoint:
    """Add an endpoint; ValidationError where a setting cannot be."""
    new = replace(new, base_url=usable_base_url(new.base_url, actor))
    endpoint = TextEndpoint(**asdict(new), owner=actor, encrypted_key=encrypted(api_key.strip()))
    endpoint.full_clean()
    endpoint.save()
    detail = {"settings": _readable(new), "has_key": endpoint.has_key}
    record(actor=actor, action="text_endpoint.create", subject=_subject(endpoint), detail=detail)
    return endpoint


@transaction.atomic
def change_endpoint(
    *, endpoint: TextEndpoint, new: EndpointSettings, api_key: str | None, actor: User
) -> TextEndpoint:
    """Change an endpoint. `api_key` None keeps the stored key, an empty one removes it.

    Another server gets no key that was typed for the former one: with another scheme, host or
    port the stored key goes, unless a new one comes with the change.
    """
    old = settings_of(endpoint)
    if new.base_url != old.base_url:
        new = replace(new, base_url=usable_base_url(new.base_url, actor))
    if api_key is None and _server(new.base_url) != _server(old.base_url):
        api_key = ""
    for name, value in asdict(new).items():
        setattr(endpoint, name, value)
    had_key = endpoint.has_key
    if api_key is not None:
        endpoint.encrypted_key = encrypted(api_key.strip())
    endpoint.full_clean()
    endpoint.save()
    before, after = _readable(old), _readable(new)
    detail = {
        "changed": {name: after[name] for name in after if after[name] != before[name]},
        "key": _key_change(api_key, had_key),
    }
    record(actor=actor, action="text_endpoint.change", subject=_subject(endpoint), detail=detail)
    return endpoint


@transaction.atomic
def delete_endpoint(*, endpoint: TextEndpoint, actor: User) -> None:
    """Delete an endpoint with its key; its recorded calls stay."""
    record(
        actor=actor,
        action="text_endpoint.delete",
        subject=_subject(endpoint),
        detail={"settings": _readable(settings_of(endpoint))},
    )
    endpoint.delete()


@dataclass(frozen=True, slots=True)
class EndpointTest:
    """What happened when an endpoint was tried; `error` is empty where all went well."""

    model: str
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    error_kind: str = ""
    error: str = ""

    @property
    def is_ok(self) -> bool:
        return not self.error


def try_endpoint(*, endpoint: TextEndpoint, actor: User) -> EndpointTest:
    """Ask an endpoint one small question, once, and return what happened."""
    # A question of its own each time, or the answer would come from the record.
    request = replace(TEST_REQUEST, sample=secrets.randbelow(TEST_SAMPLES))
    endpoint.timeout_s = min(endpoint.timeout_s, TEST_TIMEOUT_S)
    try:
        answer = ask(request=request, caller=Caller(endpoint, policy=RetryPolicy(max_attempts=1)))
        result = EndpointTest(
            model=answer.model,
            text=answer.text,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=answer.seconds,
        )
        if answer.parsed["word"].strip().lower().strip(".") != TEST_WORD:
            wrong = f'the model should have said "{TEST_WORD}"'
            result = replace(result, error_kind="WrongContent", error=wrong)
    except (TextModelError, UnreadableKeyError) as error:
        result = EndpointTest("", "", 0, 0, 0.0, type(error).__name__, str(error))
    detail = {"is_ok": result.is_ok, "error_kind": result.error_kind}
    record(actor=actor, action="text_endpoint.try", subject=_subject(endpoint), detail=detail)
    return result


def usable_base_url(text: str, actor: User) -> str:
    """Return a base URL without its last slash; ValidationError where requests must not go there.

    Whoever names an endpoint lets this server send requests from inside its network. So only
    administrators may name any host; researchers may name the hosts of TEXT_ENDPOINT_HOSTS.
    """
    url = text.strip().rstrip("/")
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError as error:
        raise _base_url_error(f"{url!r} is no address: {error}.") from error
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise _base_url_error(f"{url!r} is no web address; expected https://host/v1 or http://….")
    if parts.username is not None or parts.password is not None:
        raise _base_url_error("The address holds a user name or password; the key goes elsewhere.")
    if parts.query or parts.fragment:
        raise _base_url_error("The address holds a ? or #; expected the part before them only.")
    if _is_link_local(parts.hostname):
        raise _base_url_error(f"{parts.hostname} is a link-local address; no model lives there.")
    names = {f"{parts.hostname}:{port}"}
    if port == DEFAULT_PORTS[parts.scheme]:
        names.add(parts.hostname)
    if not actor.is_administrator and not names & set(settings.TEXT_ENDPOINT_HOSTS):
        allowed = ", ".join(settings.TEXT_ENDPOINT_HOSTS) or "none"
        raise _base_url_error(
            f"Researchers may name these hosts only: {allowed}. For another, ask an administrator "
            "to add the endpoint and share it."
        )
    return url


def _is_link_local(host: str) -> bool:
    """Return whether a host is where clouds keep the credentials of their machines."""
    try:
        return ipaddress.ip_address(host).is_link_local
    except ValueError:
        return False


def _base_url_error(message: str) -> ValidationError:
    return ValidationError({"base_url": message})


def _server(base_url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(base_url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)


def _key_change(api_key: str | None, had_key: bool) -> str:
    if api_key is None:
        return "kept"
    if api_key.strip():
        return "set"
    return "removed" if had_key else "none"


def _readable(values: EndpointSettings) -> dict[str, object]:
    return {
        name: str(value) if isinstance(value, Decimal) else value
        for name, value in asdict(values).items()
    }


def _subject(endpoint: TextEndpoint) -> str:
    return f"text_endpoint:{endpoint.public_id}"
