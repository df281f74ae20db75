"""What a process loads when it starts: much, but nothing that takes long and can wait."""

import subprocess
import sys

import pytest

from annotation.backends.build_version import build_version
from tests.migrated import environment_of

# First as a command starts, then with all pages; prints what is loaded by then.
START = """
import sys
import django
from django.core.management import get_commands, load_command_class
django.setup()
import annotation.tasks, benchmarks.tasks, generation.tasks
ours = {"annotation", "benchmarks", "generation", "sample", "segments", "texts"}
for name, app in get_commands().items():
    if app in ours:
        command = load_command_class(app, name)
        command.check(tags=command.requires_system_checks)
print(*sys.modules)
import piev_site.urls
print(*sys.modules)
"""
CAN_WAIT = {
    "jsonschema", "matplotlib", "openai", "openpyxl", "scipy.ndimage", "scipy.optimize",
    "scipy.special", "scipy.stats", "sklearn", "torch",
}  # fmt: skip


def test_commands_load_no_pages_and_the_site_nothing_that_can_wait(tmp_path):
    command = [sys.executable, "-c", START]
    done = subprocess.run(
        command, env=environment_of(tmp_path), capture_output=True, check=True, text=True
    )

    for_commands, for_pages = [set(line.split()) for line in done.stdout.splitlines()]
    assert {"annotation.management.commands.serve", "generation.management.commands.launch"} <= (
        for_commands
    )
    of_pages = {"piev_site.urls", "annotation.views", "annotation.api", "rest_framework.views"}
    assert not of_pages & for_commands
    assert {
        "annotation.analytics.pictures.forest",
        "annotation.analytics.raters.raters",
    } <= for_pages
    assert not CAN_WAIT & for_pages


@pytest.mark.parametrize("asked", ["version", "--version"])
def test_the_version_is_that_of_the_site_and_not_of_django(tmp_path, asked):
    told = subprocess.run(
        [sys.executable, "manage.py", asked],
        env=environment_of(tmp_path),
        capture_output=True,
        check=True,
        text=True,
    )

    assert told.stdout == f"{build_version()}\n"
