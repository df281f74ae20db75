import pytest

from generation.backends.video.providers.exceptions import MalformedAnswerError
from generation.backends.video.providers.provider import ErrorWords, JobPhase, Polling, StatusWords

WORDS = StatusWords(
    waiting=frozenset({"queued"}),
    done=frozenset({"ok"}),
    failed=frozenset({"bad"}),
    cancelled=frozenset({"gone"}),
)


@pytest.mark.parametrize(
    ("word", "phase"),
    [
        ("queued", JobPhase.WAITING),
        ("ok", JobPhase.DONE),
        ("bad", JobPhase.FAILED),
        ("gone", JobPhase.CANCELLED),
    ],
)
def test_status_word_has_its_phase(word, phase):
    assert WORDS.phase_of(word) is phase


def test_unknown_status_is_reported_with_the_known_ones():
    with pytest.raises(MalformedAnswerError, match="'OK'; expected one of bad, gone, ok, queued"):
        WORDS.phase_of("OK")


def test_pauses_grow_and_stay_at_the_longest():
    polling = Polling(first_pause_s=1.0, growth=2.0, longest_pause_s=5.0)

    assert [polling.pause_s(number) for number in (0, 1, 2, 3, 10_000)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_error_words_are_looked_for_in_code_and_message_apart():
    words = ErrorWords(refused_codes=("SAFETY",), spent_phrases=("enough credits",))

    assert words.is_refusal("Input.Safety.Text", "") is True
    assert words.is_refusal("", "safety first") is False
    assert words.is_spent("", "You do not have enough credits") is True
    assert words.is_spent("enough credits", "") is False
