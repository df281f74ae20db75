"""The administrators' page lists what the settings read."""

import re

import yaml

from tests.docs.pages import REPOSITORY, text_of

PAGE = REPOSITORY / "docs" / "administrators.md"
READ = re.compile(r"\benv_\w+\(\s*\"([A-Z_]+)\"")
TABLE_ROW = re.compile(r"^\| `([A-Z_]+)` \|", re.MULTILINE)
COMPOSE_VARIABLE = re.compile(r"\$\{([A-Z_]+)")


def test_every_variable_of_the_settings_has_its_row_and_no_other():
    read = set(READ.findall(text_of(REPOSITORY / "piev_site" / "settings.py")))

    assert set(TABLE_ROW.findall(text_of(PAGE))) == read


def test_every_variable_of_compose_is_named():
    compose = text_of(REPOSITORY / "docker-compose.yml")

    unnamed = {
        name for name in COMPOSE_VARIABLE.findall(compose) if f"`{name}`" not in text_of(PAGE)
    }

    assert unnamed == set()


def test_compose_hands_on_every_variable_that_it_lets_be_set():
    compose = yaml.safe_load(text_of(REPOSITORY / "docker-compose.yml"))
    environment = compose["services"]["web"]["environment"]

    assert set(environment) >= {"SECRET_KEY_FILE", "DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS"}
    assert compose["services"]["worker"]["environment"] == environment
