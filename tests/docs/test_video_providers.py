"""The page of video providers names every adapter as it is, and what it was checked against."""

import re

import pytest
from django.conf import settings

from generation.backends.video.providers.adapters.runway import MODELS
from generation.backends.video.providers.registry import REMOVED, providers

PAGE = (settings.BASE_DIR / "docs/video_providers.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("| `")]
PINS = (settings.BASE_DIR / "constraints.txt").read_text().splitlines()


@pytest.mark.parametrize("name", providers())
def test_adapter_is_in_the_tables_with_its_address_and_model(name):
    adapter = providers()[name]

    [row] = [
        line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |") and "key" in line
    ]
    for fact in (
        adapter.usual_base_url,
        adapter.default_model,
        adapter.free_path.partition("?")[0],
    ):
        assert fact in row or (fact == adapter.job_path and "its list of jobs" in row)


@pytest.mark.parametrize("model", MODELS)
def test_model_of_runway_is_named_with_its_lengths_and_last_frame(model):
    limits = providers()["runway"].fitted(model, "", None).limits

    [row] = [line for line in ROWS if f"`{model}`" in line and line.count("|") == 4]
    _, lengths, last_frame = (cell.strip() for cell in row.strip("|").split("|"))
    assert limits.clips.in_words.replace(" or ", ", ").removesuffix(" s") == lengths
    assert last_frame == ("yes" if limits.takes_last else "no")


@pytest.mark.parametrize("name", REMOVED)
def test_what_is_gone_is_said(name):
    assert f"`{name}`" in PAGE.partition("### What is gone")[2]


@pytest.mark.parametrize("package", ["openrouter", "runwayml", "volcengine-ark-runtime", "openai"])
def test_versions_beside_the_date_are_those_of_the_tests(package):
    """A newer package is a reason to look through the tables again and to date them anew."""
    [pin] = [line for line in PINS if line.startswith(f"{package}==")]

    checked = re.findall(rf"\b{re.escape(package)}\s+([\d.]*\d)", PAGE)
    assert checked == [pin.partition("==")[2]]
    assert re.search(r"as of\s+\d+ \w+ 20\d\d", PAGE)
