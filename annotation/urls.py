"""Pages of the corpus and the audit."""

from django.urls import path

from annotation.selectors.paper import Kind
from annotation.views import (
    audit,
    campaigns,
    datasets,
    desk,
    gold,
    home,
    ingest,
    paper,
    people,
    protocol,
    raters,
    rating_imports,
    reports,
    rounds,
    segment_figures,
    segment_results,
    segment_rounds,
    segments,
    status,
    training,
    videos,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("health/", home.health, name="health"),
    path("queue/", audit.queue, name="queue"),
    path("queue/<slug:public_id>/leave/", audit.leave_campaign, name="leave-campaign"),
    path("queue/<slug:public_id>/next/", audit.next_trace, name="next-trace"),
    path("audit/<slug:public_id>/", audit.audit, name="audit"),
    path("segments/<slug:public_id>/", segments.segments, name="segments"),
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
    path(
        "datasets/import/<slug:upload_id>/",
        datasets.dataset_import_preview,
        name="dataset-import-preview",
    ),
    path(
        "datasets/import/<slug:upload_id>/confirm/",
        datasets.dataset_import_confirm,
        name="dataset-import-confirm",
    ),
    path(
        "datasets/import/<slug:upload_id>/format/",
        datasets.dataset_import_format,
        name="dataset-import-format",
    ),
    path(
        "datasets/import/<slug:upload_id>/discard/",
        datasets.dataset_import_discard,
        name="dataset-import-discard",
    ),
    path("datasets/<slug:public_id>/", datasets.dataset_detail, name="dataset-detail"),
    path("datasets/<slug:public_id>/videos/", datasets.dataset_videos, name="dataset-videos"),
    path("datasets/<slug:public_id>/ingest/", ingest.dataset_ingest, name="dataset-ingest"),
    path(
        "datasets/<slug:public_id>/ingest/cancel/",
        ingest.dataset_ingest_cancel,
        name="dataset-ingest-cancel",
    ),
    path("datasets/<slug:public_id>/agreement/", reports.dataset_report, name="dataset-report"),
    path(
        "datasets/<slug:public_id>/agreement.csv",
        reports.dataset_report_csv,
        name="dataset-report-csv",
    ),
    path("datasets/<slug:public_id>/share/", datasets.dataset_share, name="dataset-share"),
    path("datasets/<slug:public_id>/delete/", datasets.dataset_delete, name="dataset-delete"),
    path("takes/<slug:public_id>/", datasets.take_detail, name="take-detail"),
    path("traces/<slug:public_id>/", datasets.trace_detail, name="trace-detail"),
    path("traces/<slug:public_id>/preview/", audit.trace_preview, name="trace-preview"),
    path("traces/<slug:public_id>/reference/", datasets.trace_reference, name="trace-reference"),
    path("campaigns/", campaigns.campaigns, name="campaigns"),
    path("campaigns/new/", campaigns.campaign_create, name="campaign-create"),
    path(
        "campaigns/new/segments/", segment_rounds.segment_campaign_create, name="segment-campaign"
    ),
    *(
        path(f"campaigns/<slug:public_id>/segment-rounds/{end}", view, name=name)
        for end, view, name in (
            ("new/", segment_rounds.segment_round_new, "segment-round-new"),
            ("<int:number>/", segment_rounds.segment_round, "segment-round"),
            ("<int:number>/open/", segment_rounds.segment_round_open, "segment-round-open"),
            ("<int:number>/again/", segment_rounds.segment_round_again, "segment-round-again"),
            ("<int:number>/close/", segment_rounds.segment_round_close, "segment-round-close"),
            ("<int:number>/proposals/", segment_rounds.segment_proposals, "segment-proposals"),
            (
                "<int:number>/proposals/<slug:upload_id>/",
                segment_rounds.segment_proposals_preview,
                "segment-proposals-preview",
            ),
            (
                "<int:number>/agreement/",
                segment_figures.segment_agreement,
                "segment-round-agreement",
            ),
            (
                "<int:number>/agreement.csv",
                segment_figures.segment_agreement_csv,
                "segment-round-agreement-csv",
            ),
            (
                "<int:number>/results/",
                segment_results.segment_results,
                "segment-round-results",
            ),
            (
                "<int:number>/results/file/",
                segment_results.segment_export,
                "segment-round-file",
            ),
            (
                "<int:number>/results/data-set/",
                segment_results.segment_publish,
                "segment-round-publish",
            ),
        )
    ),
    path("queue/<slug:round_id>/segments/", segment_rounds.segments_next, name="segments-next"),
    path("ratings/import/", rating_imports.rating_import, name="rating-import"),
    path(
        "ratings/import/<slug:upload_id>/",
        rating_imports.rating_import_preview,
        name="rating-import-preview",
    ),
    path(
        "ratings/import/<slug:upload_id>/confirm/",
        rating_imports.rating_import_confirm,
        name="rating-import-confirm",
    ),
    path(
        "ratings/import/<slug:upload_id>/discard/",
        rating_imports.rating_import_discard,
        name="rating-import-discard",
    ),
    path("campaigns/<slug:public_id>/", campaigns.campaign_detail, name="campaign-detail"),
    path(
        "campaigns/<slug:public_id>/raters/add/",
        campaigns.campaign_add_raters,
        name="campaign-add-raters",
    ),
    path(
        "campaigns/<slug:public_id>/raters/remove/",
        campaigns.campaign_remove_rater,
        name="campaign-remove-rater",
    ),
    path(
        "campaigns/<slug:public_id>/raters/leaving/",
        people.rater_removal,
        name="campaign-rater-removal",
    ),
    path(
        "campaigns/<slug:public_id>/raters/password/",
        people.rater_password,
        name="campaign-rater-password",
    ),
    path(
        "campaigns/<slug:public_id>/invitations/",
        people.campaign_invite,
        name="campaign-invite",
    ),
    path(
        "campaigns/<slug:public_id>/invitations/end/",
        people.campaign_end_invitations,
        name="campaign-end-invitations",
    ),
    path("join/<str:token>/", people.join, name="join"),
    path(
        "password/link/<str:uidb64>/<str:token>/",
        people.PasswordLinkView.as_view(),
        name="password-link",
    ),
    path(
        "campaigns/<slug:public_id>/datasets/add/",
        campaigns.campaign_add_datasets,
        name="campaign-add-datasets",
    ),
    path(
        "campaigns/<slug:public_id>/allocate/",
        campaigns.campaign_allocate,
        name="campaign-allocate",
    ),
    path("campaigns/<slug:public_id>/close/", campaigns.campaign_close, name="campaign-close"),
    path("campaigns/<slug:public_id>/freeze/", rounds.campaign_freeze, name="campaign-freeze"),
    path("campaigns/<slug:public_id>/release/", rounds.campaign_release, name="campaign-release"),
    *(
        path(f"campaigns/<slug:public_id>/{end}", view, name=name)
        for end, view, name in (
            ("protocol/", protocol.protocol, "protocol"),
            ("protocol/plan/", protocol.protocol_plan, "protocol-plan"),
            ("protocol/consent/", protocol.protocol_consent, "protocol-consent"),
            ("protocol/file/", protocol.protocol_file, "protocol-file"),
            ("rounds/new/", rounds.round_new, "round-new"),
            ("rounds/<int:number>/", rounds.round_detail, "round-detail"),
            ("rounds/<int:number>/open/", rounds.round_open, "round-open"),
            ("rounds/<int:number>/close/", rounds.round_close, "round-close"),
            ("gold/", gold.gold_list, "gold"),
            ("gold/<slug:trace_id>/", gold.gold_trace, "gold-trace"),
            ("rounds/<int:number>/consensus/", gold.gold_proposals, "gold-proposals"),
            ("rounds/<int:number>/checks/", gold.round_checks, "round-checks"),
            ("qualifications/", gold.qualification_list, "qualifications"),
            ("qualifications/<int:number>/", gold.qualification_let_in, "let-in"),
            ("guidelines/", rounds.guideline_list, "guidelines"),
            ("guidelines/<int:number>/", rounds.guideline_detail, "guideline-detail"),
            ("guidelines/<int:number>/edit/", rounds.guideline_edit, "guideline-edit"),
            ("guidelines/<int:number>/new/", rounds.guideline_new, "guideline-new"),
        )
    ),
    path("queue/<slug:round_id>/consent/", protocol.consent, name="consent"),
    *(
        path(
            f"campaigns/<slug:public_id>/{start}.{ending}",
            view,
            {"ending": ending},
            f"{name}-{ending}",
        )
        for start, view, name in (
            ("protocol", protocol.protocol_draft, "protocol-draft"),
            ("protocols/<slug:filed_id>", protocol.protocol_filed, "protocol-filed"),
        )
        for ending in ("json", "md")
    ),
    path(
        "rounds/<slug:round_id>/examples/<int:place>/",
        rounds.guideline_example,
        name="guideline-example",
    ),
    path("campaigns/<slug:public_id>/desk/", desk.desk, name="desk"),
    path("campaigns/<slug:public_id>/desk/draw/", desk.desk_draw, name="desk-draw"),
    path("cases/<slug:public_id>/", desk.case_detail, name="case-detail"),
    path("cases/<slug:public_id>/guideline/", desk.case_guideline, name="case-guideline"),
    path("campaigns/<slug:public_id>/agreement/", reports.campaign_report, name="campaign-report"),
    path(
        "campaigns/<slug:public_id>/agreement.csv",
        reports.campaign_report_csv,
        name="campaign-report-csv",
    ),
    path(
        "campaigns/<slug:public_id>/ratings.csv",
        reports.campaign_ratings_csv,
        name="campaign-ratings-csv",
    ),
    path(
        "campaigns/<slug:public_id>/hours.csv",
        raters.campaign_hours_csv,
        name="campaign-hours-csv",
    ),
    *(
        path(f"campaigns/<slug:public_id>/rounds/<int:number>/{end}", view, name=f"round-{name}")
        for end, view, name in (
            ("raters/", raters.round_raters, "raters"),
            ("raters.csv", raters.round_raters_csv, "raters-csv"),
            (
                "raters/<slug:kind>.<slug:form>",
                raters.round_raters_picture,
                "raters-picture",
            ),
            ("raters/screening/", raters.round_screening, "screening"),
            ("raters/thresholds/", raters.round_thresholds, "thresholds"),
            ("raters/decision/", raters.round_rater_decision, "rater-decision"),
            ("plan/", raters.round_plan, "plan"),
        )
    ),
    *(
        path(f"{kind}s/<slug:public_id>/paper/{end}", view, {"kind": kind}, name=f"{kind}-{name}")
        for kind in Kind
        for end, view, name in (
            ("", paper.paper, "paper"),
            ("table-<str:key>.<str:suffix>", paper.paper_table_file, "paper-table"),
            ("<str:key>.<str:suffix>", paper.paper_picture_file, "paper-picture"),
        )
    ),
    path("status/", status.status, name="status"),
    path("status/retry/", status.status_retry, name="status-retry"),
    path(
        "campaigns/<slug:public_id>/remarks.csv",
        reports.campaign_remarks_csv,
        name="campaign-remarks-csv",
    ),
    path("account/", home.account, name="account"),
    path("account/token/", home.account_token, name="account-token"),
]
