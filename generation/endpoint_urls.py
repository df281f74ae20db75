"""Pages of the endpoints: the same for every kind."""

from django.urls import URLPattern, path

from generation.views import endpoints
from generation.views.endpoints import TEXT_MODELS, VIDEO_MODELS, EndpointPages


def endpoint_paths(pages: EndpointPages, below: str = "") -> list[URLPattern]:
    endpoint = f"{below}<slug:public_id>/"
    about, urls = {"pages": pages}, pages.urls
    return [
        path(below, endpoints.endpoint_list, about, name=urls["list"]),
        path(f"{below}new/", endpoints.endpoint_create, about, name=urls["create"]),
        path(endpoint, endpoints.endpoint_detail, about, name=urls["detail"]),
        path(f"{endpoint}test/", endpoints.endpoint_test, about, name=urls["test"]),
        path(f"{endpoint}delete/", endpoints.endpoint_delete, about, name=urls["delete"]),
    ]


urlpatterns = [*endpoint_paths(VIDEO_MODELS, "video/"), *endpoint_paths(TEXT_MODELS)]
