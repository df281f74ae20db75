"""Endpoints of the runs."""

from django.urls import URLPattern, path

from generation.api import clips, endpoints, rewrites, runs

CLIPS = "runs/<slug:public_id>/takes/<int:position>/clips"

urlpatterns: list[URLPattern] = [
    path("runs/", runs.RunList.as_view(), name="api-runs"),
    path("runs/<slug:public_id>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<slug:public_id>/takes/", runs.RunTakes.as_view(), name="api-run-takes"),
    path(f"{CLIPS}/", clips.TakeClips.as_view(), name="api-clips"),
    path(f"{CLIPS}/approve/", clips.ClipsApprove.as_view(), name="api-clips-approve"),
    path(f"{CLIPS}/make/", clips.ClipsMake.as_view(), name="api-clips-make"),
    path(f"{CLIPS}/<slug:clip_id>/", clips.ClipDetail.as_view(), name="api-clip"),
    path(f"{CLIPS}/<slug:clip_id>/file/", clips.ClipFile.as_view(), name="api-clip-file"),
    path(f"{CLIPS}/<slug:clip_id>/first/", clips.FirstFrame.as_view(), name="api-clip-first"),
    path(f"{CLIPS}/<slug:clip_id>/last/", clips.LastFrame.as_view(), name="api-clip-last"),
    path("runs/<slug:public_id>/plans/", runs.RunPlans.as_view(), name="api-run-plans"),
    path("runs/<slug:public_id>/rewrites/", rewrites.RunRewrites.as_view(), name="api-rewrites"),
    path("runs/<slug:public_id>/findings/", rewrites.RunFindings.as_view(), name="api-findings"),
    path("runs/<slug:public_id>/readings/", runs.RunReadings.as_view(), name="api-run-readings"),
    path("runs/<slug:public_id>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<slug:public_id>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<slug:public_id>/retry/", runs.RunRetry.as_view(), name="api-run-retry"),
    path("runs/<slug:public_id>/budget/", runs.RunBudget.as_view(), name="api-run-budget"),
    path(
        "runs/<slug:public_id>/publish-withheld/",
        runs.RunPublishWithheld.as_view(),
        name="api-run-publish-withheld",
    ),
    path("runs/<slug:public_id>/clone/", runs.RunClone.as_view(), name="api-run-clone"),
    path("text-endpoints/", endpoints.TextEndpointList.as_view(), name="api-text-endpoints"),
    path(
        "text-endpoints/<slug:public_id>/",
        endpoints.TextEndpointDetail.as_view(),
        name="api-text-endpoint",
    ),
    path(
        "text-endpoints/<slug:public_id>/test/",
        endpoints.TextEndpointTrial.as_view(),
        name="api-text-endpoint-test",
    ),
    path("video-endpoints/", endpoints.VideoEndpointList.as_view(), name="api-video-endpoints"),
    path(
        "video-endpoints/<slug:public_id>/",
        endpoints.VideoEndpointDetail.as_view(),
        name="api-video-endpoint",
    ),
    path(
        "video-endpoints/<slug:public_id>/test/",
        endpoints.VideoEndpointTrial.as_view(),
        name="api-video-endpoint-test",
    ),
]
