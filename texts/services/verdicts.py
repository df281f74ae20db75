"""A person's verdict on a text: begun, answered blind, given, changed until the round closes."""

from dataclasses import asdict, dataclass

from django.db import transaction
from django.utils import timezone

from annotation.engine.exceptions import NotNowError
from annotation.models import Round, User
from annotation.selectors.campaigns.protocol import consent_to_ask
from annotation.services.records.audit_log import record
from annotation.services.records.locks import lock_work, share_round, writing_turn
from texts.engine.deciding import DECIDING_PLACE, GivenVerdict, differ
from texts.engine.vocabulary import Vocabulary
from texts.models import TextItem, TextVerdict
from texts.selectors.verdicts import given_of, own_verdict, own_verdicts
from texts.services.rounds import reserve_deciding, unbegun

LONGEST_TEXT = 2000


@dataclass(frozen=True, slots=True)
class SentVerdict:
    """A verdict as a page sends it; `revision` is the one that the page showed."""

    verdict: str
    reasons: tuple[str, ...] = ()
    note: str = ""
    text: str = ""
    answer: str = ""
    revision: int = 0
    seconds: float | None = None


class InvalidVerdictError(ValueError):
    """A field has a value that the round does not take; nothing is stored."""

    def __init__(self, field: str, value: str, expected: str) -> None:
        self.field, self.value, self.expected = field, value[:80], expected
        super().__init__(f"{field} is {self.value!r}; expected {expected}")


class VerdictClosedError(NotNowError):
    """The verdict cannot be given or changed now; the message says why."""


class ConsentMissingError(VerdictClosedError):
    """The person has yet to accept the consent text of the campaign of `round`."""

    def __init__(self, round_: Round) -> None:
        self.round = round_
        super().__init__("accept the consent text of the campaign first")


class StaleVerdictError(NotNowError):
    """Another page of the same person has stored another verdict since.

    `theirs` is that; `differs` names the fields in which it is not what was sent.
    """

    def __init__(self, mine: GivenVerdict, note: str, theirs: TextVerdict) -> None:
        self.theirs = theirs
        sent = {**asdict(mine), "reasons": list(mine.reasons), "note": note}
        self.differs = tuple(name for name, value in sent.items() if getattr(theirs, name) != value)
        super().__init__("this text has another verdict from you since this page was opened")


def begin(*, public_id: str, actor: User) -> None:
    """Note when somebody opens a text first; nothing happens a second time, or in a closed round.

    Whoever shows the text has asked for consent before.
    """
    with writing_turn():
        own = own_verdicts(actor).filter(public_id=public_id, round__closed_at__isnull=True)
        own.filter(started_at__isnull=True).update(started_at=timezone.now())


def answer_blind(*, public_id: str, answer: str, actor: User) -> TextVerdict:
    """Store what somebody answers before the answer is shown; it is never changed."""
    if not answer.strip() or len(answer) > LONGEST_TEXT:
        expected = f"1 to {LONGEST_TEXT:,} characters"
        raise InvalidVerdictError("blind_answer", answer, expected)
    with writing_turn(), transaction.atomic():
        own = _locked(public_id, actor)
        _check_open(own, actor)
        if not own.blind_answer:
            own.blind_answer = answer.strip()
            own.started_at = own.started_at or timezone.now()
            own.save(update_fields=["blind_answer", "started_at"])
            record(actor=actor, action="text.answer", subject=f"text-verdict:{public_id}")
    return own


def give_verdict(*, public_id: str, sent: SentVerdict, actor: User) -> TextVerdict:
    """Store a verdict; the same one sent twice counts once.

    Where two people differ, the text goes to a third. Raises `InvalidVerdictError`,
    `StaleVerdictError`, `VerdictClosedError`, and `TextVerdict.DoesNotExist` for a `public_id` that
    is not the actor's.
    """
    with writing_turn(), transaction.atomic():
        own = _locked(public_id, actor)
        _check_open(own, actor)
        given = _checked(own, sent)
        note = sent.note.strip()
        if own.verdict and (given_of(own), own.note) == (given, note):
            return own
        if sent.revision != own.revision:
            raise StaleVerdictError(given, note, own)
        now = timezone.now()
        own.verdict, own.reasons = given.verdict, list(given.reasons)
        own.text, own.answer, own.note = given.text, given.answer, note
        own.revision += 1
        own.started_at = own.started_at or now
        own.given_at = own.given_at or now
        if sent.seconds is not None and own.seconds is None:
            longest = (now - own.started_at).total_seconds()
            own.seconds = round(min(max(sent.seconds, 0.0), longest), 1)
        own.save()
        record(
            actor=actor,
            action="text.verdict",
            subject=f"text-verdict:{public_id}",
            detail={"verdict": given.verdict, "revision": own.revision},
        )
        _settle(own)
    return own


def _locked(public_id: str, actor: User) -> TextVerdict:
    """One of the actor's own as it is now, with the lock of its text.

    Verdicts on one text are given one after the other: the second sees whether it differs.
    """
    places = own_verdicts(actor).values_list("item_id", "round_id")
    item_id, round_id = places.get(public_id=public_id)
    share_round(round_id)
    # In no order: that of texts would lock their campaign too, and one person could save at a time.
    # Who shares out the round has its works already, and gives a text to others meanwhile.
    items = TextItem.objects.select_for_update(no_key=True).order_by()
    list(items.filter(pk=item_id).values_list("pk"))
    # Its row too: who leaves takes places without a verdict along.
    lock_work(TextVerdict, public_id)
    return own_verdict(actor, public_id)


def _consent(own: TextVerdict, actor: User) -> bool:
    return own.started_at is None and consent_to_ask(actor, own.round.campaign_id) is not None


def _check_open(own: TextVerdict, actor: User) -> None:
    if own.round.is_closed:
        raise VerdictClosedError("this round is closed")
    if _consent(own, actor):
        raise ConsentMissingError(own.round)


def _checked(own: TextVerdict, sent: SentVerdict) -> GivenVerdict:
    """The verdict as it is stored: what its choice has no use for is left out."""
    about, item = own.round.texts, own.item
    vocabulary = Vocabulary.from_dict(about.vocabulary)
    choice = vocabulary.verdict(sent.verdict)
    if choice is None:
        names = ", ".join(verdict.name for verdict in vocabulary.verdicts)
        raise InvalidVerdictError("verdict", sent.verdict, f"one of {names}")
    if about.is_blind_first and item.answer and not own.blind_answer:
        raise VerdictClosedError("answer the question before you judge its answer")
    reasons = _checked_reasons(vocabulary, sent) if choice.asks_reason else ()
    for field, value in (("text", sent.text), ("answer", sent.answer), ("note", sent.note)):
        if len(value) > LONGEST_TEXT:
            raise InvalidVerdictError(field, value, f"at most {LONGEST_TEXT:,} characters")
    text, answer = (sent.text.strip(), sent.answer.strip()) if choice.edits else ("", "")
    if choice.edits:
        if not text:
            raise InvalidVerdictError("text", text, "the words that you would have instead")
        if item.answer and not answer:
            raise InvalidVerdictError("answer", answer, "the answer that you would have instead")
        if (text, answer) == (item.text, item.answer):
            raise InvalidVerdictError("text", text, "a change; accept the text if it is right")
    return GivenVerdict(choice.name, reasons, text, answer)


def _checked_reasons(vocabulary: Vocabulary, sent: SentVerdict) -> tuple[str, ...]:
    """The reasons in the order of the round, each once."""
    names = [reason.name for reason in vocabulary.reasons]
    if not sent.reasons or not set(sent.reasons) <= set(names):
        value, expected = ", ".join(sent.reasons), f"one or several of {', '.join(names)}"
        raise InvalidVerdictError("reasons", value, expected)
    return tuple(name for name in names if name in sent.reasons)


def _settle(own: TextVerdict) -> None:
    """Have a third decide where two differ; take a text back that nobody need decide any more."""
    if own.place == DECIDING_PLACE:
        return
    places = {item.place: item for item in TextVerdict.objects.filter(item=own.item_id).order_by()}
    given = {place: given_of(item) for place, item in places.items() if item.verdict}
    if differ(given):
        if DECIDING_PLACE not in places:
            reserve_deciding(own.round, own.item_id)
    elif DECIDING_PLACE in places:
        # Opened at this moment, it stays.
        unbegun(own.round).filter(pk=places[DECIDING_PLACE].pk).delete()
