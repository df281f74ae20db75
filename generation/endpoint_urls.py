"""Pages of the endpoints: the same for text models and for providers of clips."""

from django.urls import URLPattern, path

from generation.views import endpoints
from generation.views.endpoints import TEXT_MODELS, VIDEO_MODELS, EndpointPages


def _paths(pages: EndpointPages, below: str = "") -> list[URLPattern]:
    endpoint = f"{below}<slug:public_id>/"
    about, urls = {"pages": pages}, pages.urls
    return [
        path(below, endpoints.endpoint_list, about, name=urls["list"]),
        path(f"{below}new/", endpoints.endpoint_create, about, name=urls["create"]),
        path(endpoint, endpoints.endpoint_detail, about, name=urls["detail"]),
        path(f"{endpoint}test/", endpoints.endpoint_test, about, name=urls["test"]),
        path(f"{endpoint}delete/", endpoints.endpoint_delete, about, name=urls["delete"]),
    ]


urlpatterns = [*_paths(VIDEO_MODELS, "video/"), *_paths(TEXT_MODELS)]
