"""Pages of the corpus and the audit."""

from django.urls import path

from annotation.views import audit, home, videos

urlpatterns = [
    path("", home.home, name="home"),
    path("queue/", audit.queue, name="queue"),
    path("queue/<str:public_id>/next/", audit.next_trace, name="next-trace"),
    path("audit/<str:public_id>/", audit.audit, name="audit"),
    path("video/<str:token>/", videos.video, name="video"),
    path("account/", home.account, name="account"),
    path("account/token/", home.account_token, name="account-token"),
]
