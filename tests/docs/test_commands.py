"""Every command line in the docs is one that the real parser takes."""

import re

import pytest
from django.core.management import CommandError, get_commands, load_command_class

from tests.docs.pages import (
    PAGES,
    REPOSITORY,
    bench_lines_of,
    command_lines_of,
    make_targets_of,
    name_of,
)

CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)
# What a page may write for "any further words".
ELLIPSIS = "..."


def fault_of(words):
    """Return what the parser of the command says against the words, "" for nothing."""
    name, *rest = words
    if name not in get_commands():
        return f"there is no command {name}"
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    try:
        parser.parse_args(rest)
    except CommandError as error:
        return str(error)
    return ""


LINES = [
    pytest.param(words, id=f"{name_of(page)}: {' '.join(words)[:60]}")
    for page in (*PAGES, CONTRIBUTING)
    for words in command_lines_of(page)
    # A command that is only named has no words to check; a usage line ends in an ellipsis.
    if len(words) > 1 and ELLIPSIS not in words
]


@pytest.mark.parametrize("words", LINES)
def test_a_command_line_of_the_docs_is_accepted(words):
    assert fault_of(words) == ""


def test_commands_that_are_named_exist():
    named = {
        words[0]
        for page in PAGES
        for words in command_lines_of(page)
        if words and words[0].isidentifier()
    }

    assert named - set(get_commands()) == set()
    assert {"import_dataset", "link_videos", "agreement", "export_ratings", "serve"} <= named


def test_make_targets_that_are_named_exist():
    named = {target for page in (*PAGES, CONTRIBUTING) for target in make_targets_of(page)}
    known = set(TARGET.findall((REPOSITORY / "Makefile").read_text()))

    assert named - known == set()
    assert {"demo", "test", "proof", "install", "check", "bench"} <= named


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_benches_that_a_page_names_exist_and_take_its_options(page):
    unknown = []
    for name, *words in bench_lines_of(page):
        module = REPOSITORY / "bench" / f"{name}.py"
        source = module.read_text() if module.exists() else ""
        options = [word for word in words if word.startswith("--")]
        if not source or any(f'"{option}"' not in source for option in options):
            unknown.append([name, *words])

    assert unknown == []


def test_the_check_itself_sees_a_wrong_option():
    assert "unrecognized" in fault_of(["agreement", "--dataset", "A", "--colour"])
    assert fault_of(["agrement", "--dataset", "A"]) == "there is no command agrement"
