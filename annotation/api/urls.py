"""Endpoints of the corpus and the audit."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
