"""What the apps tell each other at the start of a site."""

import pytest
from django.apps import apps

from annotation import page_links

REGISTRIES = [value for value in vars(page_links).values() if isinstance(value, list)]


@pytest.mark.parametrize("label", ["annotation", "generation", "segments", "texts", "benchmarks"])
def test_an_app_that_is_made_ready_again_links_nothing_twice(label):
    before = [list(registry) for registry in REGISTRIES]

    apps.get_app_config(label).ready()

    assert before == REGISTRIES
    assert len(before) == 11
