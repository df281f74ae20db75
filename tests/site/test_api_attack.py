"""One small round of the attack on the API; `make proof` goes on for minutes."""

from annotation.models import Role
from tests.proof.test_generated_clients import (  # noqa: F401
    attack_as,
    schema_file,
    site,
)

SECONDS = 5


def test_a_few_seconds_of_attack_break_nothing(site, live_server, schema_file):  # noqa: F811
    """Every operation once with what the schema allows, and with what it does not."""
    broken = attack_as(
        Role.RESEARCHER,
        site=site,
        url=live_server.url,
        schema_file=schema_file,
        seconds=SECONDS,
    )

    assert broken == "", broken
