"""The wheel holds everything, and works from an empty folder without a checkout.

`tests/proof/test_wheel.py` installs it with all that it needs into an empty environment.
"""

import os
import re
import subprocess
import sys
import zipfile

import pytest
from django.conf import settings

from annotation.backends.build_version import build_version
from annotation.views.records.manual import PAGES
from tests.migrated import give_tables
from tests.site.installing import FOREIGN_VARIABLES, build_wheel, install_without_dependencies
from tests.site.serving import free_port, wait_for_page

PACKAGES = ("annotation", "benchmarks", "generation", "piev_site", "sample", "segments", "texts")
FRONT_FOLDERS = ("templates", "static", "docs/pictures")
HELP = {f"piev_site/docs/{name}" for name, _ in PAGES.values()}
# Written by Python itself, or for the tests.
NOT_SHIPPED = {"__pycache__", "settings_test.py"}


class Installed:
    """PIE-V installed in a folder, called from another that is empty."""

    def __init__(self, folder):
        self.wheel = build_wheel(folder / "wheel")
        self.packages = folder / "packages"
        install_without_dependencies(self.wheel, self.packages)
        self.home, self.empty = folder / "home", folder / "empty"
        self.home.mkdir()
        self.empty.mkdir()
        kept = {name: text for name, text in os.environ.items() if name not in FOREIGN_VARIABLES}
        self.environment = {**kept, "PYTHONPATH": str(self.packages), "HOME": str(self.home)}

    def command(self, *arguments):
        return [sys.executable, str(self.packages / "bin" / "piev"), *arguments]

    def piev(self, *arguments, **variables):
        return subprocess.run(
            self.command(*arguments),
            cwd=self.empty,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed"))


def files_below(*folders):
    paths = (path for name in folders for path in (settings.BASE_DIR / name).rglob("*"))
    return {
        path.relative_to(settings.BASE_DIR).as_posix()
        for path in paths
        if path.is_file() and not NOT_SHIPPED & set(path.parts)
    }


def test_the_wheel_holds_every_file_of_the_packages_all_templates_and_static_files(installed):
    with zipfile.ZipFile(installed.wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    front = {f"piev_site/{name}" for name in files_below(*FRONT_FOLDERS)}
    assert held == files_below(*PACKAGES) | front | HELP | {"piev_site/constraints.txt"}
    assert {"sample/corpus.json", "generation/prompts/writer.v2.md"} <= held


def test_the_wheel_and_what_is_installed_of_it_say_which_build_they_are(installed):
    code = "from annotation.selectors.records.status import installed_version as v; print(v())"

    done = installed.piev("shell", "--verbosity", "0", "--command", code)

    assert done.stdout.strip() == build_version(), done.stderr
    assert installed.wheel.name.startswith(f"piev-{build_version()}-")


def test_the_installed_command_keeps_its_state_in_a_place_of_the_user(installed):
    # The tables of one app are enough.
    done = installed.piev("migrate", "contenttypes", "--verbosity", "0")

    assert (done.returncode, done.stderr) == (0, "")
    assert (installed.home / ".local" / "share" / "piev" / "piev.sqlite3").is_file()
    assert list(installed.empty.iterdir()) == []


@pytest.mark.parametrize("variable", ["PIEV_STATE", "XDG_DATA_HOME"])
def test_the_place_of_the_state_can_be_chosen(installed, tmp_path, variable):
    done = installed.piev("check", **{variable: str(tmp_path / "chosen")})

    chosen = tmp_path / "chosen" if variable == "PIEV_STATE" else tmp_path / "chosen" / "piev"
    assert done.stdout == "System check identified no issues (0 silenced).\n", done.stderr
    assert (chosen / "secret-key").is_file()


def test_the_installed_site_serves_pages_with_their_style_sheets(installed, tmp_path):
    give_tables(tmp_path)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        installed.command("serve", "--port", str(port)),
        cwd=installed.empty,
        env={**installed.environment, "PIEV_STATE": str(tmp_path), "LOG_LEVEL": "WARNING"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        try:
            page = wait_for_page(f"{address}/login/", server)
            (sheet,) = re.findall(r'href="(/static/site/site\.[0-9a-f]{12}\.css)"', page.text)
            style = wait_for_page(f"{address}{sheet}", server)
            icon = wait_for_page(f"{address}/favicon.ico", server)
        finally:
            server.terminate()

    assert [answer.status_code for answer in (page, style, icon)] == [200, 200, 200]
    assert style.text == (settings.BASE_DIR / "static" / "site" / "site.css").read_text()
    assert list(installed.empty.iterdir()) == []
