"""The OpenAPI document: one summary and one noun for every operation, and what is refused, how."""

import re
from typing import Any

from drf_spectacular.openapi import AutoSchema

METHODS = ("get", "post", "put", "patch", "delete")
# Where the first part of an address is not what an operation is about.
NOUN_OF = {"token": "account"}
FIRST_SENTENCE = re.compile(r"(?P<summary>.+?)\.(?:\s+(?P<rest>.*))?$", re.DOTALL)

ERROR = {
    "type": "object",
    "description": "Why nothing was done.",
    "properties": {"detail": {"type": "string"}},
    "required": ["detail"],
}
INVALID = {
    "type": "object",
    "description": "What is wrong, by field; `detail` where the body cannot be read at all. "
    "Faults inside a field are nested as deep as the field is.",
    "properties": {"detail": {"type": "string"}},
    "additionalProperties": {
        "anyOf": [
            {
                "type": "array",
                "items": {
                    "anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {}}]
                },
            },
            {"type": "object", "additionalProperties": {}},
        ]
    },
}


class OperationSchema(AutoSchema):
    """Operations whose summary is the first sentence of what describes them."""

    def get_tags(self) -> list[str]:
        if "/clips/" in self.path:
            return ["clips"]
        (noun,) = super().get_tags()
        return [NOUN_OF.get(noun, noun)]

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """The operation with its description parted into summary and rest."""
        operation = super().get_operation(*args, **kwargs)
        if operation is None or "summary" in operation:
            return operation
        parts = FIRST_SENTENCE.match(" ".join(operation.pop("description", "").split()))
        if parts:
            operation["summary"] = parts["summary"]
            if parts["rest"]:
                operation["description"] = parts["rest"]
        return operation


def add_refusals(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """The document with the errors that follow from what an operation takes.

    Refusals for other reasons (409, 429) are described by the endpoint itself.
    """
    schemas = result["components"]["schemas"]
    schemas |= {"Error": ERROR, "Invalid": INVALID}
    for name, schema in schemas.items():
        if name.endswith("Request") and "properties" in schema:
            schema["additionalProperties"] = False
    for path, operations in result["paths"].items():
        for method in METHODS:
            if method in operations:
                operation = operations[method]
                answers = operation["responses"]
                if "requestBody" in operation:
                    _add(answers, "400", "The body is not as expected.", "Invalid")
                    _add(answers, "415", "The body is of another content type.", "Error")
                if {} not in operation.get("security", []):
                    _add(answers, "401", "No valid token or login.", "Error")
                    _add(answers, "403", "Not for an account of this role.", "Error")
                names = {parameter["name"] for parameter in operation.get("parameters", [])}
                if "{" in path or "page" in names:
                    _add(answers, "404", "It does not exist, or you may not see it.", "Error")
                if method != "get":
                    _add(
                        answers, "507", "The disk of the site is full; nothing was saved.", "Error"
                    )
                operation["responses"] = dict(sorted(answers.items()))
    return result


def _add(answers: dict[str, Any], status: str, description: str, component: str) -> None:
    """Add an answer; one that the endpoint describes itself is an alternative to it."""
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{component}"}
    own = answers.get(status, {})
    content = own.get("content", {}).get("application/json")
    if content and content["schema"] != schema:
        schema = {"anyOf": [content["schema"], schema]}
    answers[status] = {
        "description": own.get("description") or description,
        "content": {"application/json": {"schema": schema}},
    }
