"""The sample corpus and a site filled with it, as an app for the command that makes it."""

from django.apps import AppConfig


class SampleConfig(AppConfig):
    name = "sample"
