"""The script that counts lines, functions and arrows, on a house that can be counted by hand."""

import shutil
import subprocess
import sys

from tests.conftest import REPOSITORY

FILES = {
    "annotation/__init__.py": "",
    "annotation/services/low.py": "def _once():\n    return 1\n\n\nlow = _once\n",
    "annotation/services/high.py": (
        "from annotation.services import low\n\nlow.low()\n\n\ndef only_tested():\n    return 2\n"
        "\n\nclass Checker:\n    def validate(self):\n        return 3\n"
    ),
    "generation/forms.py": "WIDTH = 3\n",
    "piev_site/settings.py": 'CHECKER = "annotation.services.high.Checker"\n',
    "tests/test_high.py": "from annotation.services.high import only_tested\n",
    "pyproject.toml": (
        '[[tool.importlinter.contracts]]\ncontainers = ["annotation", "generation"]\n'
        'layers = ["(services)"]\n'
    ),
}
PRIVATE = "\n\ndef _twice():\n    return 2\n\n\ndouble = _twice() + _twice()\n"


def git(folder, *words):
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    subprocess.run(["git", "-C", str(folder), *author, *words], check=True, capture_output=True)


def test_figures_of_a_commit_stand_beside_those_of_the_checkout(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(REPOSITORY / "scripts" / "house_figures.py", tmp_path / "scripts")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "First")
    # A circle, and a private function that is used twice.
    low = tmp_path / "annotation" / "services" / "low.py"
    low.write_text("from annotation.services import high\n" + low.read_text() + PRIVATE)

    command = [sys.executable, script, "--against", "HEAD"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    table, *lists = printed.split("\n\n")
    rows = {line[:50].strip(): line[50:].split() for line in table.splitlines()}
    assert {label: rows[label] for label in rows if not label.startswith("f")} == {
        "product lines": ["19", "27"],
        "product files": ["8", "8"],
        "data files beside them, lines": ["0", "0"],
        "tests' lines": ["1", "1"],
        "private functions used once": ["1", "1"],
        "share of them, %": ["33.3", "25.0"],
        "upward arrows": ["0", "1"],
        "modules in no layer contract": ["1", "1"],
        "annotation.services: rooms": ["2", "2"],
        "annotation.services: arrows": ["1", "2"],
        "annotation.services: upward arrows": ["0", "1"],
    }
    assert lists[1:] == [
        "functions that only tests reach:\n  annotation/services/high.py:6 only_tested",
        "modules in no layer contract:\n  generation/forms\n",
    ]
