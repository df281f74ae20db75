"""The page that lists the API: every operation under its noun, out of the schema itself."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.encoding import force_bytes
from django.utils.safestring import SafeString
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

from piev_site.api_schema import METHODS

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a body or parameter of an address."""

    name: str
    kind: str
    is_required: bool
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: str
    parameters: tuple[Field, ...]
    body_kind: str
    body: tuple[Field, ...]
    answers: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Noun:
    name: str
    text: str
    operations: tuple[Operation, ...]


@cache
def api_document() -> Schema:
    """The schema of the API; it comes from code alone, so a process makes it once."""
    document: Schema = SchemaGenerator().get_schema(request=None, public=True)
    return document


@cache
def _written(media_type: str) -> bytes:
    renderers = (item for item in SchemaView.renderer_classes if item.media_type == media_type)
    return force_bytes(next(renderers)().render(api_document(), None, {}))


class SchemaView(SpectacularAPIView):
    """The schema for generators of clients, as YAML or JSON, made and written once."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.query_params:
            # Another language or version, for which nearly nobody asks.
            answer: HttpResponseBase = super().get(request, *args, **kwargs)
            return answer
        renderer = request.accepted_renderer
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        name = self._get_filename(request, version=None)
        return HttpResponse(
            _written(renderer.media_type),
            content_type=f"{renderer.media_type}{charset}",
            headers={"Content-Disposition": f'inline; filename="{name}"'},
        )


@login_required
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show the operations of the API by noun, and the shapes of what they answer."""
    return render(request, "api_docs.html", {"operations": _operations()})


@cache
def _operations() -> SafeString:
    """The part of the page that is the same for everybody."""
    document = api_document()
    context = {
        "nouns": _nouns(document),
        "shapes": [
            (name, schema.get("description", ""), _fields(schema))
            for name, schema in sorted(document["components"]["schemas"].items())
            if "properties" in schema
        ],
    }
    return render_to_string("_api_operations.html", context)


def _nouns(document: Schema) -> list[Noun]:
    nouns = [
        (described["tags"][0], _operation(document, method, path, described))
        for path, methods in document["paths"].items()
        for method, described in methods.items()
        if method in METHODS
    ]
    return [
        Noun(
            name=tag["name"],
            text=tag["description"],
            operations=tuple(operation for noun, operation in nouns if noun == tag["name"]),
        )
        for tag in document["tags"]
    ]


def _operation(document: Schema, method: str, path: str, described: Schema) -> Operation:
    body_kind, body = next(
        iter(described.get("requestBody", {}).get("content", {}).items()), ("", {})
    )
    return Operation(
        id=described["operationId"],
        method=method.upper(),
        path=path,
        summary=described.get("summary", ""),
        description=described.get("description", ""),
        parameters=tuple(
            Field(
                name=parameter["name"],
                kind=_kind(parameter["schema"]),
                is_required=parameter.get("required", False),
                text=parameter.get("description", ""),
            )
            for parameter in described.get("parameters", ())
        ),
        body_kind=body_kind,
        body=_fields(_resolved(document, body)),
        answers=tuple(
            (status, answer.get("description", ""), _answer_kind(answer))
            for status, answer in described["responses"].items()
        ),
    )


def _answer_kind(answer: Schema) -> str:
    for media_type, content in answer.get("content", {}).items():
        return _kind(content["schema"]) if media_type == "application/json" else media_type
    return ""


def _resolved(document: Schema, schema: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    resolved: Schema = document["components"]["schemas"][_name(schema["$ref"])]
    return resolved


def _fields(schema: Schema) -> tuple[Field, ...]:
    required = set(schema.get("required", ()))
    return tuple(
        Field(name, _kind(field), name in required, field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    )


def _name(reference: str) -> str:
    return reference.rsplit("/", 1)[1]


def _kind(schema: Schema) -> str:
    """The type of a value in a few words."""
    kind = _kind_alone(schema)
    return f"{kind} or null" if schema.get("nullable") else kind


def _kind_alone(schema: Schema) -> str:
    if "$ref" in schema:
        return _name(schema["$ref"])
    if "enum" in schema:
        return " | ".join(str(word) for word in schema["enum"])
    for several in ("allOf", "anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_kind(item) for item in schema[several])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if schema.get("format") == "date-time":
        return "time (ISO 8601)"
    named = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    kind = str(schema.get("type", "anything"))
    return named.get(kind, kind)
