"""A variable that is set to something unusable is refused by name; nothing falls back silently."""

import os
import re
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from piev_site import environment


@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_env_bool_understands_yes(monkeypatch, word):
    monkeypatch.setenv("FLAG", word)

    assert environment.env_bool("FLAG", default=False) is True


def test_env_bool_refuses_other_words(monkeypatch):
    monkeypatch.setenv("FLAG", "maybe")

    with pytest.raises(ImproperlyConfigured, match="FLAG is 'maybe'; expected one of yes, no"):
        environment.env_bool("FLAG", default=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [("many", "expected a whole number"), ("0", "expected 1 to 9"), ("10", "expected 1 to 9")],
)
def test_env_int_refuses_what_is_out_of_range(monkeypatch, text, message):
    monkeypatch.setenv("COUNT", text)

    with pytest.raises(ImproperlyConfigured, match=f"COUNT is .*{text}.*; {message}"):
        environment.env_int("COUNT", 3, minimum=1, maximum=9)


def test_env_folder_refuses_relative_paths(monkeypatch, tmp_path):
    monkeypatch.setenv("FOLDER", "videos")

    with pytest.raises(ImproperlyConfigured, match="FOLDER is 'videos'; expected an absolute path"):
        environment.env_folder("FOLDER", tmp_path)


def test_env_choice_refuses_other_words(monkeypatch):
    monkeypatch.setenv("WAY", "sideways")

    with pytest.raises(ImproperlyConfigured, match=r"WAY is 'sideways'; expected one of path, vir"):
        environment.env_choice("WAY", "path", {"virtual", "path"})


@pytest.mark.parametrize("url", ["minio:9000", "ftp://host", "http://", "http://host:port"])
def test_env_http_url_refuses_what_is_no_server(monkeypatch, url):
    monkeypatch.setenv("SERVER", url)

    with pytest.raises(ImproperlyConfigured, match=r"SERVER is .*; expected http://host:port"):
        environment.env_http_url("SERVER")


def test_env_http_url_takes_a_server_with_or_without_a_slash(monkeypatch):
    monkeypatch.setenv("SERVER", "https://minio.example.org:9000/")

    assert environment.env_http_url("SERVER") == "https://minio.example.org:9000"
    assert environment.env_http_url("NOT_SET") == ""


def test_env_video_roots_takes_folders_and_storage_prefixes(monkeypatch):
    monkeypatch.setenv("ROOTS", "/videos, s3://recordings/tea")

    assert environment.env_video_roots("ROOTS") == ["/videos", "s3://recordings/tea"]


def test_env_video_roots_refuses_a_prefix_that_cannot_be_read(monkeypatch):
    monkeypatch.setenv("ROOTS", "/videos, s3:recordings")

    with pytest.raises(ImproperlyConfigured, match=r"ROOTS: 's3:recordings' is no storage prefix"):
        environment.env_video_roots("ROOTS")


def test_secret_key_is_made_once_and_kept_private(tmp_path):
    first = environment.secret_key("", tmp_path)
    second = environment.secret_key("", tmp_path)

    assert first == second
    assert len(first) > 40
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


def test_postgresql_database_reads_every_part_of_the_address():
    database = environment.postgresql_database("postgresql://ann:p%40ss@db.lab:5433/audit", 4, 10)

    assert {name: database[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")} == {
        "NAME": "audit",
        "USER": "ann",
        "PASSWORD": "p@ss",
        "HOST": "db.lab",
        "PORT": "5433",
    }


def test_postgresql_database_hands_what_follows_a_question_mark_to_the_driver():
    database = environment.postgresql_database(
        "postgresql://ann@db/audit?sslmode=verify-full&sslrootcert=/etc/ssl/ca%20of%20lab.pem",
        7,
        10,
    )

    assert database["NAME"] == "audit"
    assert database["OPTIONS"].pop("pool")["max_size"] == 7
    assert database["OPTIONS"] == {
        "sslmode": "verify-full",
        "sslrootcert": "/etc/ssl/ca of lab.pem",
    }


@pytest.mark.parametrize(
    "url",
    ["mysql://ann@db/audit", "audit", "postgresql://db", "postgresql://ann:p4ss@db:x/audit"],
)
def test_postgresql_database_refuses_what_is_no_address_of_one(url):
    with pytest.raises(ImproperlyConfigured, match="expected postgresql://") as refusal:
        environment.postgresql_database(url, 4, 10)

    assert "p4ss" not in str(refusal.value)


def test_a_variable_that_is_set_to_nothing_counts_as_not_set(monkeypatch, tmp_path):
    monkeypatch.setenv("EMPTY", "")

    assert environment.env_bool("EMPTY", default=True) is True
    assert environment.env_int("EMPTY", 3, minimum=1, maximum=9) == 3
    assert environment.env_choice("EMPTY", "path", {"virtual", "path"}) == "path"
    assert environment.env_folder("EMPTY", tmp_path) == tmp_path


def run_manage(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py` with the site's own settings and these variables."""
    return run_python("manage.py", *arguments, **variables)


def run_python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "piev_site.settings", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


LOADED = """
import django
django.setup()
import numpy, scipy.linalg, threadpoolctl
print({one["num_threads"] for one in threadpoolctl.threadpool_info() if one["user_api"] == "blas"})
"""


def test_matrix_products_take_one_thread_whatever_is_set(tmp_path):
    """On a busy machine several wait for each other, and their number changes the last digits."""
    done = run_python("-c", LOADED, PIEV_STATE=str(tmp_path), OPENBLAS_NUM_THREADS="4")

    assert done.stdout == "{1}\n", done.stderr


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("REDIS_URL", "localhost", "REDIS_URL is 'localhost'; expected redis://host:port/number"),
        ("LOG_LEVEL", "loud", "LOG_LEVEL is 'loud'; expected one of debug, error, info, warning"),
        ("PIEV_STATE", "/dev/null/piev", "PIEV_STATE is '/dev/null/piev', which cannot be made"),
    ],
)
def test_a_bad_variable_stops_the_start_with_its_name(tmp_path, name, value, message):
    done = run_manage("check", **{"PIEV_STATE": str(tmp_path), name: value})

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(message)


def test_a_worker_says_a_bad_variable_in_one_line(tmp_path):
    worker = ("-m", "celery", "-A", "piev_site", "worker")

    done = run_python(*worker, PIEV_STATE=str(tmp_path), TAKES_AT_ONCE="many")

    assert done.returncode == 1
    assert done.stderr == "TAKES_AT_ONCE is 'many'; expected a whole number\n"


def test_gunicorn_says_a_bad_variable_in_one_line_and_ends(tmp_path):
    gunicorn = ("-m", "gunicorn", "piev_site.wsgi", "--bind", "127.0.0.1:0", "--log-level", "error")

    done = run_python(*gunicorn, PIEV_STATE=str(tmp_path), TAKES_AT_ONCE="many")

    assert done.returncode == 3
    assert done.stderr.count("TAKES_AT_ONCE is 'many'; expected a whole number\n") == 1
    assert "Traceback" not in done.stderr


def test_a_state_folder_without_the_right_to_write_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "access", lambda path, mode: False)

    with pytest.raises(ImproperlyConfigured, match=r"PIEV_STATE is .*this account may not write"):
        environment.make_state_folder(tmp_path / "state", is_default=True)


def mode_of(path):
    return path.stat().st_mode & 0o777


# Where the file lies and who may read it is asked; the tables of one app are enough, without pages.
FEW_TABLES = ["contenttypes", "--verbosity", "0", "--skip-checks"]


@pytest.fixture
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("usual_umask")
def test_a_new_site_is_closed_to_other_accounts(tmp_path):
    state = tmp_path / "state"

    done = run_manage("migrate", *FEW_TABLES, PIEV_STATE=str(state), DATABASE_URL="")

    assert (done.returncode, done.stderr) == (0, "")
    assert (mode_of(state), mode_of(state / "piev.sqlite3")) == (0o700, 0o600)


@pytest.mark.usefixtures("usual_umask")
def test_a_database_that_was_open_to_others_is_closed_with_its_journals(tmp_path):
    names = ("piev.sqlite3", "piev.sqlite3-wal", "piev.sqlite3-shm")
    for name in names:
        (tmp_path / name).touch()

    environment.keep_to_owner(tmp_path / "piev.sqlite3")

    assert [mode_of(tmp_path / name) for name in names] == [0o600] * 3


@pytest.mark.parametrize(("is_default", "mode"), [(True, 0o700), (False, 0o755)])
def test_a_folder_in_use_is_closed_where_it_is_the_sites_own(tmp_path, is_default, mode):
    tmp_path.chmod(0o755)
    (tmp_path / "somebody-elses").touch()

    environment.make_state_folder(tmp_path, is_default=is_default)

    assert mode_of(tmp_path) == mode


def test_an_empty_folder_that_was_made_for_the_site_is_closed(tmp_path):
    tmp_path.chmod(0o755)

    environment.make_state_folder(tmp_path, is_default=False)

    assert mode_of(tmp_path) == 0o700


def test_a_folder_that_stays_open_is_told_with_the_command_that_closes_it(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "somebody-elses").touch()

    done = run_manage("check", PIEV_STATE=str(tmp_path), DATABASE_URL="")

    assert f"{tmp_path} is open to other accounts of this machine." in done.stderr
    assert f"chmod go= {tmp_path}" in done.stderr
    assert done.returncode == 0


def test_sqlite_is_named_as_people_write_it(tmp_path):
    state = tmp_path / "state"

    done = subprocess.run(
        [sys.executable, settings.BASE_DIR / "manage.py", "migrate", *FEW_TABLES],
        cwd=tmp_path,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "piev_site.settings",
            "PIEV_STATE": str(state),
            "DATABASE_URL": "sqlite:///audit.sqlite3",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["audit.sqlite3", "state"]
    assert not (state / "piev.sqlite3").exists()


def test_a_relative_sqlite_address_is_made_absolute_for_the_parts_of_serve(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    absolute = environment.absolute_database_url("sqlite:///my%20audit.sqlite3")

    assert absolute == f"sqlite:///{tmp_path}/my%20audit.sqlite3"
    database = environment.database(absolute, tmp_path / "other", 4, 10)
    assert database["NAME"] == tmp_path / "my audit.sqlite3"
    assert environment.absolute_database_url(absolute) == absolute


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite://", "expected sqlite:///relative/path or sqlite:////absolute/path"),
        ("sqlite://audit.sqlite3", "expected sqlite:///relative/path"),
        ("sqlite:///audit.sqlite3?timeout=3", "expected sqlite:///relative/path"),
        ("sqlite:////nowhere/at/all.sqlite3", "'/nowhere/at/all.sqlite3', which is in a folder"),
        ("sqlite:////tmp", "'/tmp', which is a folder"),
    ],
)
def test_an_sqlite_address_that_cannot_be_used_is_refused(url, message):
    with pytest.raises(ImproperlyConfigured, match=re.escape(message)):
        environment.absolute_database_url(url)


def test_an_sqlite_file_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "plain").touch()

    with pytest.raises(ImproperlyConfigured, match="cannot be made: Not a directory"):
        environment.keep_to_owner(tmp_path / "plain" / "audit.sqlite3")


def test_a_database_that_is_away_is_told_without_a_traceback(tmp_path):
    nobody = "postgresql://piev:p4ss@127.0.0.1:1/piev"

    done = run_manage("migrate", PIEV_STATE=str(tmp_path), DATABASE_URL=nobody)

    assert done.returncode == 1
    # The pool says at every try what is wrong; its last word is that it took too long.
    assert "The database cannot be reached; look at DATABASE_URL." in done.stderr.splitlines()
    assert "Connection refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert "p4ss" not in done.stderr


def test_a_site_that_was_never_migrated_says_what_to_run(tmp_path):
    done = run_manage("agreement", "--dataset", "Bikes", PIEV_STATE=str(tmp_path), DATABASE_URL="")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "Run this first: manage.py migrate"
    assert "Traceback" not in done.stderr


def test_a_secret_is_read_from_a_file(monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    monkeypatch.delenv("SECRET_KEY", raising=False)
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY_FILE .* cannot be read"):
        environment.env_secret("SECRET_KEY")
    (tmp_path / "key").write_text("from a file\n")

    assert environment.env_secret("SECRET_KEY") == "from a file"

    monkeypatch.setenv("SECRET_KEY", "another")
    with pytest.raises(ImproperlyConfigured, match="both set"):
        environment.env_secret("SECRET_KEY")
