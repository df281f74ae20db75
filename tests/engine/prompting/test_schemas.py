import pytest

from generation.backends.text.strict_schema import strict_schema_problems
from generation.engine.prompting.schemas import (
    CLIP_SCHEMA,
    FREEFORM_SCHEMA,
    SEMREP_SCHEMA,
    rewrite_schema,
)


@pytest.mark.parametrize("schema", [rewrite_schema(), FREEFORM_SCHEMA, SEMREP_SCHEMA, CLIP_SCHEMA])
def test_schema_is_one_that_strict_mode_accepts(schema):
    assert strict_schema_problems(schema) == ()
