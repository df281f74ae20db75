"""The published way of reading a representation: by counting and splitting characters.

Kept because plans made with it exist and its figures shape the published distributions. It differs
from the tree in one place: if several clauses are joined, the last role of the first clause
includes the rest (the plan file's `role_to_value`).
"""

import re

from generation.engine.semrep.features import LOWER_CASE_TOKEN, ComplexityCounts, nesting
from generation.engine.semrep.roles import RELATION_ROLES, RELATION_WORDS

_PREDICATE = re.compile(r"\b[A-Z][A-Z_]*\s*\(")
_ROLE = re.compile(r"\b[A-Z]\w*\s*:")
_RELATION_ROLE = re.compile(rf"\b(?:{'|'.join(sorted(RELATION_ROLES))})\s*:\s*[A-Z][A-Z_]+\s*\(")
_RELATION_WORD = re.compile(rf"\b(?:{'|'.join(sorted(RELATION_WORDS))})\b")


def published_counts(text: str) -> ComplexityCounts:
    """The five counts of the published complexity, from the characters."""
    return ComplexityCounts(
        predicates=len(_PREDICATE.findall(text)),
        roles=len(_ROLE.findall(text)),
        depth=nesting(text),
        relations=len(_RELATION_ROLE.findall(text)) + len(_RELATION_WORD.findall(text)),
        tokens=len(set(LOWER_CASE_TOKEN.findall(text))),
    )


def published_fields(text: str) -> tuple[str, dict[str, str], str | None]:
    """Predicate, value by role and object value exactly as the published plan has them.

    The text between the first opening and the last closing parenthesis is split at commas outside
    parentheses, and each piece at its first colon.
    """
    opening = text.find("(")
    if opening < 0:
        return text.strip(), {}, None
    closing = text.rfind(")")
    inner = text[opening + 1 : closing] if closing > opening else text[opening + 1 :]
    pieces, depth = [""], 0
    for character in inner:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    role_to_value = {}
    for piece in pieces:
        role, colon, value = piece.partition(":")
        if colon:
            role_to_value[role.strip()] = value.strip()
    object_text = role_to_value.get("Object")
    object_value = None if object_text is None else object_text.split("(")[0].strip()
    return text[:opening].strip(), role_to_value, object_value
