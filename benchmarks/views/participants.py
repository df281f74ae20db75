"""Have a set answered: by a file, a model that is asked or trained, or a person."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.engine.corpus.formats.errors import FormatError
from annotation.permissions import researcher_required, signed_in_user
from annotation.views.records.errors import refusals_shown
from benchmarks import launch
from benchmarks.forms.participants import AskForm, ParticipantForm, TrainForm, UploadForm
from benchmarks.models import Assessment
from benchmarks.selectors.assessments import get_participant
from benchmarks.selectors.item_sets import get_item_set_for_user
from benchmarks.selectors.readers import reader_of
from benchmarks.services.answering import start_answering
from benchmarks.services.asking_prices import asking_price
from benchmarks.services.item_sets import ItemSetInUseError
from benchmarks.services.uploads import upload_answers
from benchmarks.views.set_page import set_page

SHOWN_PROBLEMS = 50


def _start(
    request: HttpRequest,
    public_id: str,
    kind: type[ParticipantForm],
    start: Callable[..., Assessment],
) -> HttpResponse:
    """Start a participant from its form, or show the page again with all errors."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    form = kind(request.POST, request.FILES, reader=reader_of(user, item_set))
    problems: list[str] = []
    if form.is_valid():
        try:
            assessment = start(item_set=item_set, request=form.to_request(), actor=user)
            return redirect("assessment", assessment.public_id)
        except ItemSetInUseError as error:
            messages.error(request, str(error))
            return redirect("item-sets")
        except FormatError as error:
            problems = [str(problem) for problem in error.problems[:SHOWN_PROBLEMS]]
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
    return set_page(request, item_set, form, problems)


@researcher_required
@require_POST
def set_upload(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, UploadForm, upload_answers)


@researcher_required
@require_POST
def set_ask(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, AskForm, launch.launch_assessment)


@researcher_required
@require_POST
def set_ask_price(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the page again, with what asking as the form says would cost."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    form = AskForm(request.POST, reader=reader_of(user, item_set))
    if not form.is_valid():
        return set_page(request, item_set, form)
    try:
        price = asking_price(item_set=item_set, request=form.to_request(), actor=user)
    except ValidationError as error:
        form.add_error(None, ValidationError(error.messages))
        return set_page(request, item_set, form)
    return set_page(request, item_set, form, price=price.words)


@researcher_required
@require_POST
def set_train(request: HttpRequest, public_id: str) -> HttpResponse:
    return _start(request, public_id, TrainForm, launch.launch_training)


@researcher_required
@require_POST
def person_add(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let the user, or somebody whom the owner of the set names, answer as a person."""
    user = signed_in_user(request)
    item_set = get_item_set_for_user(user, public_id)
    # PostgreSQL raises an error for text with NUL in it.
    username = request.POST.get("person-username", "").replace("\x00", "").strip()
    with refusals_shown(request):
        person = get_participant(user, item_set, username)
        assessment = start_answering(item_set=item_set, person=person, actor=user)
        if person == user:
            return redirect("answering", assessment.public_id)
        messages.info(request, f"{person.get_username()} finds the items under Benchmarks.")
    return redirect("item-set", public_id)
