"""Endpoints for some roles only. `annotation.permissions` has the like for pages."""

from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from annotation.models import User
from annotation.permissions import signed_in_user


class IsResearcher(IsAuthenticated):
    """Open an endpoint to researchers and administrators only."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        return super().has_permission(request, view) and signed_in_user(request).is_researcher


class ResearcherEndpoint(APIView):
    """An endpoint for researchers and administrators only."""

    permission_classes = [IsResearcher]

    @property
    def user(self) -> User:
        return signed_in_user(self.request)
