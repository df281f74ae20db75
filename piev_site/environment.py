"""Read settings from the environment: text, numbers, lists, folders, keys, databases.

A variable that is set to something unusable is refused with a message that names it.
"""

import contextlib
import os
import secrets
import tempfile
from collections.abc import Set
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from annotation.engine.videos.storage_prefix import (
    StoragePrefix,
    StoragePrefixError,
    is_storage_address,
)

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
SQLITE_URL = "sqlite:///"
# How long a connection that nobody wants is kept.
IDLE_CONNECTION_S = 60.0
OWNER_ONLY_FOLDER, OWNER_ONLY_FILE = 0o700, 0o600


def env_text(name: str, default: str) -> str:
    return os.environ.get(name, default).strip()


def env_secret(name: str) -> str:
    """A secret variable, or what the file that `<name>_FILE` names holds; empty where neither is.

    Raises ImproperlyConfigured where both are set or the file cannot be read.
    """
    text, path = env_text(name, ""), env_text(f"{name}_FILE", "")
    if not path:
        return text
    if text:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}_FILE is {path!r}, which cannot be read") from error


def env_bool(name: str, *, default: bool) -> bool:
    """A yes/no variable; raises ImproperlyConfigured for a word that is neither."""
    text = env_text(name, "").lower()
    if not text:
        return default
    if text in TRUE_WORDS:
        return True
    if text in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name} is {text!r}; expected one of yes, no, true, false, 1, 0")


def env_int(name: str, default: int, *, minimum: int, maximum: int) -> int:
    text = env_text(name, "") or str(default)
    try:
        number = int(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {text!r}; expected a whole number") from error
    if not minimum <= number <= maximum:
        raise ImproperlyConfigured(f"{name} is {number}; expected {minimum} to {maximum}")
    return number


def env_list(name: str, default: str) -> list[str]:
    """The comma-separated parts that are not empty."""
    return [part.strip() for part in env_text(name, default).split(",") if part.strip()]


def env_choice(name: str, default: str, choices: Set[str]) -> str:
    word = env_text(name, default).lower() or default
    if word not in choices:
        raise ImproperlyConfigured(
            f"{name} is {word!r}; expected one of {', '.join(sorted(choices))}"
        )
    return word


def env_http_url(name: str) -> str:
    """The address of a server, without a slash at its end; empty where none is given."""
    url = env_text(name, "").rstrip("/")
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_usable = False
    if url and not is_usable:
        raise ImproperlyConfigured(f"{name} is {url!r}; expected http://host:port or https://host")
    return url


def env_video_roots(name: str) -> list[str]:
    """Folders and storage prefixes, the latter checked."""
    roots = env_list(name, "")
    for root in roots:
        if is_storage_address(root):
            try:
                StoragePrefix.parse(root)
            except StoragePrefixError as error:
                raise ImproperlyConfigured(f"{name}: {error}") from error
    return roots


def env_storage_prefix(name: str) -> str:
    """A storage prefix, checked; empty where none is given."""
    text = env_text(name, "")
    try:
        return str(StoragePrefix.parse(text)) if text else ""
    except StoragePrefixError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def env_folder(name: str, default: Path) -> Path:
    """An absolute folder path, which need not exist yet."""
    try:
        path = Path(env_text(name, "") or default).expanduser()
    except RuntimeError as error:  # an account without a home folder
        raise ImproperlyConfigured(f"set {name} to an absolute path: {error}") from error
    if not path.is_absolute():
        raise ImproperlyConfigured(f"{name} is {str(path)!r}; expected an absolute path")
    return path


def user_data_folder() -> Path:
    """Where an account keeps the data of its programs (XDG Base Directory Specification)."""
    named = Path(env_text("XDG_DATA_HOME", ""))
    # The specification says to ignore a path that is not absolute.
    return named if named.is_absolute() else Path("~/.local/share")


def make_state_folder(path: Path, *, is_default: bool) -> None:
    """Make the folder of the site's own files, closed to other accounts.

    A folder that was named and is not empty may be used by others too: its permissions stay, and
    `annotation/checks.py` warns where they are too wide.
    """
    try:
        path.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
        if is_default or not any(path.iterdir()):
            path.chmod(OWNER_ONLY_FOLDER)
    except OSError as error:
        raise ImproperlyConfigured(
            f"PIEV_STATE is {str(path)!r}, which cannot be made: {error.strerror}"
        ) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(
            f"PIEV_STATE is {str(path)!r}, in which this account may not write"
        )


def secret_key(value: str, state_folder: Path) -> str:
    """The given key, else a random one made at the first start and kept in the state folder.

    Several machines that serve one site must share a key, so there it has to be set.
    """
    return value or _kept_key(state_folder / "secret-key")


def _kept_key(path: Path) -> str:
    if path.exists():
        return path.read_text()
    # Web and worker may start at the same moment: the key becomes visible whole, and only once.
    handle, draft_name = tempfile.mkstemp(dir=path.parent, prefix=".secret-key-")
    draft = Path(draft_name)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(48))
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft)
    except OSError as error:
        raise ImproperlyConfigured(f"{path} cannot be written: {error.strerror}") from error
    finally:
        draft.unlink()
    return path.read_text()


def sqlite_database(path: Path) -> dict[str, Any]:
    """SQLite in the mode in which concurrent savers wait for each other.

    Without WAL and IMMEDIATE, most concurrent read-then-write transactions fail with "database is
    locked"; the consequence is that ATOMIC_REQUESTS must stay off. FULL waits for the disk before
    it says that a transaction is done, so that a power cut takes back nothing that was answered.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000;"
            ),
        },
        # A file, because the tests' server thread and browser open connections of their own.
        "TEST": {"NAME": path.with_name(f"test-{os.getpid()}.sqlite3")},
    }


def absolute_database_url(url: str) -> str:
    """The address as it is understood in any folder: `sqlite:///name` gets its whole path.

    As SQLAlchemy and others read it, three slashes begin a path from the current folder, four one
    from the root.
    """
    if not url.startswith("sqlite:"):
        return url
    name = unquote(url.removeprefix(SQLITE_URL))
    if not url.startswith(SQLITE_URL) or not name or "?" in url:
        raise ImproperlyConfigured(
            f"DATABASE_URL is {url!r}; expected sqlite:///relative/path or sqlite:////absolute/path"
        )
    path = Path(name).absolute()
    if not path.parent.is_dir() or path.is_dir():
        fault = "is a folder" if path.is_dir() else "is in a folder that does not exist"
        raise ImproperlyConfigured(
            f"DATABASE_URL names {str(path)!r}, which {fault}; after sqlite: three slashes begin a "
            "path from the current folder, four one from the root"
        )
    return SQLITE_URL + quote(str(path))


def database(
    url: str, default_path: Path, most_connections: int, patience_s: int
) -> dict[str, Any]:
    """The database of the (absolute) address; without one, SQLite in the default place."""
    if url and not url.startswith(SQLITE_URL):
        return postgresql_database(url, most_connections, patience_s)
    path = Path(unquote(url.removeprefix(SQLITE_URL))) if url else default_path
    keep_to_owner(path)
    return sqlite_database(path)


def keep_to_owner(path: Path) -> None:
    """Make the file of an SQLite database if there is none; close it to other accounts.

    SQLite gives its journals the permissions that the database has.
    """
    try:
        # Only where there is none: to open and close a file would end a connection's locks on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_ONLY_FILE))
    except FileExistsError:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(OSError):  # it is another account's, or there is none
                Path(f"{path}{suffix}").chmod(OWNER_ONLY_FILE)
    except OSError as error:
        raise ImproperlyConfigured(
            f"the database {str(path)!r} cannot be made: {error.strerror}"
        ) from error


def postgresql_database(url: str, most_connections: int, patience_s: int) -> dict[str, Any]:
    """The database of a `postgresql://user:password@host:port/name` address.

    What follows a question mark goes to the driver, such as `sslmode=require`. A process has at
    most so many connections; who finds none free waits so long for one.
    """
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"postgres", "postgresql"} and parts.port != 0
    except ValueError:  # what stands for the port is no number, or a bracket is left open
        is_usable = False
    if not is_usable or not parts.path.strip("/"):
        # Not the address itself: it holds the password.
        raise ImproperlyConfigured(
            "DATABASE_URL is not usable; expected postgresql://user:password@host:port/name, "
            "with %40 for an @ in the password, and so on, or sqlite:////folder/name"
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # A percent-encoded host is the folder of a Unix socket.
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        # After a request, and before a model is waited for, a connection goes back to the pool.
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            **dict(parse_qsl(parts.query)),
            "pool": {
                "min_size": 0,
                "max_size": most_connections,
                "max_idle": IDLE_CONNECTION_S,
                "timeout": patience_s,
                # After each failure the pool waits twice as long, up to this: with its default, a
                # site would stay away as long again as its database was.
                "reconnect_timeout": patience_s,
            },
        },
    }
