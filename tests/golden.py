"""Sentences that PIE-V writes, kept in files that are compared whole.

A better sentence then changes one file. Look at what changed before you commit it:

    PIEV_REWRITE_GOLDEN=1 .venv/bin/python -m pytest tests/engine/rewriting
    git diff
"""

import json
import os
from pathlib import Path


def assert_golden(file: Path, found: object) -> None:
    """Compare what JSON can hold with the file, one file per domain or page, beside its test."""
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("PIEV_REWRITE_GOLDEN") == "1":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    expected = file.read_text(encoding="utf-8") if file.exists() else "null"
    assert json.loads(text) == json.loads(expected), (
        f"not what {file.name} says; if the new text is better: PIEV_REWRITE_GOLDEN=1, git diff"
    )
