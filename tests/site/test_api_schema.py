"""The OpenAPI document: one that generated clients can work with. Operations are found in it."""

import json
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command

from tests.api_contract import document, operations

JSON = "application/json"
SUMMARY_CHARACTERS = 90


def bodies():
    """Return {operation: content of its request body}."""
    return {
        operation: described["requestBody"]["content"]
        for operation, described in operations().items()
        if "requestBody" in described
    }


def resolved(schema):
    return document()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]


def test_schema_is_valid_and_leaves_nothing_to_guess():
    validated = StringIO()

    call_command(
        "spectacular", "--validate", "--fail-on-warn", "--format", "openapi-json", stdout=validated
    )

    # It is the very document that is served, and that every other test here looks into.
    assert json.loads(validated.getvalue()) == json.loads(json.dumps(document()))


def test_every_operation_has_a_summary_and_a_noun():
    nouns = {tag["name"] for tag in document()["tags"]}
    faults = [
        f"{operation}: {what}"
        for operation, described in operations().items()
        for is_right, what in (
            (
                0 < len(described.get("summary", "")) <= SUMMARY_CHARACTERS,
                "write a docstring whose first sentence says in at most "
                f"{SUMMARY_CHARACTERS} characters what it does",
            ),
            (
                len(described["tags"]) == 1 and described["tags"][0] in nouns,
                f"describe its noun {described['tags']} in API_NOUNS of the settings",
            ),
        )
        if not is_right
    ]

    assert faults == []
    assert nouns == set(settings.API_NOUNS)


def test_bodies_are_json_and_only_files_are_multipart():
    kinds = {operation: set(content) for operation, content in bodies().items()}

    with_files = {operation for operation, found in kinds.items() if found != {JSON}}

    assert with_files == {
        "POST /api/v1/datasets/import/",
        "POST /api/v1/datasets/{public_id}/videos/files/",
        "POST /api/v1/ratings/import/",
        "POST /api/v1/campaigns/{public_id}/segment-rounds/{number}/import/",
        "POST /api/v1/feature-sets/",
        "POST /api/v1/item-sets/{public_id}/upload/",
        "PUT /api/v1/runs/{public_id}/takes/{position}/clips/{clip_id}/file/",
    }
    assert {kind for operation in with_files for kind in kinds[operation]} == {
        "multipart/form-data"
    }


def test_nobody_has_to_send_what_the_site_gives():
    given = {"id", "owner", "token", "created_at", "changed_at", "has_key"}

    sent = {
        operation: given & set(resolved(content["schema"])["properties"])
        for operation, contents in bodies().items()
        for content in contents.values()
    }

    assert {operation: names for operation, names in sent.items() if names} == {}


def free_form(part, path=""):
    """Yield the paths of all fields in a part of the document that may hold anything at all."""
    if isinstance(part, list):
        for index, item in enumerate(part):
            yield from free_form(item, f"{path}/{index}")
    if not isinstance(part, dict):
        return
    for name, field in part.get("properties", {}).items():
        said = set(field) - {"readOnly", "description", "title", "nullable", "default"}
        if not said or (said == {"type"} and field["type"] == "object"):
            yield f"{path}/{name}"
    for key, value in part.items():
        yield from free_form(value, f"{path}/{key}")


def test_no_field_may_hold_anything_at_all():
    """Give a JSONField a shape: see `generation/api/documents.py`."""
    assert list(free_form(document()["components"]["schemas"])) == []


@pytest.mark.parametrize(
    ("component", "fields"),
    [
        ("Run", {"owner", "cloned_from", "published_dataset", "cancelled_at"}),
        ("Event", {"target"}),
        ("TraceStep", {"event", "reference_index"}),
        ("Clip", {"edited_by", "uploaded_by"}),
        ("TraceDetail", {"video"}),
        ("Dataset", {"owner"}),
    ],
)
def test_fields_that_can_be_null_are_said_to_be(component, fields):
    properties = document()["components"]["schemas"][component]["properties"]

    assert {name for name in fields if not properties[name].get("nullable")} == set()


@pytest.mark.parametrize(
    ("component", "reference"),
    [
        ("Run", "dataset"),
        ("Run", "cloned_from"),
        ("Run", "published_dataset"),
        ("Assignment", "campaign"),
        ("Trace", "take"),
        ("ReportRow", "dataset"),
    ],
)
def test_references_are_ids_with_the_name_beside(component, reference):
    properties = document()["components"]["schemas"][component]["properties"]

    assert {reference, f"{reference}_name"} <= set(properties)


def test_what_is_refused_is_described():
    """Who is not logged in, may not, asks for nothing that is there, or sends what cannot be."""
    refusals = {
        operation: set(described["responses"]) & {"400", "401", "403", "404"}
        for operation, described in operations().items()
    }

    assert refusals["POST /api/v1/campaigns/"] == {"400", "401", "403"}
    assert refusals["GET /api/v1/runs/{public_id}/"] == {"401", "403", "404"}
    assert refusals["POST /api/v1/datasets/{public_id}/videos/"] == {"400", "401", "403", "404"}
    assert refusals["POST /api/v1/token/"] == {"400", "403"}


def test_answers_that_keep_a_caller_waiting_or_out_are_described():
    described = {
        status: {name for name, item in operations().items() if status in item["responses"]}
        for status in ("409", "429")
    }

    assert "POST /api/v1/campaigns/{public_id}/raters/" in described["409"]
    assert described["429"] == {"POST /api/v1/token/"}
