"""The texts of the published rewrites."""

import json


def published_texts(shared_data):
    """Return every different step text of the published rewrites, in order."""
    texts = {}
    for path in sorted((shared_data / "piev").rglob("*.json")):
        texts.update(dict.fromkeys(_final_steps(json.loads(path.read_text(encoding="utf-8")))))
    return list(texts)


def _final_steps(document):
    if isinstance(document, dict):
        for name, value in document.items():
            if name == "final_steps" and isinstance(value, list):
                yield from (text for text in value if isinstance(text, str))
            else:
                yield from _final_steps(value)
    elif isinstance(document, list):
        for value in document:
            yield from _final_steps(value)
