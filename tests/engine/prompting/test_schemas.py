import pytest

from generation.backends.text.strict_schema import check_strict_schema
from generation.engine.prompting.schemas import (
    CLIP_SCHEMA,
    FREEFORM_SCHEMA,
    REWRITE_SCHEMA,
    SEMREP_SCHEMA,
)


@pytest.mark.parametrize("schema", [REWRITE_SCHEMA, FREEFORM_SCHEMA, SEMREP_SCHEMA, CLIP_SCHEMA])
def test_schema_is_one_that_strict_mode_accepts(schema):
    check_strict_schema(schema)
