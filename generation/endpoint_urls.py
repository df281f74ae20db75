"""Pages of the endpoints: the same for text models and for providers of clips."""

from django.urls import URLPattern, path

from generation.views import endpoints
from generation.views.endpoints import TEXT_MODELS, VIDEO_MODELS, EndpointPages


def _paths(pages: EndpointPages, below: str = "") -> list[URLPattern]:
    one = f"{below}<slug:public_id>/"
    about = {"pages": pages}
    return [
        path(below, endpoints.endpoint_list, about, name=pages.list_url),
        path(f"{below}new/", endpoints.endpoint_create, about, name=pages.create_url),
        path(one, endpoints.endpoint_detail, about, name=pages.detail_url),
        path(f"{one}test/", endpoints.endpoint_test, about, name=pages.test_url),
        path(f"{one}delete/", endpoints.endpoint_delete, about, name=pages.delete_url),
    ]


urlpatterns = [*_paths(VIDEO_MODELS, "video/"), *_paths(TEXT_MODELS)]
