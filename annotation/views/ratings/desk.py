"""The disagreement desk: the queue of cases of a campaign, one case, and its way to a guideline."""

from dataclasses import dataclass
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_POST, require_safe

from annotation.engine.campaigns.guideline import GuidelineError
from annotation.models import Case, User
from annotation.permissions import researcher_required, signed_in_user
from annotation.selectors.campaigns.campaigns import get_changeable_campaign
from annotation.selectors.corpus.corpus import event_names
from annotation.selectors.ratings.audit import AuditPage, preview_page
from annotation.selectors.ratings.desk import (
    Desk,
    case_filters,
    cases_of,
    comment_counts,
    count_cases,
    get_case,
    get_decidable_case,
    get_desk,
)
from annotation.selectors.ratings.desk_cases import (
    CaseAnswer,
    CaseDiscussion,
    answers_of,
    discussion_of,
    title_of,
)
from annotation.services.ratings.desk import DeskError, draft_from_case, draw_cases
from annotation.tables import Filter, ListColumn, PagedTable, TableKind, read_table
from annotation.views.videos.players import Player, players_of

TABLE_KEY = "cases"


@dataclass(frozen=True, slots=True)
class ShownCase:
    case: Case
    title: str
    event: str
    answers: tuple[CaseAnswer, ...]
    comment_count: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a case stands in the queue that its reader came from; ids are "" at the ends."""

    number: int
    total: int
    previous: str
    following: str


@require_safe
@login_required
def desk(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    desk_ = get_desk(user, public_id)
    cases = cases_of(user, desk_)
    table = _table(request, user, desk_)
    page = list(table.page)
    answers = answers_of(page, user, desk_)
    events, comments = event_names(case.trace_id for case in page), comment_counts(page)
    context = {
        "desk": desk_,
        "campaign": desk_.campaign,
        "table": table,
        "rows": [
            ShownCase(
                case=case,
                title=title_of(case),
                event=events.get(case.event_id or 0, "Whole trace"),
                answers=answers.get(case.pk, ()),
                comment_count=comments.get(case.pk, 0),
            )
            for case in page
        ],
        "counts": count_cases(cases),
        "query": request.GET.urlencode(),
        "section": "campaigns" if desk_.is_researcher else "queue",
    }
    return render(request, "annotation/desk_page.html", context)


def _table(request: HttpRequest, user: User, desk: Desk) -> PagedTable:
    columns = (
        ListColumn("Disagreement", "score", is_number=True),
        ListColumn("Question", "metric"),
        ListColumn("About"),
        ListColumn("Answers"),
        ListColumn("Comments", is_number=True),
        ListColumn("State", "state"),
    )
    filters = tuple(Filter(item.key, item.label, item.choices) for item in case_filters(user, desk))
    kind = TableKind(TABLE_KEY, columns, filters=filters)
    return read_table(request, kind, cases_of(user, desk))


@require_POST
@researcher_required
def desk_draw(request: HttpRequest, public_id: str) -> HttpResponse:
    user = signed_in_user(request)
    campaign = get_changeable_campaign(user, public_id)
    try:
        drawn = draw_cases(campaign=campaign, actor=user)
    except DeskError as error:
        messages.warning(request, str(error))
        return redirect("desk", public_id)
    parts = [
        f"{count:,} {word}"
        for count, word in (
            (drawn.added_count, "new"),
            (drawn.changed_count, "changed"),
            (drawn.removed_count, "gone"),
        )
        if count
    ]
    messages.success(request, f"Cases: {', '.join(parts)}." if parts else "Nothing has changed.")
    return redirect("desk", public_id)


@never_cache
@ensure_csrf_cookie
@require_safe
@login_required
def case_detail(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a case; the address carries the filters of the queue that it was opened from."""
    user = signed_in_user(request)
    case, desk = get_case(user, public_id)
    page = preview_page(trace=case.trace, user=user, round_=case.round)
    players = players_of(page, user, trace_title="Trace")
    discussion = discussion_of(case, user, desk)
    places = _neighbours(request, user, desk, case)
    index = None if case.event is None else case.event.index
    event = next((item for item in page.table.events if item.index == index), None)
    context = {
        "case": case,
        "desk": desk,
        "campaign": desk.campaign,
        "discussion": discussion,
        "event": event,
        "page": page,
        "players": players,
        "trace_title": "Trace",
        "places": places,
        "query": request.GET.urlencode(),
        "payload": _payload(discussion, user, page, players),
        "section": "campaigns" if desk.is_researcher else "queue",
    }
    return render(request, "annotation/desk_case.html", context)


def _payload(
    discussion: CaseDiscussion, user: User, page: AuditPage, players: list[Player]
) -> dict[str, object]:
    """What the page's modules need: the recordings, the event, addresses to send to."""
    case = discussion.case
    names = {"comments": "api-case-comments", "decision": "api-case-decision"}
    return page.to_dict() | {
        "case": case.public_id,
        "account": user.pk,
        "event": None if case.event is None else case.event.index,
        "comments": [comment.to_dict() for comment in discussion.comments],
        "urls": {
            "pictures": {item.side: item.pictures_url for item in players},
            **{key: reverse(name, args=[case.public_id]) for key, name in names.items()},
        },
    }


def _neighbours(request: HttpRequest, user: User, desk: Desk, case: Case) -> Neighbours:
    cases = cast("QuerySet[Case]", _table(request, user, desk).page.paginator.object_list)
    ids = list(cases.values_list("public_id", flat=True))
    if case.public_id not in ids:
        # It may have been decided while the filter shows open ones: go on with the first.
        return Neighbours(0, len(ids), "", ids[0] if ids else "")
    place = ids.index(case.public_id)
    following = ids[place + 1] if place + 1 < len(ids) else ""
    return Neighbours(place + 1, len(ids), ids[place - 1] if place else "", following)


@require_POST
@researcher_required
def case_guideline(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put the event into a draft of the guideline, and go there."""
    user = signed_in_user(request)
    case = get_decidable_case(user, public_id)
    try:
        draft = draft_from_case(case=case, actor=user)
    except (DeskError, GuidelineError) as error:
        messages.error(request, f"No draft was made: {error}")
        return redirect("case-detail", public_id)
    address = reverse("guideline-edit", args=[case.round.campaign.public_id, draft.number])
    return redirect(f"{address}?{urlencode({'case': public_id})}")
