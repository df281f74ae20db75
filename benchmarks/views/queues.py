"""The page on which a researcher lets a model sort the queues of a round."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.permissions import researcher_required, signed_in_user
from annotation.views.records.errors import refusals_shown
from benchmarks.engine.tasks.model_as_rater.screening import SortingRule
from benchmarks.models import QueueSorting
from benchmarks.selectors.queues import get_screener, get_sortable_round, screeners_of
from benchmarks.services.queue_sorting import came_later, sort_queues, unsort_queues


@researcher_required
@require_http_methods(["GET", "POST"])
def queue_sorting(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the models that could sort the queues; sort them, or undo it if none is named."""
    user = signed_in_user(request)
    round_ = get_sortable_round(user, public_id)
    if request.method == "POST":
        assessment_id = request.POST.get("assessment", "").replace("\x00", "")
        if not assessment_id:
            moved = unsort_queues(round_=round_, actor=user)
            messages.info(request, f"{moved} traces went back to the place that they had.")
            return redirect("queue-sorting", public_id)
        screener, rule = get_screener(user, round_, assessment_id), request.POST.get("rule", "")
        with refusals_shown(request):
            sort_queues(round_=round_, screener=screener, rule=rule, actor=user)
            messages.info(request, "The queues are sorted; raters see nothing of it.")
        return redirect("queue-sorting", public_id)
    sorting = (
        QueueSorting.objects.filter(round=round_).select_related("assessment", "round").first()
    )
    context = {
        "section": "campaigns",
        "round": round_,
        "campaign": round_.campaign,
        "sorting": sorting,
        "came_later": came_later(sorting) if sorting else 0,
        "screeners": screeners_of(user, round_),
        "trace_count": round_.assignments.values("trace").distinct().count(),
        "rules": list(SortingRule),
    }
    return render(request, "benchmarks/queue_sorting.html", context)
