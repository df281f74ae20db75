"""Pages of the corpus and the audit."""

from django.urls import URLPattern, URLResolver, include, path

from annotation.selectors.figures.paper import Kind
from annotation.views.campaigns import campaigns, people, protocol, reading, rounds
from annotation.views.corpus import datasets
from annotation.views.figures import paper, raters, reports, who_is_right
from annotation.views.ratings import audit, desk, gold, imports, training
from annotation.views.records import accounts, home, manual, status
from annotation.views.videos import ingest, recordings, videos


def paper_pages(kind: Kind) -> list[URLPattern]:
    pages = (
        ("", paper.paper, "paper"),
        ("cases/", paper.paper_cases, "paper-cases"),
        ("table-<str:key>.<str:suffix>", paper.paper_table_file, "paper-table"),
        ("<str:key>.<str:suffix>", paper.paper_picture_file, "paper-picture"),
    )
    return [
        path(f"paper/{end}", view, {"kind": kind}, name=f"{kind}-{name}")
        for end, view, name in pages
    ]


of_dataset_import = [
    path("", datasets.dataset_import_preview, name="dataset-import-preview"),
    path("confirm/", datasets.dataset_import_confirm, name="dataset-import-confirm"),
    path("format/", datasets.dataset_import_format, name="dataset-import-format"),
    path("discard/", datasets.dataset_import_discard, name="dataset-import-discard"),
]
of_rating_import = [
    path("", imports.rating_import_preview, name="rating-import-preview"),
    path("confirm/", imports.rating_import_confirm, name="rating-import-confirm"),
    path("discard/", imports.rating_import_discard, name="rating-import-discard"),
]
of_dataset = [
    path("", datasets.dataset_detail, name="dataset-detail"),
    path("videos/", datasets.dataset_videos, name="dataset-videos"),
    path("videos/upload/", ingest.dataset_upload, name="dataset-upload"),
    path("ingest/", ingest.dataset_ingest, name="dataset-ingest"),
    path("ingest/cancel/", ingest.dataset_ingest_cancel, name="dataset-ingest-cancel"),
    path("agreement/", reports.dataset_report, name="dataset-report"),
    path("agreement.csv", reports.dataset_report_csv, name="dataset-report-csv"),
    path("share/", datasets.dataset_share, name="dataset-share"),
    path("delete/", datasets.dataset_delete, name="dataset-delete"),
    *paper_pages(Kind.DATASET),
]
of_round = [
    path("", rounds.round_detail, name="round-detail"),
    path("open/", rounds.round_open, name="round-open"),
    path("close/", rounds.round_close, name="round-close"),
    path("consensus/", gold.gold_proposals, name="gold-proposals"),
    path("checks/", gold.round_checks, name="round-checks"),
    path("raters/", raters.round_raters, name="round-raters"),
    path("raters.csv", raters.round_raters_csv, name="round-raters-csv"),
    path(
        "raters/<slug:kind>.<slug:form>", raters.round_raters_picture, name="round-raters-picture"
    ),
    path("raters/screening/", raters.round_screening, name="round-screening"),
    path("raters/thresholds/", raters.round_thresholds, name="round-thresholds"),
    path("raters/decision/", raters.round_rater_decision, name="round-rater-decision"),
    path("plan/", raters.round_plan, name="round-plan"),
]
of_guideline_version = [
    path("", rounds.guideline_detail, name="guideline-detail"),
    path("edit/", rounds.guideline_edit, name="guideline-edit"),
    path("new/", rounds.guideline_new, name="guideline-new"),
]
of_campaign: list[URLPattern | URLResolver] = [
    path("", campaigns.campaign_detail, name="campaign-detail"),
    path("raters/add/", campaigns.campaign_add_raters, name="campaign-add-raters"),
    path("raters/remove/", campaigns.campaign_remove_rater, name="campaign-remove-rater"),
    path("raters/leaving/", people.rater_removal, name="campaign-rater-removal"),
    path("raters/password/", people.rater_password, name="campaign-rater-password"),
    path("invitations/", campaigns.campaign_invite, name="campaign-invite"),
    path("invitations/end/", campaigns.campaign_end_invitations, name="campaign-end-invitations"),
    path("datasets/add/", campaigns.campaign_add_datasets, name="campaign-add-datasets"),
    path("allocate/", campaigns.campaign_allocate, name="campaign-allocate"),
    path("close/", campaigns.campaign_close, name="campaign-close"),
    path("freeze/", rounds.campaign_freeze, name="campaign-freeze"),
    path("release/", rounds.campaign_release, name="campaign-release"),
    path("protocol/", protocol.protocol, name="protocol"),
    path("protocol/plan/", protocol.protocol_plan, name="protocol-plan"),
    path("protocol/consent/", protocol.protocol_consent, name="protocol-consent"),
    path("protocol/people/", protocol.protocol_people, name="protocol-people"),
    path("protocol/annotators.<str:suffix>", protocol.annotators_file, name="annotators-file"),
    path("protocol/file/", protocol.protocol_file, name="protocol-file"),
    path("gold/", gold.gold_list, name="gold"),
    path("gold/<slug:trace_id>/", gold.gold_trace, name="gold-trace"),
    path("qualifications/", gold.qualification_list, name="qualifications"),
    path("qualifications/<int:number>/", gold.qualification_let_in, name="let-in"),
    path("desk/", desk.desk, name="desk"),
    path("desk/draw/", desk.desk_draw, name="desk-draw"),
    path("rounds/new/", rounds.round_new, name="round-new"),
    path("rounds/<int:number>/", include(of_round)),
    path("guidelines/", rounds.guideline_list, name="guidelines"),
    path("guidelines/<int:number>/", include(of_guideline_version)),
    *(
        path(f"{start}.{ending}", view, {"ending": ending}, f"{name}-{ending}")
        for start, view, name in (
            ("protocol", protocol.protocol_draft, "protocol-draft"),
            ("protocols/<slug:filed_id>", protocol.protocol_filed, "protocol-filed"),
        )
        for ending in ("json", "md")
    ),
    path("agreement/", reports.campaign_report, name="campaign-report"),
    path("agreement.csv", reports.campaign_report_csv, name="campaign-report-csv"),
    path("agreement/who-is-right/", who_is_right.who_is_right, name="who-is-right"),
    path("agreement/who-is-right.csv", who_is_right.who_is_right_csv, name="who-is-right-csv"),
    path("ratings.csv", reports.campaign_ratings_csv, name="campaign-ratings-csv"),
    path("hours.csv", raters.campaign_hours_csv, name="campaign-hours-csv"),
    path("remarks.csv", reports.campaign_remarks_csv, name="campaign-remarks-csv"),
    *paper_pages(Kind.CAMPAIGN),
]

urlpatterns = [
    path("", home.home, name="home"),
    path("health/", home.health, name="health"),
    path("help/", manual.manual, name="help"),
    path("help/<slug:name>/", manual.manual, name="manual"),
    path("queue/", audit.queue, name="queue"),
    path("queue/<slug:public_id>/leave/", audit.leave_campaign, name="leave-campaign"),
    path("queue/<slug:public_id>/next/", audit.next_trace, name="next-trace"),
    path("queue/<slug:round_id>/consent/", protocol.consent, name="consent"),
    path("queue/<slug:round_id>/welcome/", reading.welcome, name="welcome"),
    path("queue/<slug:round_id>/guideline/", reading.round_guideline, name="round-guideline"),
    path("audit/<slug:public_id>/", audit.audit, name="audit"),
    path("gold/<slug:gold_id>/retire/", gold.gold_retire, name="gold-retire"),
    path("training/<slug:round_id>/", training.training, name="training"),
    path("training/<slug:round_id>/again/", training.training_again, name="training-again"),
    path(
        "training/feedback/<slug:assignment_id>/",
        training.training_feedback,
        name="training-feedback",
    ),
    path("video/<str:token>/", videos.video, name="video"),
    path("video/<str:token>/<slug:name>/", videos.video_part, name="video-part"),
    path("datasets/", datasets.datasets, name="datasets"),
    path("datasets/import/", datasets.dataset_import, name="dataset-import"),
    path("datasets/import/<slug:upload_id>/", include(of_dataset_import)),
    path("datasets/<slug:public_id>/", include(of_dataset)),
    path("takes/<slug:public_id>/", recordings.take_detail, name="take-detail"),
    path("traces/<slug:public_id>/", recordings.trace_detail, name="trace-detail"),
    path("traces/<slug:public_id>/preview/", audit.trace_preview, name="trace-preview"),
    path("traces/<slug:public_id>/reference/", recordings.trace_reference, name="trace-reference"),
    path("ratings/import/", imports.rating_import, name="rating-import"),
    path("ratings/import/<slug:upload_id>/", include(of_rating_import)),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.campaign_create, name="campaign-create"),
    path("campaigns/<slug:public_id>/", include(of_campaign)),
    path("join/<str:token>/", people.join, name="join"),
    path(
        "password/link/<str:uidb64>/<str:token>/",
        people.PasswordLinkView.as_view(),
        name="password-link",
    ),
    path(
        "rounds/<slug:round_id>/examples/<int:place>/",
        audit.guideline_example,
        name="guideline-example",
    ),
    path("cases/<slug:public_id>/", desk.case_detail, name="case-detail"),
    path("cases/<slug:public_id>/guideline/", desk.case_guideline, name="case-guideline"),
    path("status/", status.status, name="status"),
    path("status/retry/", status.status_retry, name="status-retry"),
    path("status/places/open/", status.place_open, name="place-open"),
    path("status/places/close/", status.place_close, name="place-close"),
    path("accounts/", accounts.account_list, name="accounts"),
    path("accounts/<int:number>/", accounts.account_detail, name="account-detail"),
    path("accounts/<int:number>/password/", accounts.account_password, name="account-password"),
    path("accounts/<int:number>/unlock/", accounts.account_unlock, name="account-unlock"),
    path("audit-log/", accounts.audit_log, name="audit-log"),
    path("account/", home.account, name="account"),
    path("account/token/", home.account_token, name="account-token"),
]
