"""Pages of the benchmarks."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
