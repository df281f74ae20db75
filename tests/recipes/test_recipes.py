"""The recipes of CONTRIBUTING, followed to the letter in a copy of the house.

Each adds its files (`additions/<recipe>`) and makes the few edits that it names. Then the tests
that came along run there, and those of the house's own that hold its parts together.
"""

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from annotation.engine.rubric.rubric import current_rubric
from tests.migrated import KEPT_IN, migrated_database

HOUSE = Path(__file__).resolve().parents[2]
ADDITIONS = Path(__file__).parent / "additions"
COPIED = (
    "annotation", "benchmarks", "generation", "piev_site", "sample", "segments", "templates",
    "texts", "static", "tests", "docs", "scripts",
    "manage.py", "pyproject.toml", "constraints.txt", "CONTRIBUTING.md", "CHANGELOG.md",
)  # fmt: skip
PROVIDERS = "tests/generation/backends/video/providers"
# By recipe: which file is edited, what stands there, and what is put behind it.
EDITS = {
    "importer": [
        (
            "docs/researchers.md",
            "| format | give it | what comes in |\n|---|---|---|\n",
            "| `shelf` | a `.shelf` file | a take |\n",
        )
    ],
    "check": [
        (
            "docs/judge.md",
            "| example | repaired by |\n|---|---|---|---|---|\n",
            "| `FEW_WORDS` | soft | A mistake is told in fewer than forty words. | - |"
            " the model |\n",
        )
    ],
    "metric": [
        (
            "annotation/engine/rubric/rubric.py",
            '    TEXT_VIDEO_GROUNDING = "text_video_grounding"\n',
            '    EFFORT = "effort"\n',
        )
    ],
    "column": [
        (
            "annotation/engine/ratings/columns.py",
            ' "assignment__purpose", read_purpose, is_optional=True, absent=ORDINARY\n    ),\n',
            '    RatingColumn("scenario", "assignment__trace__take__scenario", text_of(200),'
            ' is_optional=True, absent=""),\n',
        ),
        (
            "docs/researchers.md",
            "There only if it is not `ordinary` for every answer |\n",
            "| `scenario` | the take's |\n",
        ),
    ],
    "page": [
        ("annotation/urls.py", "from annotation.views.corpus import datasets", ", shelf"),
        (
            "annotation/urls.py",
            "urlpatterns = [\n",
            '    path("shelf/", shelf.shelf, name="shelf"),\n',
        ),
        (
            "templates/base.html",
            "{% if user.is_researcher %}\n",
            "    <a href=\"{% url 'shelf' %}\">Shelf</a>\n",
        ),
    ],
    "endpoint": [
        ("annotation/api/urls.py", "from annotation.api.corpus import corpus, imports", ", shelf"),
        (
            "annotation/api/urls.py",
            "urlpatterns = [\n",
            '    path("shelf/", shelf.ShelfEndpoint.as_view(), name="api-shelf"),\n',
        ),
        (
            "tests/annotation/api/test_roles.py",
            "EXPECTED = {\n",
            '    "GET /api/v1/shelf/": RESEARCHERS_LIST,\n',
        ),
    ],
    "provider": [
        (
            "tests/fakes/video_provider_forms.py",
            "",
            (ADDITIONS / "provider/form.txt").read_text(),
        ),
        (
            "docs/video_providers.md",
            "| `openai_videos` | bearer key or none | | `/videos` | its list of jobs | |\n",
            "| `lantern` | bearer key | `https://lantern.example` | `/films` | `/account`"
            " | `light-1` |\n",
        ),
    ],
}
# What the house says of all its formats, checks, metrics, columns, addresses and providers.
OWN_TESTS = (
    "tests/engine/corpus/formats/test_registry.py",
    "tests/engine/judging/test_check.py",
    "tests/engine/campaigns/test_guideline.py",
    "tests/engine/ratings/test_table.py",
    "tests/engine/rubric/test_rubric.py",
    "tests/sample/test_ratings.py",
    "tests/annotation/api/test_roles.py::test_every_operation_of_the_schema_has_a_row",
    "tests/docs/test_researchers.py::test_every_format_has_its_row",
    "tests/docs/test_researchers.py::test_columns_of_the_rating_table_are_explained_in_order",
    "tests/docs/test_template_layers.py",
    "tests/docs/test_video_providers.py::test_adapter_is_in_the_tables_with_its_address_and_model",
    f"{PROVIDERS}/test_registry.py",
)


def edit(path, anchor, addition):
    """Put a text behind what stands there, or at the end of the file."""
    text = path.read_text()
    assert anchor in text, f"{path}: {anchor!r} is not there"
    before, found, after = text.partition(anchor) if anchor else (text, "", "")
    path.write_text(before + found + addition + after)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Return a copy of the house to which every recipe has added its part."""
    copy = tmp_path_factory.mktemp("house")
    for name in COPIED:
        source = HOUSE / name
        if source.is_dir():
            # With byte code: files keep their times, so what no recipe edits is not compiled anew.
            shutil.copytree(source, copy / name)
        else:
            shutil.copy(source, copy / name)
    # No recipe needs a migration, so the tables are those of this house.
    (copy / KEPT_IN.name).mkdir()
    shutil.copy(migrated_database(), copy / KEPT_IN.name)
    _add_rubric(copy / "annotation/engine/rubric/versions")
    for recipe, edits in EDITS.items():
        for path in (ADDITIONS / recipe).iterdir():
            if path.is_dir():
                shutil.copytree(path, copy / path.name, dirs_exist_ok=True)
        for name, anchor, addition in edits:
            edit(copy / name, anchor, addition)
    return copy


def _add_rubric(rubrics):
    """Write the version after the newest one: its module, and its words."""
    newest = current_rubric().version
    following = str(int(newest) + 1)
    module, words = (ADDITIONS / "metric" / name for name in ("rubric.txt", "words.toml"))
    (rubrics / f"v{following}.py").write_text(
        module.read_text().replace("NEWEST", newest).replace("NEXT", following)
    )
    (rubrics / f"v{following}.toml").write_text(
        (rubrics / f"v{newest}.toml").read_text() + words.read_text()
    )


@pytest.fixture(scope="module")
def outcomes(house):
    """Return what the tests of the changed house said: failures and number by test module."""
    came = [
        str(path.relative_to(ADDITIONS / recipe))
        for recipe in EDITS
        for path in sorted((ADDITIONS / recipe).rglob("test_*.py"))
    ]
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "--nomigrations", "--junitxml=tests.xml",
            "-p", "no:cacheprovider", *OWN_TESTS, *came,
        ],
        cwd=house,
        env={**os.environ, "PYTHONPATH": str(house)},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode in {0, 1}, done.stdout[-3000:] + done.stderr[-3000:]
    found = defaultdict(list)
    for case in ET.parse(house / "tests.xml").iter("testcase"):  # noqa: S314 (written by pytest)
        faults = [item.get("message") for item in case if item.tag in {"failure", "error"}]
        found[case.get("classname")].append((case.get("name"), faults))
    return found


def module_name(path):
    return ".".join(path.with_suffix("").parts)


@pytest.mark.parametrize("recipe", EDITS)
def test_recipe_does_what_it_says(outcomes, recipe):
    paths = [path.relative_to(ADDITIONS / recipe) for path in (ADDITIONS / recipe).rglob("test_*")]
    cases = [case for path in paths for case in outcomes[module_name(path)]]

    assert len(cases) >= len(paths) > 0
    assert [(name, faults) for name, faults in cases if faults] == []


def test_changed_house_holds_together(outcomes):
    modules = {module_name(Path(test.partition("::")[0])) for test in OWN_TESTS}
    cases = [case for module in modules for case in outcomes[module]]

    assert len(cases) > 100
    assert [(name, faults) for name, faults in cases if faults] == []
