"""Endpoints of the benchmarks."""

from django.urls import URLPattern, URLResolver, include, path

from benchmarks.api import (
    agents,
    assessments,
    features,
    graphs,
    item_set_files,
    item_sets,
    items,
    judging,
    participants,
    proposals,
    questions,
    queues,
    sizes,
)

GRAPHS = "datasets/<slug:public_id>/task-graphs"
FEATURES = "feature-sets/<slug:public_id>"

of_set = [
    path("", item_sets.ItemSetDetail.as_view(), name="api-item-set"),
    path("freeze/", item_sets.ItemSetFreeze.as_view(), name="api-item-set-freeze"),
    path("leave-out/", item_sets.ItemSetLeaveOut.as_view(), name="api-item-set-leave-out"),
    path("references/", item_sets.ItemSetReferences.as_view(), name="api-item-set-references"),
    path("writing/", item_sets.ItemSetWriting.as_view(), name="api-item-set-writing"),
    path("cancel/", item_sets.ItemSetCancel.as_view(), name="api-item-set-cancel"),
    path("resume/", item_sets.ItemSetResume.as_view(), name="api-item-set-resume"),
    path("share/", item_sets.ItemSetShare.as_view(), name="api-item-set-share"),
    path("judges/", item_sets.ItemSetJudges.as_view(), name="api-item-set-judges"),
    path("judging/", judging.Judging.as_view(), name="api-item-set-judging"),
    path("judging/grades/", judging.Grades.as_view(), name="api-item-set-judging-grade"),
    path("judging/finish/", judging.FinishGrades.as_view(), name="api-item-set-judging-finish"),
    path(
        "judges-and-people/",
        judging.PeopleTable.as_view(),
        name="api-item-set-judges-and-people",
    ),
    path("items/", items.ItemList.as_view(), name="api-items"),
    path("items/<slug:key>/", items.ItemDetail.as_view(), name="api-item"),
    path(
        "items/<slug:key>/pictures/<int:number>/",
        items.ItemPicture.as_view(),
        name="api-item-picture",
    ),
    path(
        "download/<slug:which>/",
        item_set_files.ItemSetDownload.as_view(),
        name="api-item-set-download",
    ),
    path("sizes/", sizes.ItemSetSizes.as_view(), name="api-item-set-sizes"),
    path("table/", item_set_files.ItemSetTable.as_view(), name="api-item-set-table"),
    path("assessments/", item_sets.AssessmentList.as_view(), name="api-set-assessments"),
    path("ask/", participants.Ask.as_view(), name="api-item-set-ask"),
    path("ask/price/", participants.AskEstimate.as_view(), name="api-item-set-ask-price"),
    path("train/", participants.Train.as_view(), name="api-item-set-train"),
    path("upload/", participants.Upload.as_view(), name="api-item-set-upload"),
    path("people/", participants.People.as_view(), name="api-item-set-people"),
]
of_assessment = [
    path("", assessments.AssessmentDetail.as_view(), name="api-assessment"),
    path("sizes/", sizes.AssessmentSizes.as_view(), name="api-assessment-sizes"),
    path("cancel/", assessments.Cancel.as_view(), name="api-assessment-cancel"),
    path("resume/", assessments.Resume.as_view(), name="api-assessment-resume"),
    path("reask/", assessments.Reask.as_view(), name="api-assessment-reask"),
    path("judge/", assessments.Judge.as_view(), name="api-assessment-judge"),
    path("answers/", assessments.AnswerList.as_view(), name="api-assessment-answers"),
    path("asked/", assessments.Asked.as_view(), name="api-assessment-asked"),
    path(
        "compare/<slug:other_id>/right/",
        assessments.CompareRight.as_view(),
        name="api-assessment-compare-right",
    ),
    path("compare/<slug:other_id>/", assessments.Compare.as_view(), name="api-assessment-compare"),
    path("items/", participants.OpenItems.as_view(), name="api-assessment-items"),
    path("finish/", participants.Finish.as_view(), name="api-assessment-finish"),
]
of_questions = [
    path("", questions.QuestionSetDetail.as_view(), name="api-question-set"),
    path("questions/", questions.QuestionList.as_view(), name="api-questions"),
    path("download/", questions.QuestionDownload.as_view(), name="api-question-set-download"),
    path("freeze/", questions.QuestionSetFreeze.as_view(), name="api-question-set-freeze"),
    path("cancel/", questions.QuestionSetCancel.as_view(), name="api-question-set-cancel"),
    path("resume/", questions.QuestionSetResume.as_view(), name="api-question-set-resume"),
]
of_proposals = [
    path("", proposals.StepProposalsDetail.as_view(), name="api-step-proposals"),
    path("recordings/", proposals.ProposedRecordingList.as_view(), name="api-proposed-recordings"),
    path("audit/", proposals.StepProposalsAudit.as_view(), name="api-step-proposals-audit"),
    path("cancel/", proposals.StepProposalsCancel.as_view(), name="api-step-proposals-cancel"),
    path("resume/", proposals.StepProposalsResume.as_view(), name="api-step-proposals-resume"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path(f"{GRAPHS}/", graphs.TaskGraphList.as_view(), name="api-task-graphs"),
    path(
        f"{GRAPHS}/<int:number>/orders/",
        graphs.TaskGraphOrders.as_view(),
        name="api-task-graph-orders",
    ),
    path("datasets/<slug:public_id>/walks/", graphs.WalkList.as_view(), name="api-walks"),
    path("item-sets/", item_sets.ItemSetList.as_view(), name="api-item-sets"),
    path("item-sets/tasks/", item_sets.TaskList.as_view(), name="api-item-set-tasks"),
    path("item-sets/<slug:public_id>/", include(of_set)),
    path("assessments/<slug:public_id>/", include(of_assessment)),
    path("feature-sets/", features.FeatureSetList.as_view(), name="api-feature-sets"),
    path("feature-sets/extractors/", features.ExtractorList.as_view(), name="api-extractors"),
    path("feature-sets/make/", features.FeatureSetMake.as_view(), name="api-feature-set-make"),
    path(f"{FEATURES}/", features.FeatureSetDetail.as_view(), name="api-feature-set"),
    path(f"{FEATURES}/share/", features.FeatureSetShare.as_view(), name="api-feature-set-share"),
    path(f"{FEATURES}/cancel/", features.FeatureSetCancel.as_view(), name="api-feature-set-cancel"),
    path(f"{FEATURES}/resume/", features.FeatureSetResume.as_view(), name="api-feature-set-resume"),
    path("agent-endpoints/", agents.AgentEndpointList.as_view(), name="api-agent-endpoints"),
    path(
        "agent-endpoints/<slug:public_id>/",
        agents.AgentEndpointDetail.as_view(),
        name="api-agent-endpoint",
    ),
    path(
        "agent-endpoints/<slug:public_id>/test/",
        agents.AgentEndpointTrial.as_view(),
        name="api-agent-endpoint-test",
    ),
    path("question-sets/", questions.QuestionSetList.as_view(), name="api-question-sets"),
    path("question-sets/<slug:public_id>/", include(of_questions)),
    path("step-proposals/", proposals.StepProposalsList.as_view(), name="api-step-proposals-list"),
    path("step-proposals/<slug:public_id>/", include(of_proposals)),
    path("rounds/<slug:public_id>/queues/", queues.Sorting.as_view(), name="api-queue-sorting"),
]
