"""What the pages of the corpus say about what runs made.

They are pages of `annotation`, which knows no runs; these tags are all that they know of them.
"""

from typing import Any

from django import template

from annotation.models import Dataset, Trace
from generation.models import Run
from generation.selectors import provenance

register = template.Library()


@register.simple_tag(takes_context=True)
def run_behind(context: dict[str, Any], dataset: Dataset) -> Run | None:
    """Return the run that made a data set, None where none did or the reader may not see it."""
    return provenance.run_behind(context["user"], dataset)


@register.filter
def provenance_facts(trace: Trace) -> list[str]:
    """Return where a trace comes from, in words."""
    return provenance.facts_in_words(trace.provenance)
