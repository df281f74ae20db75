"""No container engine runs here, so what the deployment files say is checked against the code."""

import re

import pytest
import yaml
from django.conf import settings

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

    # boto3 reads these itself.
    read |= {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
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
