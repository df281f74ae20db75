"""The OpenAPI document keeps the rules of OpenAPI that no JSON Schema of it can say."""

import json

from openapi_spec_validator import OpenAPIV30SpecValidator

from tests.api_contract import document


def test_every_list_says_what_is_in_it():
    """OpenAPI wants it, its validator does not look, and makers of clients leave such parts out."""
    assert [path for path, part in parts(document()) if is_bare_list(part)] == []


def is_bare_list(part):
    return isinstance(part, dict) and part.get("type") == "array" and "items" not in part


def parts(whole, path=""):
    """Yield every part of the document with its path."""
    yield path, whole
    inner = whole.items() if isinstance(whole, dict) else ()
    inner = enumerate(whole) if isinstance(whole, list) else inner
    for name, part in inner:
        yield from parts(part, f"{path}/{name}")


def test_every_part_of_the_document_keeps_to_openapi():
    served = json.loads(json.dumps(document()))

    faults = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in OpenAPIV30SpecValidator(served).iter_errors()
    ]

    assert faults == []
