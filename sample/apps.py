"""How Django knows the sample site, for the command that makes it."""

from django.apps import AppConfig


class SampleConfig(AppConfig):
    """The sample corpus, and a site filled with it."""

    name = "sample"
