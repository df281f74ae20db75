"""Endpoints of the benchmarks."""

from django.urls import URLPattern, path

from benchmarks.api import assessments, features, graphs, item_sets, queues

SET = "item-sets/<slug:public_id>"
FEATURES = "feature-sets/<slug:public_id>"
ONE = "assessments/<slug:public_id>"
GRAPHS = "datasets/<slug:public_id>/task-graphs"

urlpatterns: list[URLPattern] = [
    path(f"{GRAPHS}/", graphs.TaskGraphList.as_view(), name="api-task-graphs"),
    path(
        f"{GRAPHS}/<int:number>/orders/",
        graphs.TaskGraphOrders.as_view(),
        name="api-task-graph-orders",
    ),
    path("datasets/<slug:public_id>/walks/", graphs.WalkList.as_view(), name="api-walks"),
    path("item-sets/", item_sets.ItemSetList.as_view(), name="api-item-sets"),
    path("item-sets/tasks/", item_sets.TaskList.as_view(), name="api-item-set-tasks"),
    path(f"{SET}/", item_sets.ItemSetDetail.as_view(), name="api-item-set"),
    path(f"{SET}/freeze/", item_sets.ItemSetFreeze.as_view(), name="api-item-set-freeze"),
    path(f"{SET}/share/", item_sets.ItemSetShare.as_view(), name="api-item-set-share"),
    path(f"{SET}/items/", item_sets.ItemList.as_view(), name="api-items"),
    path(f"{SET}/items/<slug:key>/", item_sets.ItemDetail.as_view(), name="api-item"),
    path(
        f"{SET}/items/<slug:key>/pictures/<int:number>/",
        item_sets.ItemPicture.as_view(),
        name="api-item-picture",
    ),
    path(
        f"{SET}/download/<slug:which>/",
        item_sets.ItemSetDownload.as_view(),
        name="api-item-set-download",
    ),
    path(f"{SET}/table/", item_sets.ItemSetTable.as_view(), name="api-item-set-table"),
    path(f"{SET}/assessments/", item_sets.AssessmentList.as_view(), name="api-set-assessments"),
    path(f"{SET}/ask/", assessments.Ask.as_view(), name="api-item-set-ask"),
    path(f"{SET}/train/", assessments.Train.as_view(), name="api-item-set-train"),
    path(f"{SET}/upload/", assessments.Upload.as_view(), name="api-item-set-upload"),
    path(f"{SET}/people/", assessments.People.as_view(), name="api-item-set-people"),
    path(f"{ONE}/", assessments.AssessmentDetail.as_view(), name="api-assessment"),
    path(f"{ONE}/cancel/", assessments.Cancel.as_view(), name="api-assessment-cancel"),
    path(f"{ONE}/resume/", assessments.Resume.as_view(), name="api-assessment-resume"),
    path(f"{ONE}/reask/", assessments.Reask.as_view(), name="api-assessment-reask"),
    path(f"{ONE}/judge/", assessments.Judge.as_view(), name="api-assessment-judge"),
    path(f"{ONE}/answers/", assessments.AnswerList.as_view(), name="api-assessment-answers"),
    path(
        f"{ONE}/compare/<slug:other_id>/",
        assessments.Compare.as_view(),
        name="api-assessment-compare",
    ),
    path(f"{ONE}/items/", assessments.OpenItems.as_view(), name="api-assessment-items"),
    path(f"{ONE}/finish/", assessments.Finish.as_view(), name="api-assessment-finish"),
    path("feature-sets/", features.FeatureSetList.as_view(), name="api-feature-sets"),
    path("feature-sets/extractors/", features.ExtractorList.as_view(), name="api-extractors"),
    path("feature-sets/make/", features.FeatureSetMake.as_view(), name="api-feature-set-make"),
    path(f"{FEATURES}/", features.FeatureSetDetail.as_view(), name="api-feature-set"),
    path(f"{FEATURES}/share/", features.FeatureSetShare.as_view(), name="api-feature-set-share"),
    path(f"{FEATURES}/cancel/", features.FeatureSetCancel.as_view(), name="api-feature-set-cancel"),
    path(f"{FEATURES}/resume/", features.FeatureSetResume.as_view(), name="api-feature-set-resume"),
    path("rounds/<slug:public_id>/queues/", queues.Sorting.as_view(), name="api-queue-sorting"),
]
