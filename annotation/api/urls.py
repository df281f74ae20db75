"""Endpoints of the corpus and the audit."""

from django.urls import URLPattern, path

from annotation.api import (
    campaigns,
    corpus,
    desk,
    figures,
    gold,
    imports,
    ingest,
    paper,
    people,
    protocol,
    raters,
    ratings,
    remarks,
    rounds,
    segment_figures,
    segment_history,
    segment_proposals,
    segment_rounds,
    segments,
    training,
    viewing,
)

urlpatterns: list[URLPattern] = [
    # Tried in this order: what is saved many times a minute comes first.
    path("assignments/", campaigns.AssignmentList.as_view(), name="api-assignments"),
    path(
        "assignments/<slug:public_id>/changes/",
        ratings.ChangesEndpoint.as_view(),
        name="api-assignment-changes",
    ),
    path(
        "assignments/<slug:public_id>/ratings/",
        ratings.SheetEndpoint.as_view(),
        name="api-assignment-ratings",
    ),
    path(
        "assignments/<slug:public_id>/viewing/",
        viewing.ViewingEndpoint.as_view(),
        name="api-assignment-viewing",
    ),
    path(
        "assignments/<slug:public_id>/remarks/",
        remarks.RemarksEndpoint.as_view(),
        name="api-assignment-remarks",
    ),
    path(
        "assignments/<slug:public_id>/skip/",
        ratings.SkipEndpoint.as_view(),
        name="api-assignment-skip",
    ),
    path(
        "assignments/<slug:public_id>/submit/",
        ratings.SubmitEndpoint.as_view(),
        name="api-assignment-submit",
    ),
    path(
        "assignments/<slug:public_id>/reopen/",
        ratings.ReopenEndpoint.as_view(),
        name="api-assignment-reopen",
    ),
    path("segmentations/", segments.OwnSegmentations.as_view(), name="api-segmentations"),
    path(
        "segmentations/<slug:public_id>/",
        segments.SegmentationDetail.as_view(),
        name="api-segmentation",
    ),
    path(
        "segmentations/<slug:public_id>/history/<int:head>/",
        segment_history.PastSegments.as_view(),
        name="api-segmentation-past",
    ),
    *(
        path(
            f"segmentations/<slug:public_id>/{name}/",
            endpoint.as_view(),
            name=f"api-segmentation-{name}",
        )
        for name, endpoint in (
            ("gestures", segments.GesturesEndpoint),
            ("checks", segments.ChecksEndpoint),
            ("viewing", segments.SegmentViewingEndpoint),
            ("submit", segments.SegmentSubmission),
            ("reopen", segments.SegmentReopening),
            ("carry-over", segments.SegmentCarryOver),
            ("reject", segments.SegmentRejection),
            ("return", segments.SegmentReturn),
            ("accept", segments.SegmentAcceptance),
            ("history", segment_history.SegmentHistory),
            ("export", segment_history.SegmentExport),
        )
    ),
    path(
        "assignments/<slug:public_id>/feedback/",
        training.FeedbackEndpoint.as_view(),
        name="api-assignment-feedback",
    ),
    path("token/", people.TokenEndpoint.as_view(), name="api-token"),
    path("account/", people.AccountEndpoint.as_view(), name="api-account"),
    path("datasets/", corpus.DatasetList.as_view(), name="api-datasets"),
    path("datasets/import/", imports.ImportEndpoint.as_view(), name="api-dataset-import"),
    path("datasets/<slug:public_id>/", corpus.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<slug:public_id>/takes/", corpus.DatasetTakes.as_view(), name="api-takes"),
    path("datasets/<slug:public_id>/traces/", corpus.DatasetTraces.as_view(), name="api-traces"),
    path(
        "datasets/<slug:public_id>/videos/",
        imports.VideosEndpoint.as_view(),
        name="api-dataset-videos",
    ),
    path(
        "datasets/<slug:public_id>/agreement/",
        figures.DatasetReport.as_view(),
        name="api-dataset-report",
    ),
    path(
        "datasets/<slug:public_id>/tables/<slug:table>/",
        paper.DatasetTable.as_view(),
        name="api-dataset-table",
    ),
    path(
        "datasets/<slug:public_id>/pictures/<slug:picture>/",
        paper.DatasetPicture.as_view(),
        name="api-dataset-picture",
    ),
    path(
        "datasets/<slug:public_id>/ingest/",
        ingest.IngestEndpoint.as_view(),
        name="api-dataset-ingest",
    ),
    path("takes/<slug:public_id>/", corpus.TakeDetail.as_view(), name="api-take"),
    path("traces/<slug:public_id>/", corpus.TraceDetail.as_view(), name="api-trace"),
    path(
        "traces/<slug:public_id>/reference/",
        imports.ReferenceEndpoint.as_view(),
        name="api-trace-reference",
    ),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api-campaigns"),
    *(
        path(f"campaigns/<slug:public_id>/{end}", endpoint.as_view(), name=f"api-{name}")
        for end, endpoint, name in (
            ("", campaigns.CampaignDetail, "campaign"),
            ("raters/", campaigns.CampaignRaters, "campaign-raters"),
            ("raters/remove/", campaigns.CampaignRaterRemoval, "campaign-rater-remove"),
            ("datasets/", campaigns.CampaignDatasets, "campaign-datasets"),
            ("close/", campaigns.CampaignClosing, "campaign-close"),
            ("freeze/", rounds.CampaignFreezing, "campaign-freeze"),
            ("release/", rounds.CampaignRelease, "campaign-release"),
            ("protocol/", protocol.CampaignProtocol, "protocol"),
            ("protocol/analysis/", protocol.ProtocolAnalysis, "protocol-analysis"),
            ("protocol/files/", protocol.ProtocolFiles, "protocol-files"),
            ("protocol/files/<slug:filed_id>/", protocol.FiledProtocol, "protocol-filed"),
            (
                "protocol/files/<slug:filed_id>/markdown/",
                protocol.FiledProtocolMarkdown,
                "protocol-filed-markdown",
            ),
            ("consent/", protocol.CampaignConsent, "consent"),
            ("consent/accept/", protocol.ConsentAcceptance, "consent-accept"),
            ("rounds/", rounds.CampaignRounds, "rounds"),
            ("rounds/<int:number>/open/", rounds.RoundOpening, "round-open"),
            ("rounds/<int:number>/close/", rounds.RoundClosing, "round-close"),
            ("segment-rounds/", segment_rounds.SegmentRounds, "segment-rounds"),
            *(
                (f"segment-rounds/<int:number>/{end}", endpoint, name)
                for end, endpoint, name in (
                    ("", segment_rounds.SegmentRoundDetail, "segment-round"),
                    ("open/", segment_rounds.SegmentRoundOpening, "segment-round-open"),
                    ("again/", segment_rounds.SegmentRoundGivingOut, "segment-round-again"),
                    ("close/", segment_rounds.SegmentRoundClosing, "segment-round-close"),
                    ("import/", segment_proposals.SegmentRoundProposals, "segment-round-import"),
                )
            ),
            ("gold/", gold.CampaignGold, "campaign-gold"),
            ("qualifications/", training.Qualifications, "qualifications"),
            ("rounds/<int:number>/checks/", gold.RoundChecksEndpoint, "round-checks"),
            ("rounds/<int:number>/consensus/", gold.GoldProposals, "gold-proposals"),
            ("guidelines/", rounds.Guidelines, "guidelines"),
            ("guidelines/<int:number>/", rounds.GuidelineDetail, "guideline"),
            ("agreement/", figures.CampaignReport, "campaign-report"),
            ("ratings/", campaigns.CampaignRatings, "campaign-ratings"),
            ("comparisons/", figures.CampaignComparisons, "campaign-comparisons"),
            ("viewing/", figures.CampaignViewing, "campaign-viewing"),
            ("remarks/", remarks.CampaignRemarks, "campaign-remarks"),
            ("hours/", raters.CampaignHours, "campaign-hours"),
            ("rounds/<int:number>/raters/", raters.RoundRaters, "round-raters"),
            ("rounds/<int:number>/screening/", raters.RoundScreening, "round-screening"),
            (
                "rounds/<int:number>/screening/decisions/",
                raters.RoundScreeningDecision,
                "round-screening-decision",
            ),
            ("rounds/<int:number>/plan/", raters.RoundPlan, "round-plan"),
            (
                "segment-rounds/<int:number>/agreement/",
                segment_figures.SegmentAgreement,
                "segment-round-agreement",
            ),
            (
                "segment-rounds/<int:number>/file/",
                segment_figures.SegmentFileEndpoint,
                "segment-round-file",
            ),
            (
                "segment-rounds/<int:number>/publish/",
                segment_figures.SegmentPublishing,
                "segment-round-publish",
            ),
            ("cases/", desk.CaseList, "campaign-cases"),
            ("cases/draw/", desk.CaseDrawing, "campaign-cases-draw"),
            ("tables/<slug:table>/", paper.CampaignTable, "campaign-table"),
            ("pictures/<slug:picture>/", paper.CampaignPicture, "campaign-picture"),
        )
    ),
    path("ratings/import/", imports.RatingImportEndpoint.as_view(), name="api-rating-import"),
    path("cases/<slug:public_id>/", desk.CaseDetail.as_view(), name="api-case"),
    path("cases/<slug:public_id>/comments/", desk.CaseComments.as_view(), name="api-case-comments"),
    path("cases/<slug:public_id>/decision/", desk.CaseDecision.as_view(), name="api-case-decision"),
    path(
        "cases/<slug:public_id>/guideline/", desk.CaseGuideline.as_view(), name="api-case-guideline"
    ),
    path("gold/<slug:public_id>/", gold.GoldDetail.as_view(), name="api-gold"),
    path("gold/<slug:public_id>/retire/", gold.GoldRetirement.as_view(), name="api-gold-retire"),
    path("trainings/", training.Trainings.as_view(), name="api-trainings"),
    path(
        "trainings/<slug:public_id>/again/",
        training.TrainingAgain.as_view(),
        name="api-training-again",
    ),
]
