"""Pages of the text models' endpoints."""

from django.urls import path

from generation.views import endpoints

urlpatterns = [
    path("", endpoints.endpoint_list, name="endpoints"),
    path("new/", endpoints.endpoint_create, name="endpoint-create"),
    path("<slug:public_id>/", endpoints.endpoint_detail, name="endpoint-detail"),
    path("<slug:public_id>/test/", endpoints.endpoint_test, name="endpoint-test"),
    path("<slug:public_id>/delete/", endpoints.endpoint_delete, name="endpoint-delete"),
]
