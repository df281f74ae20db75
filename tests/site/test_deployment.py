"""No container engine runs here, so what the deployment files say is checked against the code."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from socket import gethostname

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db.backends.postgresql.base import DatabaseWrapper
from django.urls import reverse
from django.utils import timezone

from annotation.models import Process, ProcessKind
from annotation.services.records.processes import note_process
from piev_site.environment import env_secret, postgresql_database
from tests.docs.test_commands import fault_of
from tests.site.compose import COMPOSE, resolved_compose
from tests.site.serving import free_port, site_environment, wait_until

DOCKERFILE = settings.BASE_DIR / "Dockerfile"


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load(COMPOSE.read_text())["services"]


def test_compose_names_the_parts_of_a_team_installation(services):
    assert sorted(services) == [
        "assessor",
        "database",
        "https",
        "migrate",
        "redis",
        "sweeper",
        "web",
        "worker",
    ]


def test_compose_and_image_serve_with_the_same_command(services):
    image_command = re.search(r"^CMD (\[.*\])$", DOCKERFILE.read_text(), re.MULTILINE).group(1)

    assert services["web"]["command"] == yaml.safe_load(image_command)


def test_compose_sets_only_variables_that_the_settings_read(services):
    source = (settings.BASE_DIR / "piev_site" / "settings.py").read_text()
    read = set(re.findall(r'env_\w+\(\s*"([A-Z_]+)"', source))

    read |= {f"{name}_FILE" for name in re.findall(r'env_secret\(\s*"([A-Z_]+)"', source)}
    # boto3 reads these itself.
    read |= {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    assert set(services["web"]["environment"]) <= read


def test_compose_waits_for_what_each_part_needs(services):
    for name in ("web", "worker", "sweeper", "assessor"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "redis": {"condition": "service_healthy"},
        }


def test_image_copies_what_the_site_needs_to_run():
    copied = re.findall(r"^COPY (.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)
    names = {name for line in copied for name in line.split()}

    assert {
        "annotation",
        "generation",
        "piev_site",
        "templates",
        "static",
        "manage.py",
        "version.txt",
    } <= names
    assert all((settings.BASE_DIR / name).exists() for name in names - {"README.md"})


def test_image_installs_the_packages_before_it_copies_the_code():
    lines = DOCKERFILE.read_text().splitlines()
    installed_at = next(n for n, line in enumerate(lines) if "--requirement" in line)
    copied_at = [n for n, line in enumerate(lines) if line.startswith("COPY annotation")]

    assert installed_at < copied_at[0]


def test_image_installs_what_the_project_names(tmp_path):
    code = re.search(r'^RUN python -c "(.+)" > requirements', DOCKERFILE.read_text(), re.MULTILINE)
    command = [sys.executable, "-c", code.group(1)]

    done = subprocess.run(
        command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True
    )

    names = {re.match(r"[\w-]+", line).group() for line in done.stdout.splitlines()}
    assert {"django", "gunicorn", "psycopg", "boto3", "a2a-sdk"} <= names
    assert "puremagic" not in names


def test_image_leaves_secrets_and_videos_out():
    ignored = (settings.BASE_DIR / ".dockerignore").read_text().split()

    assert {".env", "backups", "videos", "var"} <= set(ignored)


def test_git_leaves_secrets_out():
    assert ".env" in (settings.BASE_DIR / ".gitignore").read_text().split()


def test_compose_hands_on_any_password_of_the_database_in_a_file(services, monkeypatch, tmp_path):
    variables = services["web"]["environment"]
    assert variables["DATABASE_PASSWORD_FILE"] == "/run/secrets/postgres_password"
    assert services["database"]["secrets"] == ["postgres_password"]
    handed = tmp_path / "postgres_password"
    handed.write_text("p@ss/w#rd?%:\n")
    monkeypatch.setenv("DATABASE_PASSWORD_FILE", str(handed))

    password = env_secret("DATABASE_PASSWORD")

    named = DatabaseWrapper(
        {
            "TIME_ZONE": None,
            **postgresql_database(variables["DATABASE_URL"], 4, 10),
            "PASSWORD": password,
        }
    ).get_connection_params()
    assert named["password"] == "p@ss/w#rd?%:"


def test_no_secret_of_compose_is_a_variable_of_a_container(services):
    shown = [str(service.get("environment")) for service in services.values()]

    assert not any("${SECRET_KEY:" in text or "${POSTGRES_PASSWORD" in text for text in shown)


def test_one_image_is_built_and_the_site_runs_it(services):
    built = [name for name, service in services.items() if "build" in service]

    assert built == ["migrate"]
    ours = ("migrate", "web", "worker", "sweeper", "assessor")
    assert {services[name]["image"] for name in ours} == {"piev"}


def test_assessor_of_compose_comes_with_its_profile_and_its_command_is_accepted(services):
    assessor = services["assessor"]
    python, program, *words = assessor["command"]

    assert assessor["profiles"] == ["agents"]
    assert assessor["environment"] == services["worker"]["environment"]
    assert (python, program, fault_of(words)) == ("python", "manage.py", "")
    assert assessor["ports"][0].endswith(f":{words[words.index('--port') + 1]}")


def test_images_of_others_have_exact_tags(services):
    images = {service["image"] for service in services.values()} - {"piev"}
    images.add(re.search(r"^FROM (\S+)$", DOCKERFILE.read_text(), re.MULTILINE).group(1))

    assert all(re.search(r":\d+\.\d+(\.\d+)?-\w+", image) for image in images), images


def test_every_service_gives_up_rights_and_old_lines_of_its_log(services):
    for name, service in services.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["logging"]["options"] == {"max-size": "20m", "max-file": "5"}, name


def test_a_migration_that_failed_is_tried_again(services):
    assert services["migrate"]["restart"] == "on-failure"


def test_the_database_is_asked_over_tcp():
    """While PostgreSQL is set up, a temporary server answers on the socket only."""
    word, *command = yaml.safe_load(COMPOSE.read_text())["services"]["database"]["healthcheck"][
        "test"
    ]
    assert (word, command[:3]) == ("CMD", ["pg_isready", "--host", "127.0.0.1"])

    done = subprocess.run(
        [*command, "--port", str(free_port())], capture_output=True, text=True, check=False
    )

    # 2: nobody answers; 3 would be a word that it does not know.
    assert (done.returncode, "no response" in done.stdout) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("migrate", ["manage.py", "migrate", "--noinput"]),
        ("migrate", ["manage.py", "collectstatic", "--noinput"]),
        ("sweeper", ["manage.py", "sweep_jobs"]),
    ],
)
def test_the_commands_of_compose_are_accepted(services, name, words):
    assert " ".join(words) in " ".join(services[name]["command"])

    assert fault_of(words[1:]) == ""


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("service", "seen_name"), [("worker", f"celery@{gethostname()}"), ("sweeper", gethostname())]
)
def test_worker_and_sweeper_are_healthy_where_they_were_seen_lately(services, service, seen_name):
    *_, script, command, kind = services[service]["healthcheck"]["test"]
    assert (script, command, kind) == ("manage.py", "is_running", service)
    note_process(kind=ProcessKind(service), name="celery@elsewhere")
    with pytest.raises(CommandError, match="has not been seen"):
        call_command(command, kind)

    note_process(kind=ProcessKind(service), name=seen_name)
    call_command(command, kind)

    Process.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    with pytest.raises(CommandError, match="was last seen at"):
        call_command(command, kind)


def test_sweeper_ends_when_its_container_is_stopped(tmp_path):
    """The first process of a container gets only signals that it has asked for."""
    environment = site_environment(tmp_path, has_redis=False)
    sweeper = subprocess.Popen(
        [sys.executable, "manage.py", "sweep_jobs"], cwd=settings.BASE_DIR, env=environment
    )
    database = f"file:{tmp_path}/state/piev.sqlite3?mode=ro"

    def is_seen():
        with closing(sqlite3.connect(database, uri=True, timeout=30)) as connection:
            return connection.execute("select count(*) from annotation_process").fetchone()[0]

    try:
        wait_until(is_seen)
    finally:
        sweeper.terminate()

    # A signal that nobody asked for would have ended it with -15.
    assert sweeper.wait(60) == 0


def test_compose_file_can_be_resolved(tmp_path):
    resolved = resolved_compose(
        tmp_path,
        profiles=["https"],
        SECRET_KEY="a",
        POSTGRES_PASSWORD="b",
        PORT="127.0.0.1:8000",
    )

    assert resolved["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"]
    assert "{$TLS_HOST} {" in resolved["configs"]["caddy"]["content"]


@pytest.mark.parametrize("hosts", ["testserver", ".audit.example.org,localhost", "*"])
def test_compose_asks_the_web_server_for_its_health_under_an_allowed_name(
    services, live_server, settings, monkeypatch, hosts
):
    settings.ALLOWED_HOSTS = hosts.split(",")
    monkeypatch.setenv("ALLOWED_HOSTS", hosts)
    # Loads all pages, as piev_site/wsgi.py does before anybody asks.
    reverse("login")
    word, _python, *arguments = services["web"]["healthcheck"]["test"]
    port = live_server.url.rsplit(":", 1)[1]
    # What is judged is its answer: how long it waits is for a machine that has other work besides.
    asked = [
        argument.replace(":8000/", f":{port}/").replace("timeout=5", "timeout=60")
        for argument in arguments
    ]

    done = subprocess.run([sys.executable, *asked], capture_output=True, text=True, check=False)

    assert (word, done.returncode, done.stderr) == ("CMD", 0, "")
