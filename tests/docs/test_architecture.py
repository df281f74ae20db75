"""The house that the docs draw is the one that stands, and files that they name are there."""

import re

import pytest

from tests.docs.pages import (
    CODE_BLOCK,
    INLINE_CODE,
    PAGES,
    REPOSITORY,
    name_of,
    prose_of,
    text_of,
)

ARCHITECTURE = REPOSITORY / "docs" / "architecture.md"
CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"
# One folder or several in a row, then what is in it, set off further.
ROOM = re.compile(r"^( *)([\w/]+/(?:  [\w/]+/)*)(?: {2,}\S.*)?$")
INDENT = 2
# Folders whose rooms are all to be drawn.
DRAWN = (
    "annotation", "annotation/engine", "annotation/services", "generation", "generation/engine",
    "segments",
)  # fmt: skip
OWN_FILE = re.compile(
    r"(?:annotation|benchmarks|generation|piev_site|sample|segments|tests|bench|scripts|docs)/[\w./]+"
)
# The data set that the recipe invents.
INVENTED = "mydata"


def drawn_rooms():
    """Return the folders that the drawing names, by their path from the repository."""
    drawing = next(body for _, body in CODE_BLOCK.findall(text_of(ARCHITECTURE)))
    rooms, parents = set(), []
    for indent, names in filter(None, (_room(line) for line in drawing.splitlines())):
        parents = parents[: len(indent) // INDENT]
        rooms |= {"/".join([*parents, name.rstrip("/")]) for name in names.split()}
        parents.append(names.split()[-1].rstrip("/"))
    return rooms


def _room(line):
    match = ROOM.match(line)
    return match.groups() if match else None


def packages_in(folder):
    return {
        f"{folder}/{path.name}"
        for path in (REPOSITORY / folder).iterdir()
        if (path / "__init__.py").exists()
    }


def test_every_folder_of_the_drawing_is_there():
    assert [room for room in sorted(drawn_rooms()) if not (REPOSITORY / room).is_dir()] == []


@pytest.mark.parametrize("folder", DRAWN)
def test_every_package_has_its_place_in_the_drawing(folder):
    assert packages_in(folder) - drawn_rooms() == set()


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING], ids=name_of)
def test_files_of_the_repository_that_a_page_names_are_there(page):
    named = {code for code in INLINE_CODE.findall(prose_of(page)) if OWN_FILE.fullmatch(code)}

    assert {
        name for name in named if INVENTED not in name and not (REPOSITORY / name).exists()
    } == set()


def test_the_check_itself_sees_several_folders_in_a_row_and_inside_each_other():
    assert {"annotation/api", "annotation/views", "generation/services/stages"} <= drawn_rooms()
    assert "generation/engine/judging" in drawn_rooms()
