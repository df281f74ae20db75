"""Endpoints of the corpus and the audit."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.api.campaigns import campaigns, protocol, rounds
from annotation.api.corpus import corpus, imports
from annotation.api.figures import figures, paper, raters
from annotation.api.ratings import desk, gold, ratings, remarks, training, viewing
from annotation.api.records import people
from annotation.api.videos import ingest

of_assignment = [
    path("changes/", ratings.ChangesEndpoint.as_view(), name="api-assignment-changes"),
    path("ratings/", ratings.SheetEndpoint.as_view(), name="api-assignment-ratings"),
    path("viewing/", viewing.ViewingEndpoint.as_view(), name="api-assignment-viewing"),
    path("remarks/", remarks.RemarksEndpoint.as_view(), name="api-assignment-remarks"),
    path("skip/", ratings.SkipEndpoint.as_view(), name="api-assignment-skip"),
    path("submit/", ratings.SubmitEndpoint.as_view(), name="api-assignment-submit"),
    path("reopen/", ratings.ReopenEndpoint.as_view(), name="api-assignment-reopen"),
    path("feedback/", training.FeedbackEndpoint.as_view(), name="api-assignment-feedback"),
]
of_dataset = [
    path("", corpus.DatasetDetail.as_view(), name="api-dataset"),
    path("takes/", corpus.DatasetTakes.as_view(), name="api-takes"),
    path("traces/", corpus.DatasetTraces.as_view(), name="api-traces"),
    path("videos/", imports.VideosEndpoint.as_view(), name="api-dataset-videos"),
    path("agreement/", figures.DatasetReport.as_view(), name="api-dataset-report"),
    path("tables/<slug:table>/", paper.DatasetTable.as_view(), name="api-dataset-table"),
    path("pictures/<slug:picture>/", paper.DatasetPicture.as_view(), name="api-dataset-picture"),
    path("videos/files/", ingest.VideoFilesEndpoint.as_view(), name="api-dataset-upload"),
    path("ingest/", ingest.IngestEndpoint.as_view(), name="api-dataset-ingest"),
]
of_round = [
    path("open/", rounds.RoundOpening.as_view(), name="api-round-open"),
    path("close/", rounds.RoundClosing.as_view(), name="api-round-close"),
    path("checks/", gold.RoundChecksEndpoint.as_view(), name="api-round-checks"),
    path("consensus/", gold.GoldProposals.as_view(), name="api-gold-proposals"),
    path("raters/", raters.RoundRaters.as_view(), name="api-round-raters"),
    path("raters/pairs/", raters.RoundRaterPairs.as_view(), name="api-round-rater-pairs"),
    path("screening/", raters.RoundScreening.as_view(), name="api-round-screening"),
    path(
        "screening/decisions/",
        raters.RoundScreeningDecision.as_view(),
        name="api-round-screening-decision",
    ),
    path("plan/", raters.RoundPlan.as_view(), name="api-round-plan"),
]
of_campaign: list[URLPattern | URLResolver] = [
    path("", campaigns.CampaignDetail.as_view(), name="api-campaign"),
    path("raters/", campaigns.CampaignRaters.as_view(), name="api-campaign-raters"),
    path(
        "raters/remove/", campaigns.CampaignRaterRemoval.as_view(), name="api-campaign-rater-remove"
    ),
    path("datasets/", campaigns.CampaignDatasets.as_view(), name="api-campaign-datasets"),
    path("close/", campaigns.CampaignClosing.as_view(), name="api-campaign-close"),
    path("freeze/", rounds.CampaignFreezing.as_view(), name="api-campaign-freeze"),
    path("release/", rounds.CampaignRelease.as_view(), name="api-campaign-release"),
    path("protocol/", protocol.CampaignProtocol.as_view(), name="api-protocol"),
    path("protocol/analysis/", protocol.ProtocolAnalysis.as_view(), name="api-protocol-analysis"),
    path("protocol/files/", protocol.ProtocolFiles.as_view(), name="api-protocol-files"),
    path(
        "protocol/files/<slug:filed_id>/",
        protocol.FiledProtocol.as_view(),
        name="api-protocol-filed",
    ),
    path(
        "protocol/files/<slug:filed_id>/markdown/",
        protocol.FiledProtocolMarkdown.as_view(),
        name="api-protocol-filed-markdown",
    ),
    path("consent/", protocol.CampaignConsent.as_view(), name="api-consent"),
    path("consent/accept/", protocol.ConsentAcceptance.as_view(), name="api-consent-accept"),
    path("gold/", gold.CampaignGold.as_view(), name="api-campaign-gold"),
    path("qualifications/", training.Qualifications.as_view(), name="api-qualifications"),
    path("guidelines/", rounds.Guidelines.as_view(), name="api-guidelines"),
    path("guidelines/<int:number>/", rounds.GuidelineDetail.as_view(), name="api-guideline"),
    path("agreement/", figures.CampaignReport.as_view(), name="api-campaign-report"),
    path("ratings/", campaigns.CampaignRatings.as_view(), name="api-campaign-ratings"),
    path("comparisons/", figures.CampaignComparisons.as_view(), name="api-campaign-comparisons"),
    path("viewing/", figures.CampaignViewing.as_view(), name="api-campaign-viewing"),
    path("remarks/", remarks.CampaignRemarks.as_view(), name="api-campaign-remarks"),
    path("hours/", raters.CampaignHours.as_view(), name="api-campaign-hours"),
    path("cases/", desk.CaseList.as_view(), name="api-campaign-cases"),
    path("cases/draw/", desk.CaseDrawing.as_view(), name="api-campaign-cases-draw"),
    path("tables/<slug:table>/", paper.CampaignTable.as_view(), name="api-campaign-table"),
    path("pictures/<slug:picture>/", paper.CampaignPicture.as_view(), name="api-campaign-picture"),
    path("rounds/", rounds.CampaignRounds.as_view(), name="api-rounds"),
    path("rounds/<int:number>/", include(of_round)),
]
of_case = [
    path("", desk.CaseDetail.as_view(), name="api-case"),
    path("comments/", desk.CaseComments.as_view(), name="api-case-comments"),
    path("decision/", desk.CaseDecision.as_view(), name="api-case-decision"),
    path("guideline/", desk.CaseGuideline.as_view(), name="api-case-guideline"),
]

urlpatterns = [
    # Tried in this order: what is saved many times a minute comes first.
    path("assignments/", campaigns.AssignmentList.as_view(), name="api-assignments"),
    path("assignments/<slug:public_id>/", include(of_assignment)),
    path("token/", people.TokenEndpoint.as_view(), name="api-token"),
    path("account/", people.AccountEndpoint.as_view(), name="api-account"),
    path("datasets/", corpus.DatasetList.as_view(), name="api-datasets"),
    path("datasets/import/", imports.ImportEndpoint.as_view(), name="api-dataset-import"),
    path("datasets/<slug:public_id>/", include(of_dataset)),
    path("takes/<slug:public_id>/", corpus.TakeDetail.as_view(), name="api-take"),
    path("traces/<slug:public_id>/", corpus.TraceDetail.as_view(), name="api-trace"),
    path(
        "traces/<slug:public_id>/reference/",
        imports.ReferenceEndpoint.as_view(),
        name="api-trace-reference",
    ),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api-campaigns"),
    path("campaigns/<slug:public_id>/", include(of_campaign)),
    path("ratings/import/", imports.RatingImportEndpoint.as_view(), name="api-rating-import"),
    path("cases/<slug:public_id>/", include(of_case)),
    path("gold/<slug:public_id>/", gold.GoldDetail.as_view(), name="api-gold"),
    path("gold/<slug:public_id>/retire/", gold.GoldRetirement.as_view(), name="api-gold-retire"),
    path("trainings/", training.Trainings.as_view(), name="api-trainings"),
    path(
        "trainings/<slug:public_id>/again/",
        training.TrainingAgain.as_view(),
        name="api-training-again",
    ),
]
