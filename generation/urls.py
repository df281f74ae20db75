"""Pages of the runs."""

from django.urls import path

from generation.views import plans, rewrites, runs

urlpatterns = [
    path("", runs.run_list, name="runs"),
    path("new/", runs.run_launch, name="run-launch"),
    path("new/size/", runs.run_size, name="run-size"),
    path("new/scenarios/", runs.run_scenarios, name="run-scenarios"),
    path("<str:public_id>/", runs.run_detail, name="run-detail"),
    path("<str:public_id>/progress/", runs.run_progress, name="run-progress"),
    path("<str:public_id>/takes/", runs.run_takes, name="run-takes"),
    path("<str:public_id>/distributions/", runs.run_distribution, name="run-distributions"),
    path("<str:public_id>/cancel/", runs.run_cancel, name="run-cancel"),
    path("<str:public_id>/resume/", runs.run_resume, name="run-resume"),
    path("<str:public_id>/retry/", runs.run_retry, name="run-retry"),
    path("<str:public_id>/clone/", runs.run_clone, name="run-clone"),
    path("<str:public_id>/delete/", runs.run_delete, name="run-delete"),
    path("<str:public_id>/plans.json", plans.plans_json, name="run-plans-json"),
    path("<str:public_id>/plans.csv", plans.plans_csv, name="run-plans-csv"),
    path("<str:public_id>/takes/<int:position>/", plans.take_plan, name="take-plan"),
    path("<str:public_id>/takes/<int:position>/text/", rewrites.take_text, name="take-text"),
    path("<str:public_id>/takes/<int:position>/calls/", rewrites.take_calls, name="take-calls"),
]
