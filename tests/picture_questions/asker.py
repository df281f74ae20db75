"""The kind above the core: all that is to be written for it."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from decimal import Decimal

from generation.backends.exceptions import Outcome, outcome_of
from generation.models import TextEndpoint
from generation.selectors.calls.admission import question_of
from generation.services.calls.asker import Asker
from generation.services.calls.claims import End, record
from tests.picture_questions.models import PictureCall

PRICE = Decimal("0.5")


@dataclass(frozen=True, slots=True)
class PictureQuestion:
    picture: str
    wording: str = "How well is the cup held?"
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class PictureAsker(Asker[TextEndpoint, PictureQuestion, int]):
    """Asks a grader, which stands for a server."""

    _: KW_ONLY
    grader: Callable[[PictureQuestion], int]
    lease = timedelta(seconds=30)

    def question(self, request):
        columns = {"picture": request.picture, "wording": request.wording, "parameters": {}}
        server = [self.endpoint.base_url, self.endpoint.model_name]
        return question_of(
            PictureCall, self.endpoint, server=server, columns=columns, repeat=request.repeat
        )

    def highest_price(self, request):
        return PRICE

    def ready(self, request, question, wait):
        return nullcontext(self.grader)

    def send(self, request, admitted, opened):
        try:
            grade = opened(request)
        except Exception as error:
            free = {"is_free": True}
            record(admitted, End(outcome_of(error), "failed", str(error), attempt=free))
            raise
        columns = {"grade": grade, "price": PRICE}
        end = End(Outcome.ANSWERED, "answered", call=columns, attempt={"price": PRICE})
        record(admitted, end)
        return grade

    def read(self, call, request):
        return call.grade
