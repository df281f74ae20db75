"""Keep the representations that the analyser made."""

from collections.abc import Mapping

from generation.models import MadeSemRep
from generation.selectors.plans.procedures import ANALYSER_VERSION, text_digest


def store_made_semreps(semrep_by_text: Mapping[str, str]) -> None:
    """Add representations, keyed by normal text, to the cache; what is there already stays."""
    if not semrep_by_text:
        return
    rows = [
        MadeSemRep(
            text_digest=text_digest(text),
            analyser_version=ANALYSER_VERSION,
            text=text,
            semrep=semrep,
        )
        for text, semrep in semrep_by_text.items()
    ]
    MadeSemRep.objects.bulk_create(rows, ignore_conflicts=True)
