"""Every link and picture of the docs leads somewhere, and every picture has a place."""

import pytest
from PIL import Image

from tests.docs.pages import LINK, PAGES, REPOSITORY, anchors_of, name_of, prose_of

PICTURES = REPOSITORY / "docs" / "pictures"
MAX_PICTURE_BYTES = 200_000
MAX_ALL_BYTES = 2_000_000


def targets_of(page):
    """Return (is picture, words, target) of each link to a file or heading."""
    links = LINK.findall(prose_of(page))
    return [(bool(mark), words, target) for mark, words, target in links if "://" not in target]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_of_a_page_lead_to_files_and_headings_that_are_there(page):
    broken = []
    for _, _, target in targets_of(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and anchor not in anchors_of(file)):
            broken.append(target)

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pictures_of_a_page_say_in_words_what_they_show(page):
    silent = [target for is_picture, words, target in targets_of(page) if is_picture and not words]

    assert silent == []


def test_every_picture_is_shown_on_a_page_and_small():
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for is_picture, _, target in targets_of(page)
        if is_picture
    }
    sizes = {path: path.stat().st_size for path in PICTURES.glob("*.png")}

    assert set(sizes) == shown
    assert max(sizes.values()) <= MAX_PICTURE_BYTES
    assert sum(sizes.values()) <= MAX_ALL_BYTES


@pytest.mark.parametrize("path", sorted(PICTURES.glob("*.png")), ids=lambda path: path.name)
def test_a_picture_has_the_size_of_a_screen(path):
    with Image.open(path) as picture:
        assert picture.size == ((1920, 1080) if path.stem.endswith("-wide") else (1280, 800))


def test_readme_shows_the_audit_page_and_names_every_page_of_the_docs():
    readme = targets_of(REPOSITORY / "README.md")
    index = {target for _, _, target in targets_of(REPOSITORY / "docs" / "README.md")}
    pages = {path.name for path in (REPOSITORY / "docs").glob("*.md")} - {"README.md"}

    assert (True, "docs/pictures/audit.png") in {(mark, target) for mark, _, target in readme}
    assert pages <= index
    assert {f"docs/{name}" for name in pages} <= {target for _, _, target in readme}
