"""Holds every answer of the API, in every test, to the OpenAPI document that the site serves.

A middleware of the test settings: what the schema does not say fails the test that asked.
"""

import gzip
import json
import re
import threading
from functools import cache

from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

API = "/api/v1/"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# What the framework answers to what is no request of the schema.
NO_SUCH_REQUEST = {405, 413}
# The framework reads its extensions when the first document is made, and not by two at once.
READING = threading.Lock()


class AnswerNotDescribedError(AssertionError):
    """The API answered what its schema does not say; the message tells what to add."""


class AnswersAsDescribed:
    """Let no answer of the API out that the schema does not describe."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.path.startswith(API) and request.method in METHODS:
            check_answer(request, response)
        return response


@cache
def document():
    """Return the OpenAPI document as it is served."""
    return SchemaGenerator().get_schema(request=None, public=True)


@cache
def operations():
    """Return {"METHOD path": operation} for every operation of the API."""
    return {
        f"{method} {path}": methods[method.lower()]
        for path, methods in document()["paths"].items()
        for method in METHODS
        if method.lower() in methods
    }


def strict(schema):
    """Return a part of the document as JSON Schema that knows no fields but those it names."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and "type" in made:
        made.setdefault("additionalProperties", False)
    if made.pop("nullable", False) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


@cache
def components():
    return strict(document()["components"])


@cache
def validator(operation, status):
    """Return what checks a JSON answer, None for one that has no JSON body."""
    content = operations()[operation]["responses"][status].get("content", {})
    if "application/json" not in content:
        return None
    schema = strict(content["application/json"]["schema"])
    return Draft202012Validator({**schema, "components": components()})


def forget():
    """Read the schema anew: a test has added something that it names."""
    for remembered in (document, operations, components, validator):
        remembered.cache_clear()


def check_answer(request, response):
    """Raise `AnswerNotDescribedError` for an answer that the schema does not describe."""
    route = getattr(request.resolver_match, "route", "")
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    operation = f"{request.method} /{path}"
    status = str(response.status_code)
    with READING:
        described = operations().get(operation)
    if described is None or response.status_code in NO_SUCH_REQUEST:
        if response.status_code >= 400 and set(json.loads(response.content)) != {"detail"}:
            raise AnswerNotDescribedError(
                f"{operation}: expected one `detail` with status {status}"
            )
        return
    if status not in described["responses"]:
        raise AnswerNotDescribedError(
            f"{operation} answers {status}, which its schema does not describe: add it to "
            "`responses` of its @extend_schema, with the serializer of the body."
        )
    _check_body(operation, status, described, response)


def _check_body(operation, status, described, response):
    content = described["responses"][status].get("content", {})
    kind = response.headers.get("Content-Type", "").partition(";")[0]
    if content and kind not in content:
        raise AnswerNotDescribedError(
            f"{operation} answers {status} with {kind!r}; its schema says {sorted(content)}."
        )
    # A file that is sent piece by piece is none of the serializers' business.
    if not content or kind != "application/json" or response.streaming:
        return
    is_packed = response.headers.get("Content-Encoding") == "gzip"
    body = json.loads(gzip.decompress(response.content) if is_packed else response.content)
    fault = best_match(validator(operation, status).iter_errors(body))
    if fault is not None:
        raise AnswerNotDescribedError(
            f"{operation} answers {status} with {fault.json_path}: {fault.message[:300]}. Say in "
            "its serializer what is sent: every field, and allow_null=True where it can be null."
        )
