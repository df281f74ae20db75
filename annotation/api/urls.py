"""Endpoints of the corpus and the audit."""

from django.urls import URLPattern, path

from annotation.api import ratings

urlpatterns: list[URLPattern] = [
    path(
        "assignments/<str:public_id>/changes/",
        ratings.ChangesEndpoint.as_view(),
        name="api-assignment-changes",
    ),
    path(
        "assignments/<str:public_id>/ratings/",
        ratings.SheetEndpoint.as_view(),
        name="api-assignment-ratings",
    ),
    path(
        "assignments/<str:public_id>/submit/",
        ratings.SubmitEndpoint.as_view(),
        name="api-assignment-submit",
    ),
    path(
        "assignments/<str:public_id>/reopen/",
        ratings.ReopenEndpoint.as_view(),
        name="api-assignment-reopen",
    ),
]
