"""Pages of the corpus and the audit."""

from django.urls import path

from annotation.views import audit, campaigns, datasets, home, reports, videos

urlpatterns = [
    path("", home.home, name="home"),
    path("queue/", audit.queue, name="queue"),
    path("queue/<str:public_id>/next/", audit.next_trace, name="next-trace"),
    path("audit/<str:public_id>/", audit.audit, name="audit"),
    path("video/<str:token>/", videos.video, name="video"),
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/import/", datasets.dataset_import, name="dataset-import"),
    path(
        "datasets/import/<str:upload_id>/",
        datasets.dataset_import_preview,
        name="dataset-import-preview",
    ),
    path(
        "datasets/import/<str:upload_id>/confirm/",
        datasets.dataset_import_confirm,
        name="dataset-import-confirm",
    ),
    path(
        "datasets/import/<str:upload_id>/discard/",
        datasets.dataset_import_discard,
        name="dataset-import-discard",
    ),
    path("datasets/<str:public_id>/", datasets.dataset_detail, name="dataset-detail"),
    path("datasets/<str:public_id>/videos/", datasets.dataset_videos, name="dataset-videos"),
    path("datasets/<str:public_id>/share/", datasets.dataset_share, name="dataset-share"),
    path("datasets/<str:public_id>/delete/", datasets.dataset_delete, name="dataset-delete"),
    path("takes/<str:public_id>/", datasets.take_detail, name="take-detail"),
    path("traces/<str:public_id>/", datasets.trace_detail, name="trace-detail"),
    path("traces/<str:public_id>/reference/", datasets.trace_reference, name="trace-reference"),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.campaign_create, name="campaign-create"),
    path("campaigns/<str:public_id>/", campaigns.campaign_detail, name="campaign-detail"),
    path(
        "campaigns/<str:public_id>/raters/add/",
        campaigns.campaign_add_raters,
        name="campaign-add-raters",
    ),
    path(
        "campaigns/<str:public_id>/raters/remove/",
        campaigns.campaign_remove_rater,
        name="campaign-remove-rater",
    ),
    path(
        "campaigns/<str:public_id>/datasets/add/",
        campaigns.campaign_add_datasets,
        name="campaign-add-datasets",
    ),
    path(
        "campaigns/<str:public_id>/allocate/",
        campaigns.campaign_allocate,
        name="campaign-allocate",
    ),
    path("campaigns/<str:public_id>/close/", campaigns.campaign_close, name="campaign-close"),
    path("campaigns/<str:public_id>/reopen/", campaigns.campaign_reopen, name="campaign-reopen"),
    path("campaigns/<str:public_id>/agreement/", reports.campaign_report, name="campaign-report"),
    path(
        "campaigns/<str:public_id>/agreement.csv",
        reports.campaign_report_csv,
        name="campaign-report-csv",
    ),
    path(
        "campaigns/<str:public_id>/ratings.csv",
        reports.campaign_ratings_csv,
        name="campaign-ratings-csv",
    ),
    path("account/", home.account, name="account"),
    path("account/token/", home.account_token, name="account-token"),
]
