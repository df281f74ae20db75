"""Endpoints of segments."""

from django.urls import include, path

from segments.api import figures, history, proposals, rounds, segmentations

of_segmentation = [
    path("", segmentations.SegmentationDetail.as_view(), name="api-segmentation"),
    path("gestures/", segmentations.GesturesEndpoint.as_view(), name="api-segmentation-gestures"),
    path("checks/", segmentations.ChecksEndpoint.as_view(), name="api-segmentation-checks"),
    path(
        "viewing/", segmentations.SegmentViewingEndpoint.as_view(), name="api-segmentation-viewing"
    ),
    path("submit/", segmentations.SegmentSubmission.as_view(), name="api-segmentation-submit"),
    path("reopen/", segmentations.SegmentReopening.as_view(), name="api-segmentation-reopen"),
    path(
        "carry-over/", segmentations.SegmentCarryOver.as_view(), name="api-segmentation-carry-over"
    ),
    path("reject/", segmentations.SegmentRejection.as_view(), name="api-segmentation-reject"),
    path("return/", segmentations.SegmentReturn.as_view(), name="api-segmentation-return"),
    path("accept/", segmentations.SegmentAcceptance.as_view(), name="api-segmentation-accept"),
    path("history/", history.SegmentHistory.as_view(), name="api-segmentation-history"),
    path("export/", history.SegmentExport.as_view(), name="api-segmentation-export"),
    path("history/<int:head>/", history.PastSegments.as_view(), name="api-segmentation-past"),
]
of_round = [
    path("", rounds.SegmentRoundDetail.as_view(), name="api-segment-round"),
    path("open/", rounds.SegmentRoundOpening.as_view(), name="api-segment-round-open"),
    path("again/", rounds.SegmentRoundGivingOut.as_view(), name="api-segment-round-again"),
    path("close/", rounds.SegmentRoundClosing.as_view(), name="api-segment-round-close"),
    path(
        "import/",
        proposals.SegmentRoundProposals.as_view(),
        name="api-segment-round-import",
    ),
    path("agreement/", figures.SegmentAgreement.as_view(), name="api-segment-round-agreement"),
    path("file/", figures.SegmentFileEndpoint.as_view(), name="api-segment-round-file"),
    path("publish/", figures.SegmentPublishing.as_view(), name="api-segment-round-publish"),
]
urlpatterns = [
    path("segmentations/", segmentations.OwnSegmentations.as_view(), name="api-segmentations"),
    path("segmentations/<slug:public_id>/", include(of_segmentation)),
    path(
        "campaigns/<slug:public_id>/segment-rounds/",
        include(
            [
                path("", rounds.SegmentRounds.as_view(), name="api-segment-rounds"),
                path("<int:number>/", include(of_round)),
            ]
        ),
    ),
]
