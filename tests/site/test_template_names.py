"""A template prints nothing for a name that is gone, so a renaming would fail in silence."""

import re
from pathlib import Path

import axes
import django

ROOT = Path(__file__).parents[2]
APPS = ("annotation", "segments", "texts", "generation", "benchmarks", "sample", "piev_site")
# What gives pages names besides: Django's template language and forms, and the page of a lock.
LIBRARIES = (
    *(Path(django.__file__).parent / part for part in ("template", "templatetags", "forms")),
    Path(django.__file__).parent / "contrib/humanize",
    Path(django.__file__).parent / "core",
    Path(axes.__file__).parent,
)
TAG = re.compile(r"\{\{(.+?)\}\}|\{%(.+?)%\}", re.DOTALL)
# The framework gives a field with choices a method of this name.
DISPLAY = re.compile(r"\bget_(\w+)_display\b")
QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')
# What a template names itself: {% for x, y in … %}, {% … as x %}, {% with x=… %}, {% block x %}.
OWN = re.compile(r"\bfor ([\w, ]+?) in\b|\b(?:as|block) (\w+)|(\w+)=")


def words_of_the_code() -> set[str]:
    folders = [*(ROOT / app for app in APPS), *LIBRARIES]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    stems = {file.stem for file in files}
    return set(re.findall(r"\w+", " ".join(file.read_text("utf-8") for file in files))) | stems


def tags_of(template: Path) -> list[str]:
    found = ["".join(pair) for pair in TAG.findall(template.read_text("utf-8"))]
    return [DISPLAY.sub(r"\1", QUOTED.sub("", tag)) for tag in found]


def test_every_name_that_a_template_reads_stands_in_the_code():
    # The page to try the API is given its names by the library that draws it.
    templates = [file for file in (ROOT / "templates").rglob("*.*") if file.name != "api_try.html"]
    tags = {template: tags_of(template) for template in templates}
    everything = " ".join(tag for found in tags.values() for tag in found)
    own = re.findall(r"\w+", " ".join(" ".join(groups) for groups in OWN.findall(everything)))
    names = words_of_the_code() | set(own)

    missing = {
        f"{template.name}: {word}"
        for template, found in tags.items()
        for word in re.findall(r"\b[a-z_]\w*", " ".join(found))
        if word not in names
    }
    assert not missing


def test_every_time_that_a_page_shows_says_that_it_is_utc():
    # The heads of tables of the audit log say it, in rows that are wide enough.
    files = [file for file in (ROOT / "templates").rglob("*.html") if file.name[:7] != "_audit_"]
    times = re.compile(r'\{\{[^}]*date:"[^"]*H:i[^"]*"[^}]*\}\}(?!\s*\(?UTC)')

    unsaid = {file.name: times.findall(file.read_text("utf-8")) for file in files}

    assert {name: found for name, found in unsaid.items() if found} == {}
