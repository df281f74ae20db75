"""Every bench starts, and what benches start: settings come before what needs them."""

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "bench"
PROGRAMS = [file for file in sorted(FOLDER.glob("*.py")) if "__main__" in file.read_text()]
NEEDS_SETTINGS = re.compile(
    r"(annotation|segments|texts|generation|benchmarks)\.(models|selectors|services|launch|forms)"
)


def sets_up(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("bench."):
        file = FOLDER / f"{(statement.module or '').removeprefix('bench.')}.py"
        return file.exists() and "\ndjango.setup()" in file.read_text()
    return ast.unparse(statement) == "django.setup()"


def imports_before_setup(source: str) -> list[str]:
    found = []
    for statement in ast.parse(source).body:
        if sets_up(statement):
            break
        if isinstance(statement, ast.ImportFrom) and NEEDS_SETTINGS.match(statement.module or ""):
            found.append(statement.module)
    return found


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_nothing_that_needs_settings_is_imported_before_them(file: Path) -> None:
    assert imports_before_setup(file.read_text()) == []


def test_an_import_before_the_settings_is_found() -> None:
    late = ["import django", "from segments.models import X", "django.setup()"]
    assert imports_before_setup("\n".join([*late, "from annotation.models import Y"])) == [
        "segments.models"
    ]
