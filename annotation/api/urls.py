"""Endpoints of the corpus and the audit."""

from django.urls import URLPattern, path

from annotation.api import corpus, people, ratings

urlpatterns: list[URLPattern] = [
    path("token/", people.TokenEndpoint.as_view(), name="api-token"),
    path("account/", people.AccountEndpoint.as_view(), name="api-account"),
    path("datasets/", corpus.DatasetList.as_view(), name="api-datasets"),
    path("datasets/<str:public_id>/", corpus.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<str:public_id>/takes/", corpus.DatasetTakes.as_view(), name="api-takes"),
    path("datasets/<str:public_id>/traces/", corpus.DatasetTraces.as_view(), name="api-traces"),
    path("takes/<str:public_id>/", corpus.TakeDetail.as_view(), name="api-take"),
    path("traces/<str:public_id>/", corpus.TraceDetail.as_view(), name="api-trace"),
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
