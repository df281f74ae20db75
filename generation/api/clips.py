"""Endpoints of the clips of a take: what each has to show, prompts, uploads, frames, the video.

A change that is not possible now is 409 with the reason; input that cannot be used is 400.
"""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.records.access import ResearcherEndpoint
from annotation.api.records.bodies import Body
from annotation.permissions import signed_in_user
from generation import launch
from generation.api.documents import EditListField, RecordingField, UploadFactsField
from generation.clip_responses import clip_file_response, frame_response
from generation.models import RunTake, TakeClip
from generation.selectors.clips.takes import (
    clips_of_take,
    get_changeable_run_take,
    get_clip,
)
from generation.selectors.runs import get_run_take_for_user
from generation.services.clips.frames import Side
from generation.services.clips.review import (
    PromptRefusedError,
    save_prompt,
    seen_mark,
    why_closed,
)
from generation.services.clips.uploads import ClipRefusedError, remove_clip, upload_clip

VIDEO = {
    (200, "video/mp4"): OpenApiTypes.BINARY,
    (206, "video/mp4"): OpenApiTypes.BINARY,
    304: OpenApiResponse(description="Unchanged since it was last sent."),
    416: OpenApiResponse(description="The file has no such bytes."),
    503: OpenApiResponse(description="The storage of the file is not answering."),
}
PNG = {(200, "image/png"): OpenApiTypes.BINARY}
CONFLICT = OpenApiResponse(description="The clips cannot be changed now; `detail` says why.")


class ClipSerializer(serializers.ModelSerializer[TakeClip]):
    """One clip. `prompt` is what is sent, `compiled_prompt` what it was before people edited it.

    `seen` is a mark of the prompt: send it back with a change, so that you cannot overwrite
    somebody else's text. `facts` says what an upload is and how it is adapted.
    """

    prompt = serializers.CharField(source="prompt_text")
    compiled_prompt = serializers.SerializerMethodField()
    notes = serializers.SerializerMethodField()
    seen = serializers.SerializerMethodField()
    edited_by = serializers.CharField(source="edited_by.username", default=None, allow_null=True)
    uploaded_by = serializers.CharField(
        source="uploaded_by.username", default=None, allow_null=True
    )
    has_file = serializers.SerializerMethodField()
    facts = UploadFactsField(read_only=True)

    class Meta:
        model = TakeClip
        fields = [
            "clip_id", "kind", "state", "reason", "maker", "row_index", "text", "start_s", "end_s",
            "duration_s", "asked_s", "prompt", "compiled_prompt", "compiled_by", "notes", "seen",
            "is_edited", "edited_by", "edited_at", "approved_at", "is_upload", "has_file", "facts",
            "uploaded_by", "uploaded_at",
        ]  # fmt: skip

    def get_compiled_prompt(self, clip: TakeClip) -> str:
        return str(clip.prompt.get("text", ""))

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_notes(self, clip: TakeClip) -> list[str]:
        return list(clip.prompt.get("notes", []))

    def get_seen(self, clip: TakeClip) -> str:
        return seen_mark(clip.prompt_text)

    def get_has_file(self, clip: TakeClip) -> bool:
        return bool(clip.file or clip.upload)


class ClipsSerializer(serializers.Serializer[dict[str, Any]]):
    """The clips of a take. `closed` says why they cannot be changed; empty if they can.

    `seen` is a mark of all prompts that wait for approval. `edits` and `recording` are null, and
    `clips` empty, until the cuts are planned.
    """

    status = serializers.CharField()
    closed = serializers.CharField(allow_blank=True)
    seen = serializers.CharField(allow_blank=True)
    style_lock = serializers.CharField(allow_blank=True)
    prompt_characters = serializers.IntegerField(allow_null=True)
    recording = RecordingField(allow_null=True)
    edits = EditListField(allow_null=True)
    clips = ClipSerializer(many=True)


class PromptSerializer(Body):
    """A prompt that a person wrote; sending the compiled text undoes an edit."""

    prompt = serializers.CharField()
    seen = serializers.CharField(required=False)


class SeenSerializer(Body):
    """The mark of the prompts to approve, from the list of clips."""

    seen = serializers.CharField()


class UploadSerializer(Body):
    """The clip; the name of the file is not used."""

    clip = serializers.FileField()


class _OfTake(ResearcherEndpoint):
    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, PromptRefusedError):
            exc = serializers.ValidationError({"prompt": [str(exc)]})
        elif isinstance(exc, ClipRefusedError):
            exc = serializers.ValidationError({"clip": [str(exc)]})
        return super().handle_exception(exc)

    def take(self, *, to_change: bool = False) -> RunTake:
        get = get_changeable_run_take if to_change else get_run_take_for_user
        return get(signed_in_user(self.request), self.kwargs["public_id"], self.kwargs["position"])

    def clip(self) -> TakeClip:
        return get_clip(self.take(), self.kwargs["clip_id"])


class TakeClips(_OfTake):
    """List the clips of a take of a run."""

    @extend_schema(operation_id="clips", responses={200: ClipsSerializer})
    def get(self, request: Request, public_id: str, position: int) -> Response:
        """Return the cuts of a take, and its clips with their prompts and states."""
        run_take = self.take()
        shown = clips_of_take(run_take)
        edits = None if shown is None else shown.edits
        document = {
            "status": run_take.job.status,
            "closed": why_closed(run_take, run_take.job.status),
            "seen": "" if shown is None else seen_mark(*shown.waiting_prompts),
            "style_lock": "" if edits is None else edits.style_lock,
            "prompt_characters": edits and edits.prompt_characters,
            "recording": edits and edits.recording,
            "edits": edits and edits.document,
            "clips": [] if shown is None else [line.clip for line in shown.lines],
        }
        return Response(ClipsSerializer(document).data)


class ClipDetail(_OfTake):
    """One clip: read it, change its prompt."""

    @extend_schema(operation_id="clip", responses={200: ClipSerializer})
    def get(self, request: Request, public_id: str, position: int, clip_id: str) -> Response:
        """Return one clip with its prompt."""
        return Response(ClipSerializer(self.clip()).data)

    @extend_schema(
        operation_id="clip_prompt",
        request=PromptSerializer,
        responses={200: ClipSerializer, 409: CONFLICT},
    )
    def patch(self, request: Request, public_id: str, position: int, clip_id: str) -> Response:
        """Change the prompt of a clip that was not made yet."""
        run_take = self.take(to_change=True)
        body = PromptSerializer.read(request)
        current = get_clip(run_take, clip_id)
        clip = save_prompt(
            run_take=run_take,
            clip_id=clip_id,
            text=body["prompt"],
            seen=body.get("seen", seen_mark(current.prompt_text)),
            actor=signed_in_user(request),
        )
        return Response(ClipSerializer(clip).data)


class ClipFile(_OfTake):
    """The file of a clip: fetch it, upload it, remove it."""

    parser_classes = [MultiPartParser]

    @extend_schema(operation_id="clip_file", responses=VIDEO)
    def get(
        self, request: Request, public_id: str, position: int, clip_id: str
    ) -> HttpResponseBase:
        """Send the clip, or the requested byte range of it."""
        return clip_file_response(request._request, self.clip())

    @extend_schema(
        operation_id="clip_upload",
        request={"multipart/form-data": UploadSerializer},
        responses={200: ClipSerializer, 409: CONFLICT},
    )
    def put(self, request: Request, public_id: str, position: int, clip_id: str) -> Response:
        """Upload a clip; an earlier one is replaced."""
        run_take = self.take(to_change=True)
        get_clip(run_take, clip_id)
        body = UploadSerializer.read(request)
        clip = upload_clip(
            run_take=run_take,
            clip_id=clip_id,
            file=body["clip"],
            actor=signed_in_user(request),
        )
        return Response(ClipSerializer(clip).data)

    @extend_schema(operation_id="clip_remove", responses={200: ClipSerializer, 409: CONFLICT})
    def delete(self, request: Request, public_id: str, position: int, clip_id: str) -> Response:
        """Remove the uploaded or made clip."""
        run_take = self.take(to_change=True)
        clip = remove_clip(run_take=run_take, clip_id=clip_id, actor=signed_in_user(request))
        return Response(ClipSerializer(clip).data)


class FirstFrame(_OfTake):
    """The last frame of the recording before a clip."""

    @extend_schema(operation_id="clip_first_frame", responses=PNG)
    def get(
        self, request: Request, public_id: str, position: int, clip_id: str
    ) -> HttpResponseBase:
        """Send the frame that the clip starts from, as PNG."""
        return frame_response(self.clip(), Side.FIRST, is_whole=True)


class LastFrame(_OfTake):
    """The first frame of the recording after a clip."""

    @extend_schema(operation_id="clip_last_frame", responses=PNG)
    def get(
        self, request: Request, public_id: str, position: int, clip_id: str
    ) -> HttpResponseBase:
        """Send the frame that the clip leads to, as PNG."""
        return frame_response(self.clip(), Side.LAST, is_whole=True)


class ClipsApprove(_OfTake):
    """Approve the prompts of a take."""

    @extend_schema(
        operation_id="clips_approve", request=SeenSerializer, responses={204: None, 409: CONFLICT}
    )
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Approve every prompt that waits; the take goes back on the queue."""
        run_take = self.take(to_change=True)
        seen, actor = SeenSerializer.read(request)["seen"], signed_in_user(request)
        launch.approve_prompts(run_take=run_take, seen=seen, actor=actor)
        return Response(status=status.HTTP_204_NO_CONTENT)


class ClipsMake(_OfTake):
    """Start making the video of a take."""

    @extend_schema(operation_id="clips_make", request=None, responses={204: None, 409: CONFLICT})
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Put a take that has all its clips back on the queue."""
        run_take = self.take(to_change=True)
        launch.make_video(run_take=run_take, actor=signed_in_user(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
