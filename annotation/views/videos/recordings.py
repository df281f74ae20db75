"""The pages of one recording: a take or a trace with its steps, and what can be watched of it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from annotation.forms.corpus.datasets import ReferenceForm
from annotation.page_links import makers_of, pages_about, provenance_in_words
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.corpus import corpus, pages
from annotation.selectors.ratings.gold import changeable_campaigns_of
from annotation.services.corpus.references import change_reference
from annotation.views.records.errors import refusals_shown
from annotation.views.videos.step_pictures import step_pictures
from annotation.views.videos.watching import watching_take, watching_trace


@researcher_required
@require_GET
def take_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    take = corpus.get_take_for_user(user, public_id)
    steps = corpus.as_shown(corpus.procedure_of(take), take).steps
    pictures = step_pictures(take.video, user, [(step.start_s, step.end_s) for step in steps])
    context = {
        "section": "datasets",
        "take": take,
        "pages": pages_about(take),
        "steps": list(zip(steps, pictures, strict=True)),
        "has_pictures": any(pictures),
        "watching": watching_take(take, steps, user),
        "traces": pages.traces_of_dataset(take.dataset).filter(take=take),
        "said": pages.said_on_the_clock(take.utterances.all(), take.video),
        "references": pages.references_by_take([take], user)[take.pk],
    }
    return render(request, "annotation/take_detail.html", context)


@researcher_required
@require_GET
def trace_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a trace with its reference, labels and proposed types."""
    user = signed_in_user(request)
    trace = corpus.get_trace_for_user(user, public_id)
    rows = pages.trace_table(trace)
    reference_pictures = step_pictures(trace.take.video, user, [row.reference_span for row in rows])
    trace_pictures = step_pictures(trace.video, user, [row.trace_span for row in rows])
    context = {
        "section": "datasets",
        "trace": trace,
        "pages": pages_about(trace),
        "rows": list(zip(rows, reference_pictures, trace_pictures, strict=True)),
        "watching": watching_trace(trace, user),
        "said": pages.said_on_the_clock(trace.utterances.all(), trace.video),
        "makers": makers_of(user, trace.dataset),
        "provenance": provenance_in_words(trace.provenance),
        "has_ratings": corpus.has_ratings(trace),
        "may_change": corpus.may_change_dataset(user, trace.dataset),
        "form": ReferenceForm(trace),
        "gold_campaigns": changeable_campaigns_of(user, trace),
    }
    return render(request, "annotation/trace_detail.html", context)


@researcher_required
@require_POST
def trace_reference(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    trace = corpus.get_changeable_trace(user, public_id)
    form = ReferenceForm(trace, request.POST)
    if not form.is_valid():
        messages.error(request, "That take cannot be the reference of this trace.")
        return redirect("trace-detail", trace.public_id)
    with refusals_shown(request):
        trace = change_reference(trace=trace, take=form.cleaned_data["take"], actor=user)
        messages.success(request, f"{trace.name} now has {trace.take.name} as its reference.")
    return redirect("trace-detail", trace.public_id)
