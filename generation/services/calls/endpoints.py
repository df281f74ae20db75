"""Create, change, try and delete endpoints, of text models and of providers of clips.

A key goes in and is never shown again; the audit log says that it changed, not to what.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import ClassVar, Self, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from annotation.models import User
from annotation.services.records.accounts import save_new
from annotation.services.records.audit_log import record
from generation.backends.addresses import addresses_of, stays_inside
from generation.models import Endpoint
from generation.services.calls.keys import encrypted

DEFAULT_PORTS = {"http": 80, "https": 443}
EndpointRow = TypeVar("EndpointRow", bound=Endpoint)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """The settings of every kind of endpoint, without its key; see `Endpoint`.

    `HOSTS` is the Django setting that lists the hosts which researchers may use.
    """

    HOSTS: ClassVar[str]

    name: str
    base_url: str
    model_name: str
    concurrency: int
    requests_per_minute: int | None
    timeout_s: int
    is_shared: bool

    @classmethod
    def names(cls) -> list[str]:
        return [field.name for field in fields(cls)]

    @classmethod
    def of(cls, endpoint: Endpoint) -> Self:
        """The settings that an endpoint has now."""
        return cls(**{name: getattr(endpoint, name) for name in cls.names()})

    def completed(self) -> Self:
        """The settings with defaults filled in; raises ValidationError for a wrong one."""
        return self

    def check_key(self, api_key: str) -> None:
        """Raise ValidationError if a key cannot be right."""

    def readable(self) -> dict[str, object]:
        """The settings as plain JSON values, for the audit log."""
        return {
            name: str(value) if isinstance(value, Decimal) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointTest:
    """The result of testing an endpoint; `error` is empty if all went well."""

    seconds: float = 0.0
    error_kind: str = ""
    error: str = ""

    @property
    def is_ok(self) -> bool:
        return not self.error


@transaction.atomic
def create_endpoint(
    *, endpoint: EndpointRow, new: EndpointSettings, api_key: str, actor: User
) -> EndpointRow:
    """Fill an empty endpoint and store it; raises ValidationError for a wrong setting."""
    new = new.completed()
    new = replace(new, base_url=usable_base_url(new.base_url, actor, new.HOSTS))
    endpoint.owner = actor
    _store(endpoint, new, api_key)
    detail = {"settings": new.readable(), "has_key": endpoint.has_key}
    _note(endpoint, actor, "create", detail)
    return endpoint


@transaction.atomic
def change_endpoint(
    *, endpoint: EndpointRow, new: EndpointSettings, api_key: str | None, actor: User
) -> EndpointRow:
    """Change an endpoint. `api_key` None keeps the stored key, an empty one removes it.

    What `new` has like `endpoint` stays as somebody else may have changed it meanwhile. A new
    server never gets the key of the old one: if scheme, host or port change, the stored key is
    removed unless a new one comes with the change. Raises ValidationError, also where somebody
    else has changed the server, and Http404 where the endpoint is deleted.
    """
    before = asdict(type(new).of(endpoint))
    changed = {name: value for name, value in asdict(new).items() if value != before[name]}
    endpoint = get_object_or_404(_lockable(endpoint))
    old = type(new).of(endpoint)
    if _server(old.base_url) != _server(before["base_url"]):
        # A key that was typed for the server of before would go to this one.
        raise _base_url_error(f"Somebody has changed it to {old.base_url}; look at it again.")
    new = replace(old, **changed).completed()
    if new.base_url != old.base_url:
        new = replace(new, base_url=usable_base_url(new.base_url, actor, new.HOSTS))
    if api_key is None and _server(new.base_url) != _server(old.base_url):
        api_key = ""
    had_key = endpoint.has_key
    _store(endpoint, new, api_key)
    old_values, values = old.readable(), new.readable()
    new_key = "set" if endpoint.has_key else "removed" if had_key else "none"
    detail = {
        "changed": {name: values[name] for name in values if values[name] != old_values[name]},
        "key": "kept" if api_key is None else new_key,
    }
    _note(endpoint, actor, "change", detail)
    return endpoint


@transaction.atomic
def delete_endpoint(*, endpoint: Endpoint, old: EndpointSettings, actor: User) -> None:
    """Delete an endpoint with its key; its recorded calls stay. `old` is for the audit log."""
    locked = _lockable(endpoint).first()
    if locked is None:
        return  # a second click came after the first had done it
    _note(locked, actor, "delete", {"settings": old.readable()})
    locked.delete()


def _lockable(endpoint: EndpointRow) -> QuerySet[EndpointRow]:
    """The endpoint as it is now, locked until the transaction ends; nothing if it is deleted."""
    rows = type(endpoint)._default_manager.select_for_update(of=("self",))
    return rows.select_related("owner").filter(pk=endpoint.pk)


def no_offer(endpoint: Endpoint) -> str:
    """For kinds of servers that publish nothing about their models: there is nothing to read."""
    return ""


def note_test(endpoint: Endpoint, test: EndpointTest, actor: User) -> None:
    _note(endpoint, actor, "try", {"is_ok": test.is_ok, "error_kind": test.error_kind})


def _note(endpoint: Endpoint, actor: User, act: str, detail: Mapping[str, object]) -> None:
    subject = f"{endpoint.WORD}:{endpoint.public_id}"
    record(actor=actor, action=f"{endpoint.WORD}.{act}", subject=subject, detail=detail)


def _store(endpoint: Endpoint, new: EndpointSettings, api_key: str | None) -> None:
    for name, value in asdict(new).items():
        setattr(endpoint, name, value)
    if api_key is not None:
        key = api_key.strip()
        # The HTTP client would quote a key that cannot be sent in its error message.
        if not (key.isascii() and key.isprintable()):
            message = (
                "The key contains a line break or a character that no key has; paste it again."
            )
            raise ValidationError({"api_key": message})
        if key:
            new.check_key(key)
        endpoint.encrypted_key = encrypted(key)
    save_new(endpoint)


def usable_base_url(text: str, actor: User, hosts: str) -> str:
    """A base URL without its last slash; raises ValidationError if requests must not go there.

    An endpoint makes this server send requests from inside its network. So only administrators may
    use any host; researchers may use those of the setting called `hosts`. Without encryption
    anybody on the way can read the key, so http:// to a server on the internet is for
    administrators too, or for an entry of that setting that says http:// itself.
    """
    url = text.strip().rstrip("/")
    if " " in url or not url.isprintable():
        # URL parsers disagree about these, so a check could pass what the HTTP client reads
        # otherwise.
        raise _base_url_error(f"{url!r} contains a space or a line break.")
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError as error:
        raise _base_url_error(f"{url!r} is not an address: {error}.") from error
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise _base_url_error(
            f"{url!r} is not a web address; expected https://host/v1 or http://…."
        )
    if parts.username is not None or parts.password is not None:
        raise _base_url_error(
            "The address contains a user name or password; type the key into its own field."
        )
    if parts.query or parts.fragment:
        raise _base_url_error("The address contains a ? or #; type only the part before it.")
    # At these addresses clouds hand out the credentials of their machines.
    if any(it.is_link_local for it in addresses_of(parts.hostname, asks_names=False)):
        raise _base_url_error(f"{parts.hostname} is a link-local address; no model runs there.")
    if not actor.is_administrator:
        _check_listed(parts.scheme, parts.hostname, port, getattr(settings, hosts))
    return url


def _check_listed(scheme: str, host: str, port: int | None, allowed: list[str]) -> None:
    """Raise ValidationError if researchers may not use a host, or not without encryption."""
    names = {f"{host}:{port}"}
    if port == DEFAULT_PORTS[scheme]:
        names.add(host)
    if scheme == "http" and {f"http://{name}" for name in names} & set(allowed):
        return
    if not names & set(allowed):
        raise _base_url_error(
            f"Researchers may use only these hosts: {', '.join(allowed) or 'none'}. For another, "
            "ask an administrator to add the endpoint and share it."
        )
    if scheme == "http" and not stays_inside(host):
        raise _base_url_error(
            f"{host} is on the internet, where http:// shows the key and every prompt to"
            " anybody on the way; expected https://…. If it offers only http://, an"
            " administrator can allow it."
        )


def _base_url_error(message: str) -> ValidationError:
    return ValidationError({"base_url": message})


def _server(base_url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(base_url)
    return parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS.get(parts.scheme)
