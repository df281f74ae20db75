"""Pages of the benchmarks."""

from django.urls import path

from benchmarks.views import (
    assessments,
    features,
    graphs,
    item_sets,
    items,
    participants,
    questions,
    queues,
)

SET = "sets/<slug:public_id>"
ASSESSMENT = "assessments/<slug:public_id>"
FEATURES = "features/<slug:public_id>"
ANSWERING = "answering/<slug:public_id>"
GRAPHS = "graphs/<slug:public_id>"
QUESTIONS = "questions/<slug:public_id>"

urlpatterns = [
    path("", item_sets.set_list, name="item-sets"),
    path("new/<slug:task>/", item_sets.set_new, name="item-set-new"),
    path(f"{SET}/", item_sets.set_detail, name="item-set"),
    path(f"{SET}/freeze/", item_sets.set_freeze, name="item-set-freeze"),
    path(f"{SET}/leave-out/", item_sets.set_leave_out, name="item-set-leave-out"),
    path(f"{SET}/progress/", item_sets.set_progress, name="item-set-progress"),
    path(f"{SET}/cancel/", item_sets.set_cancel, name="item-set-cancel"),
    path(f"{SET}/resume/", item_sets.set_resume, name="item-set-resume"),
    path(f"{SET}/share/", item_sets.set_share, name="item-set-share"),
    path(f"{SET}/judges/", assessments.set_judges, name="item-set-judges"),
    path(f"{SET}/delete/", item_sets.set_delete, name="item-set-delete"),
    path(f"{SET}/upload/", participants.set_upload, name="item-set-upload"),
    path(f"{SET}/ask/", participants.set_ask, name="item-set-ask"),
    path(f"{SET}/ask/price/", participants.set_ask_price, name="item-set-ask-price"),
    path(f"{SET}/train/", participants.set_train, name="item-set-train"),
    path(f"{SET}/people/", participants.person_add, name="item-set-people"),
    path(f"{SET}/compare/", assessments.compare, name="item-set-compare"),
    path(f"{SET}/download/<slug:which>/", item_sets.set_download, name="item-set-download"),
    path(f"{SET}/table/<slug:form>/", item_sets.set_table, name="item-set-table"),
    path(f"{SET}/recordings/<slug:recording>/", graphs.set_recording, name="item-set-recording"),
    path(f"{SET}/items/<slug:key>/", items.item_page, name="item"),
    path(f"{SET}/items/<slug:key>/<int:number>.jpg", items.item_picture, name="item-picture"),
    path(f"{GRAPHS}/", graphs.graph_list, name="graphs"),
    path(f"{GRAPHS}/walks/<slug:which>.csv", graphs.walks_file, name="walks-file"),
    path(f"{GRAPHS}/<int:number>/", graphs.graph_detail, name="graph"),
    path(f"{GRAPHS}/<int:number>/orders.csv", graphs.orders_file, name="graph-orders"),
    path("walks/<slug:kind>/<slug:public_id>/", graphs.walk, name="walk"),
    path(f"{ASSESSMENT}/", assessments.assessment, name="assessment"),
    path(
        f"{ASSESSMENT}/tables/<slug:key>/<slug:form>/",
        assessments.assessment_table,
        name="assessment-table",
    ),
    path(f"{ASSESSMENT}/asked.jsonl", assessments.assessment_asked, name="assessment-asked"),
    path(
        f"{ASSESSMENT}/asked/<slug:key>/<int:repeat>/<int:number>.jpg",
        assessments.asked_picture,
        name="asked-picture",
    ),
    path(f"{ASSESSMENT}/cancel/", assessments.assessment_cancel, name="assessment-cancel"),
    path(f"{ASSESSMENT}/resume/", assessments.assessment_resume, name="assessment-resume"),
    path(f"{ASSESSMENT}/reask/", assessments.assessment_reask, name="assessment-reask"),
    path(f"{ASSESSMENT}/judge/", assessments.assessment_judge, name="assessment-judge"),
    path(f"{ASSESSMENT}/delete/", assessments.assessment_delete, name="assessment-delete"),
    path("features/", features.feature_list, name="feature-sets"),
    path("features/upload/", features.feature_upload, name="feature-set-upload"),
    path("features/make/", features.feature_make, name="feature-set-make"),
    path(f"{FEATURES}/", features.feature_detail, name="feature-set"),
    path(f"{FEATURES}/cancel/", features.feature_cancel, name="feature-set-cancel"),
    path(f"{FEATURES}/resume/", features.feature_resume, name="feature-set-resume"),
    path(f"{FEATURES}/share/", features.feature_share, name="feature-set-share"),
    path(f"{FEATURES}/delete/", features.feature_delete, name="feature-set-delete"),
    path("questions/", questions.question_list, name="question-sets"),
    path("questions/new/", questions.question_new, name="question-set-new"),
    path(f"{QUESTIONS}/", questions.question_detail, name="question-set"),
    path(f"{QUESTIONS}/progress/", questions.question_progress, name="question-set-progress"),
    path(f"{QUESTIONS}/freeze/", questions.question_freeze, name="question-set-freeze"),
    path(f"{QUESTIONS}/review/", questions.question_review, name="question-set-review"),
    path(f"{QUESTIONS}/cancel/", questions.question_cancel, name="question-set-cancel"),
    path(f"{QUESTIONS}/resume/", questions.question_resume, name="question-set-resume"),
    path(f"{QUESTIONS}/delete/", questions.question_delete, name="question-set-delete"),
    path("rounds/<slug:public_id>/queues/", queues.queue_sorting, name="queue-sorting"),
    path("answering/", assessments.own_answering, name="own-answering"),
    path(f"{ANSWERING}/", assessments.answering, name="answering"),
    path(f"{ANSWERING}/finish/", assessments.answering_finish, name="answering-finish"),
    path(
        f"{ANSWERING}/<slug:key>/<int:number>.jpg",
        assessments.answering_picture,
        name="answering-picture",
    ),
]
