"""The site's addresses; each app brings its own."""

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path
from drf_spectacular.views import SpectacularSwaggerSplitView

from annotation.views.records.home import OwnPasswordView
from piev_site.api_docs import SchemaView, api_docs
from piev_site.metrics import metrics, status_json

handler500 = "annotation.views.records.errors.server_error"

urlpatterns = [
    # Without a slash at its end, as Prometheus asks.
    path("metrics", metrics, name="metrics"),
    path("status.json", status_json, name="status-json"),
    path("api/v1/", include("annotation.api.urls")),
    path("api/v1/", include("segments.api.urls")),
    path("api/v1/", include("texts.api.urls")),
    path("api/v1/", include("generation.api.urls")),
    path("api/v1/", include("benchmarks.api.urls")),
    path("", include("annotation.urls")),
    path("", include("segments.urls")),
    path("", include("texts.urls")),
    path("benchmarks/", include("benchmarks.urls")),
    path("runs/", include("generation.urls")),
    path("endpoints/", include("generation.endpoint_urls")),
    path("api/v1/schema/", SchemaView.as_view(), name="schema"),
    path("api/docs/", api_docs, name="api-docs"),
    path(
        "api/try/",
        # A template of our own: the framework's holds an inline style.
        SpectacularSwaggerSplitView.as_view(url_name="schema", template_name="api_try.html"),
        name="api-try",
    ),
    path("login/", auth_views.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path(
        "password/",
        OwnPasswordView.as_view(),
        name="password_change",
    ),
    path(
        "password/changed/",
        auth_views.PasswordChangeDoneView.as_view(),
        name="password_change_done",
    ),
    path("admin/", admin.site.urls),
]
