"""Endpoints of the account: a token for scripts, and who am I."""

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.authtoken.serializers import AuthTokenSerializer
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.records.bodies import Body
from annotation.api.records.refusals import RefusedSerializer
from annotation.models import User
from annotation.permissions import signed_in_user
from annotation.services.records.accounts import FirstPasswordError, api_token

USERNAME_CHARACTERS = 150


class TokenSerializer(serializers.Serializer[None]):
    """Send it as `Authorization: Token …`."""

    token = serializers.CharField()


class CredentialsSerializer(Body, AuthTokenSerializer):
    """Name and password; a longer name than any account has would not fit the log of attempts."""

    username = serializers.CharField(max_length=USERNAME_CHARACTERS, write_only=True)


class TokenEndpoint(APIView):
    authentication_classes = ()
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="token_create",
        request=CredentialsSerializer,
        responses={
            200: TokenSerializer,
            403: OpenApiResponse(
                RefusedSerializer, description="The first password has not been changed yet."
            ),
            409: OpenApiResponse(
                RefusedSerializer, description="The account was changed at the same moment."
            ),
            429: OpenApiResponse(RefusedSerializer, description="Too many failed logins."),
        },
    )
    def post(self, request: Request) -> Response:
        """Exchange a username and password for the account's token."""
        # The plain request: the lock against guessing looks there for what it has noted.
        context = {"request": request._request}
        body = CredentialsSerializer(data=request.data, context=context)
        body.is_valid(raise_exception=True)
        try:
            return Response({"token": api_token(user=body.validated_data["user"])})
        except FirstPasswordError as error:
            raise PermissionDenied(str(error)) from error


class AccountSerializer(serializers.ModelSerializer[User]):
    """The account that asks."""

    class Meta:
        model = User
        fields = ["username", "role"]


class AccountEndpoint(generics.RetrieveAPIView[User]):
    """Return who is asking."""

    serializer_class = AccountSerializer

    def get_object(self) -> User:
        return signed_in_user(self.request)
