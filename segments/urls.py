"""Pages of segments: a person's own, rounds and their results."""

from django.urls import include, path

from segments.views import campaigns, figures, results, rounds, segmentations

of_round = [
    path("", rounds.segment_round, name="segment-round"),
    path("open/", rounds.segment_round_open, name="segment-round-open"),
    path("again/", rounds.segment_round_again, name="segment-round-again"),
    path("close/", rounds.segment_round_close, name="segment-round-close"),
    path("proposals/", rounds.segment_proposals, name="segment-proposals"),
    path(
        "proposals/<slug:upload_id>/",
        rounds.segment_proposals_preview,
        name="segment-proposals-preview",
    ),
    path("agreement/", figures.segment_agreement, name="segment-round-agreement"),
    path("agreement/edges.<str:suffix>", figures.segment_edges_picture, name="segment-round-edges"),
    path("agreement.csv", figures.segment_agreement_csv, name="segment-round-agreement-csv"),
    path("results/", results.segment_results, name="segment-round-results"),
    path("results/file/", results.segment_export, name="segment-round-file"),
    path("results/data-set/", results.segment_publish, name="segment-round-publish"),
]
urlpatterns = [
    path("segments/<slug:public_id>/", segmentations.segments, name="segments"),
    path("queue/<slug:round_id>/segments/", rounds.segments_next, name="segments-next"),
    path("campaigns/new/segments/", campaigns.segment_campaign_create, name="segment-campaign"),
    path(
        "campaigns/<slug:public_id>/segment-rounds/",
        include(
            [
                path("new/", rounds.segment_round_new, name="segment-round-new"),
                path("<int:number>/", include(of_round)),
            ]
        ),
    ),
]
