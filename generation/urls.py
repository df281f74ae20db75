"""Pages of the runs."""

from django.urls import path

from generation.views import clips, plans, runs, takes

TAKE = "<slug:public_id>/takes/<int:position>"

urlpatterns = [
    path("", runs.run_list, name="runs"),
    path("new/", runs.run_launch, name="run-launch"),
    path("new/size/", runs.run_size, name="run-size"),
    path("new/scenarios/", runs.run_scenarios, name="run-scenarios"),
    path("<slug:public_id>/", runs.run_detail, name="run-detail"),
    path("<slug:public_id>/progress/", runs.run_progress, name="run-progress"),
    path("<slug:public_id>/takes/", runs.run_takes, name="run-takes"),
    path("<slug:public_id>/distributions/", runs.run_distribution, name="run-distributions"),
    path("<slug:public_id>/cancel/", runs.run_cancel, name="run-cancel"),
    path("<slug:public_id>/resume/", runs.run_resume, name="run-resume"),
    path("<slug:public_id>/retry/", runs.run_retry, name="run-retry"),
    path("<slug:public_id>/budget/", runs.run_budget, name="run-budget"),
    path(
        "<slug:public_id>/publish-withheld/",
        runs.run_publish_withheld,
        name="run-publish-withheld",
    ),
    path("<slug:public_id>/clone/", runs.run_clone, name="run-clone"),
    path("<slug:public_id>/delete/", runs.run_delete, name="run-delete"),
    path("<slug:public_id>/plans.json", plans.plans_json, name="run-plans-json"),
    path("<slug:public_id>/plans.csv", plans.plans_csv, name="run-plans-csv"),
    path("<slug:public_id>/takes/<int:position>/", plans.take_plan, name="take-plan"),
    path("<slug:public_id>/takes/<int:position>/text/", takes.take_text, name="take-text"),
    path("<slug:public_id>/takes/<int:position>/calls/", takes.take_calls, name="take-calls"),
    path(f"{TAKE}/video/", takes.take_video, name="take-video"),
    path(f"{TAKE}/video/file/", takes.take_video_file, name="take-video-file"),
    path(f"{TAKE}/clips/", clips.take_clips, name="take-clips"),
    path(f"{TAKE}/clips/approve/", clips.clips_approve, name="clips-approve"),
    path(f"{TAKE}/clips/make/", clips.clips_make, name="clips-make"),
    path(f"{TAKE}/clips/<slug:clip_id>/prompt/", clips.clip_prompt, name="clip-prompt"),
    path(f"{TAKE}/clips/<slug:clip_id>/upload/", clips.clip_upload, name="clip-upload"),
    path(f"{TAKE}/clips/<slug:clip_id>/remove/", clips.clip_remove, name="clip-remove"),
    path(f"{TAKE}/clips/<slug:clip_id>/video/", clips.clip_video, name="clip-video"),
    path(
        f"{TAKE}/clips/<slug:clip_id>/<slug:side>.<slug:form>", clips.clip_frame, name="clip-frame"
    ),
]
