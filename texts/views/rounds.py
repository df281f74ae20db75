"""Pages of rounds of texts: how far they are, what people agree on, what was decided."""

from collections.abc import Iterator

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.views.decorators.http import (
    require_GET,
    require_http_methods,
    require_POST,
    require_safe,
)

from annotation.engine.csv_cells import Cell, csv_lines
from annotation.models import Phase, Round
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_changeable_campaign, may_change_campaign
from annotation.selectors.corpus.blinding import may_open, why_figures_are_hidden
from annotation.services.campaigns.rounds import ProtocolError, close_round
from annotation.views.figures.reports import csv_response
from annotation.views.records.errors import refusals_shown
from texts.engine.figure_rows import csv_rows
from texts.forms.rounds import TextRoundForm
from texts.launch import figures_to_show
from texts.models import TEXTS, TextItem, TextVerdict
from texts.selectors.rounds import (
    decided_texts,
    get_readable_text_round,
    get_text_round,
    judged_texts,
    text_rounds,
    vocabulary_of,
)
from texts.selectors.verdicts import next_verdict_id, verdicts_of_round
from texts.services.rounds import change_text_round, open_text_round

SHOWN_TEXTS = 50


@researcher_required
@require_GET
def text_round(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    user = signed_in_user(request)
    round_ = get_text_round(user, public_id, number)
    hidden = why_figures_are_hidden(user, round_.campaign)
    context: dict[str, object] = {
        "section": "campaigns",
        "campaign": round_.campaign,
        "round": round_,
        "vocabulary": vocabulary_of(round_),
        "hidden": hidden,
        "may_change": may_change_campaign(user, round_.campaign) and not round_.campaign.is_closed,
    }
    if not hidden:
        places = TextVerdict.objects.select_related("person").order_by("place")
        rows = TextItem.objects.filter(round=round_).select_related("take", "trace")
        rows = rows.prefetch_related(Prefetch("verdicts", places)).order_by("pk")
        [context["stored"]] = figures_to_show(rounds=[round_], actor=user)
        page = Paginator(rows, SHOWN_TEXTS).get_page(request.GET.get("page"))
        datasets = round_.campaign.datasets.all()
        openable = {dataset.pk for dataset in datasets if may_open(user, dataset)}
        context |= {"page": page, "texts": judged_texts(round_, page), "openable": openable}
    return render(request, "texts/round_detail.html", context)


@researcher_required
@require_GET
def text_round_csv(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """What was decided of each text, one row each."""
    round_ = get_readable_text_round(signed_in_user(request), public_id, number)
    name = f"texts-{slugify(round_.campaign.name)}-round-{number}.csv"
    return csv_response(csv_lines(_rows(round_)), name)


def _rows(round_: Round) -> Iterator[list[str | int]]:
    yield ["text", "verdict", "kept", "reasons", "words", "answer", "verdicts"]
    for item in decided_texts(round_):
        yield [
            item.source_key, item.verdict, "yes" if item.is_kept else "no" if item.verdict else "",
            " ".join(item.reasons), item.text, item.answer, item.given_count,
        ]  # fmt: skip


@researcher_required
@require_GET
def text_verdicts_csv(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Every verdict, one row each."""
    round_ = get_readable_text_round(signed_in_user(request), public_id, number)
    name = f"verdicts-{slugify(round_.campaign.name)}-round-{number}.csv"
    return csv_response(csv_lines(_verdict_rows(round_)), name)


def _verdict_rows(round_: Round) -> Iterator[list[Cell]]:
    yield [
        "text", "person", "place", "verdict", "reasons", "note", "words", "answer", "blind_answer",
        "seconds", "given_at",
    ]  # fmt: skip
    for own in verdicts_of_round(round_).iterator(chunk_size=2000):
        yield [
            own.item.source_key, own.person.username, own.place, own.verdict,
            " ".join(own.reasons), own.note, own.text, own.answer, own.blind_answer, own.seconds,
            own.given_at.isoformat(timespec="seconds") if own.given_at else None,
        ]  # fmt: skip


@researcher_required
@require_GET
def text_round_figures_csv(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """The figures as they are stored; the header alone while there are none yet."""
    user = signed_in_user(request)
    round_ = get_readable_text_round(user, public_id, number)
    about: dict[str, Cell] = {
        "campaign": round_.campaign.name,
        "round": round_.number,
        "phase": round_.phase,
        "guideline": round_.guideline.name,
        "verdicts": vocabulary_of(round_).name,
    }
    [stored] = figures_to_show(rounds=[round_], actor=user)
    name = f"figures-of-texts-{slugify(round_.campaign.name)}-round-{number}.csv"
    return csv_response(csv_lines(csv_rows(stored.figures, about | stored.freshness())), name)


@researcher_required
@require_http_methods(["GET", "POST"])
def text_round_edit(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    """Change the phase, the margin and the reasons of a round that nobody reads yet."""
    planned = _changeable(request, public_id, number)
    vocabulary = vocabulary_of(planned)
    initial = {
        "phase": planned.phase,
        "margin_s": planned.texts.margin_s,
        "reasons": "\n".join(reason.title for reason in vocabulary.reasons),
    }
    form = TextRoundForm(vocabulary, request.POST or None, initial=initial)
    if form.is_valid():
        sent = {"reasons": [reason.title for reason in vocabulary.reasons], **form.cleaned_data}
        sent["phase"] = Phase(sent["phase"])
        try:
            change_text_round(planned=planned, actor=signed_in_user(request), **sent)
            return redirect("text-round", public_id, number)
        except (ValidationError, ProtocolError) as error:
            form.add_error(None, str(error) if isinstance(error, ProtocolError) else error)
    context = {"section": "campaigns", "campaign": planned.campaign, "round": planned, "form": form}
    return render(request, "texts/round_edit.html", context)


@researcher_required
@require_POST
def text_round_open(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    planned = _changeable(request, public_id, number)
    with refusals_shown(request):
        result = open_text_round(planned=planned, actor=signed_in_user(request))
        messages.success(
            request, f"Round {number} is open: {result.added_count:,} texts are in the queues."
        )
        if short := result.short_trace_count:
            messages.warning(request, f"{short:,} texts lack people: add some to the campaign.")
    return redirect("text-round", public_id, number)


@researcher_required
@require_POST
def text_round_close(request: HttpRequest, public_id: str, number: int) -> HttpResponse:
    closing = _changeable(request, public_id, number)
    with refusals_shown(request):
        close_round(closing=closing, actor=signed_in_user(request))
        messages.success(request, f"Round {number} is closed. Its verdicts stay as they are.")
    return redirect("text-round", public_id, number)


def _changeable(request: HttpRequest, public_id: str, number: int) -> Round:
    campaign = get_changeable_campaign(signed_in_user(request), public_id, TEXTS)
    return get_object_or_404(text_rounds(campaign), number=number)


@require_safe
@login_required
def text_next(request: HttpRequest, round_id: str) -> HttpResponse:
    """Go on to the user's next text of the round, or to the queue after the last.

    With `after` the text of that id is left for later.
    """
    # PostgreSQL raises an error for text with NUL in it.
    after = request.GET.get("after", "").replace("\x00", "")
    following = next_verdict_id(signed_in_user(request), round_id, after)
    return redirect("text", following) if following else redirect("queue")
