"""How many data sets there are on a researcher's shelf."""

from dataclasses import dataclass

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.access import IsResearcher
from annotation.api.records.dataclass_serializer import DataclassSerializer
from annotation.permissions import signed_in_user
from annotation.selectors.corpus.corpus import visible_datasets


@dataclass(frozen=True, slots=True)
class Shelf:
    dataset_count: int


class ShelfSerializer(DataclassSerializer[Shelf]):
    """What is on a shelf."""


class ShelfEndpoint(APIView):
    """The shelf of who asks."""

    permission_classes = [IsResearcher]

    @extend_schema(responses=ShelfSerializer)
    def get(self, request: Request) -> Response:
        count = visible_datasets(signed_in_user(request)).count()
        return Response(ShelfSerializer(Shelf(count)).data)
