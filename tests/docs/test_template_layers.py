"""Templates keep to the layers of the code: pages of a lower app know nothing of a higher one."""

import re

import pytest
from django.conf import settings
from django.template import engines
from django.urls import URLPattern, get_resolver

TEMPLATES = settings.BASE_DIR / "templates"
LOWER_PAGES = sorted(
    path.relative_to(TEMPLATES).as_posix()
    for folder in ("annotation", "registration")
    for path in (TEMPLATES / folder).glob("**/*.html")
)
LOADED = re.compile(r"{%\s*load\s+(.+?)\s*%}")
LINKED = re.compile(r"{%\s*url\s+'([\w-]+)'")
TAKEN_IN = re.compile(r"{%\s*(?:include|extends)\s+\"([^\"]+)\"")


def addresses(patterns):
    """Yield the names of all pages with the module of what answers there."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.name, pattern.callback.__module__
        else:
            yield from addresses(pattern.url_patterns)


@pytest.fixture(scope="module")
def of_generation():
    """Return what belongs to the higher app: names of its pages and of its template libraries."""
    pages = {
        name
        for name, module in addresses(get_resolver().url_patterns)
        if module.startswith("generation.")
    }
    libraries = {
        name
        for name, module in engines["django"].engine.libraries.items()
        if module.startswith("generation.")
    }
    return pages, libraries


def test_the_higher_app_has_pages(of_generation):
    assert "run-detail" in of_generation[0]


@pytest.mark.parametrize("name", LOWER_PAGES)
def test_pages_of_the_lower_app_name_nothing_of_the_higher(name, of_generation):
    pages, libraries = of_generation
    text = (TEMPLATES / name).read_text(encoding="utf-8")

    loaded = {library for line in LOADED.findall(text) for library in line.split()}
    assert loaded & libraries == set()
    assert set(LINKED.findall(text)) & pages == set()
    assert [part for part in TAKEN_IN.findall(text) if part.startswith("generation/")] == []
