"""Endpoints of the runs."""

from django.urls import URLPattern, path

from generation.api import endpoints, runs

urlpatterns: list[URLPattern] = [
    path("runs/", runs.RunList.as_view(), name="api-runs"),
    path("runs/<str:public_id>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<str:public_id>/takes/", runs.RunTakes.as_view(), name="api-run-takes"),
    path("runs/<str:public_id>/plans/", runs.RunPlans.as_view(), name="api-run-plans"),
    path("runs/<str:public_id>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<str:public_id>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<str:public_id>/retry/", runs.RunRetry.as_view(), name="api-run-retry"),
    path("runs/<str:public_id>/clone/", runs.RunClone.as_view(), name="api-run-clone"),
    path("text-endpoints/", endpoints.EndpointList.as_view(), name="api-text-endpoints"),
    path(
        "text-endpoints/<str:public_id>/",
        endpoints.EndpointDetail.as_view(),
        name="api-text-endpoint",
    ),
    path(
        "text-endpoints/<str:public_id>/test/",
        endpoints.EndpointTrial.as_view(),
        name="api-text-endpoint-test",
    ),
]
