"""The OpenAPI document keeps the rules of OpenAPI that no JSON Schema of it can say."""

import json

from openapi_spec_validator import OpenAPIV30SpecValidator

from tests.api_contract import document


def test_every_part_of_the_document_keeps_to_openapi():
    served = json.loads(json.dumps(document()))

    faults = [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
        for error in OpenAPIV30SpecValidator(served).iter_errors()
    ]

    assert faults == []
