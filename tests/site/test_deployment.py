"""No container engine runs here, so what the deployment files say is checked against the code."""

import re
import subprocess
import sys

import psycopg
import pytest
import yaml
from django.conf import settings
from django.db.backends.postgresql.base import DatabaseWrapper

from piev_site.environment import postgresql_database

COMPOSE = settings.BASE_DIR / "docker-compose.yml"
DOCKERFILE = settings.BASE_DIR / "Dockerfile"


@pytest.fixture(scope="module")
def services():
    return yaml.safe_load(COMPOSE.read_text())["services"]


def test_compose_names_the_parts_of_a_team_installation(services):
    assert sorted(services) == [
        "database",
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

    # boto3 and PostgreSQL's client library read these themselves.
    read |= {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD"}
    assert set(services["web"]["environment"]) <= read


def test_compose_waits_for_what_each_part_needs(services):
    for name in ("web", "worker", "sweeper"):
        assert services[name]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"},
            "redis": {"condition": "service_healthy"},
        }


def test_image_copies_what_the_site_needs_to_run():
    copied = re.findall(r"^COPY (.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)
    names = {name for line in copied for name in line.split()}

    assert {"annotation", "generation", "piev_site", "templates", "static", "manage.py"} <= names
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
    assert {"django", "gunicorn", "psycopg", "boto3"} <= names
    assert "puremagic" not in names


def test_image_leaves_secrets_and_videos_out():
    ignored = (settings.BASE_DIR / ".dockerignore").read_text().split()

    assert {".env", "videos", "var"} <= set(ignored)


def test_compose_hands_on_any_password_of_the_database(services, monkeypatch):
    variables = services["web"]["environment"]
    assert variables["PGPASSWORD"] == "${POSTGRES_PASSWORD}"
    monkeypatch.setenv("PGPASSWORD", "p@ss/w#rd?%:")
    named = DatabaseWrapper(
        {"TIME_ZONE": None, **postgresql_database(variables["DATABASE_URL"])}
    ).get_connection_params()

    defaults = {part.keyword: part.val for part in psycopg.pq.Conninfo.get_defaults()}
    assert "password" not in named
    assert defaults[b"password"] == b"p@ss/w#rd?%:"


@pytest.mark.parametrize("hosts", ["testserver", ".audit.example.org,localhost", "*"])
def test_compose_asks_the_web_server_for_its_health_under_an_allowed_name(
    services, live_server, settings, monkeypatch, hosts
):
    settings.ALLOWED_HOSTS = hosts.split(",")
    monkeypatch.setenv("ALLOWED_HOSTS", hosts)
    word, _python, *arguments = services["web"]["healthcheck"]["test"]
    port = live_server.url.rsplit(":", 1)[1]
    asked = [argument.replace(":8000/", f":{port}/") for argument in arguments]

    done = subprocess.run([sys.executable, *asked], capture_output=True, text=True, check=False)

    assert (word, done.returncode, done.stderr) == ("CMD", 0, "")
