"""The audit page in a browser: opened by its rater, rated by digits, watched."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.e2e.site import enter
from tests.factories import PASSWORD

# Answers by digit, question by question: validity yes, plausible 4, confusable 2, logic intact
# and sure of it, taxonomy wrong execution, video 5. What follows from "intact" is not asked.
CALM_EVENT = ["2", "4", "2", "1", "3", "5", "5"]
# Logic broken, so that order and state are asked as well.
BROKEN_EVENT = ["2", "3", "1", "2", "2", "2", "2", "1", "4"]
STORED_CALM = {
    "error_validity": ("yes", None, False),
    "human_plausibility": ("4", None, False),
    "confusability": ("2", None, False),
    "procedure_logic": ("no", 3, False),
    "sequence_consistency": ("5", None, True),
    "state_change_coherence": ("no", None, True),
    "taxonomy_fit": ("WE", None, False),
    "video_plausibility": ("5", None, False),
}
STORED_BROKEN = {
    "error_validity": ("yes", None, False),
    "human_plausibility": ("3", None, False),
    "confusability": ("1", None, False),
    "procedure_logic": ("yes", 2, False),
    "sequence_consistency": ("2", None, False),
    "state_change_coherence": ("yes", None, False),
    "taxonomy_fit": ("D", None, False),
    "video_plausibility": ("4", None, False),
}


def type_login(page: Page, username: str) -> None:
    """Type name and password where the login form has put the cursor."""
    page.locator("[name=username]").focus()
    page.keyboard.type(username)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")


def open_audit(page: Page, live_server, audit) -> None:
    if not page.context.cookies():
        enter(page, live_server, audit.rater)
    page.goto(live_server.url + reverse("audit", args=[audit.assignment.public_id]))
    if page.locator("[name=username]").count():
        type_login(page, audit.rater.username)
    wait_until_ready(page)


def wait_until_ready(page: Page) -> None:
    page.wait_for_selector("html[data-ready]")


def save_state(page: Page):
    return page.locator("#save-state")


def expect_saved(page: Page) -> None:
    """Of ratings and of segments."""
    # What a key or a button began is under way once the page has drawn again.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    expect(save_state(page)).to_have_text("All changes saved")


def continue_after_login(page: Page) -> None:
    """Press the button, unless the page has found out by itself, which it does when it is seen."""
    page.evaluate("() => document.querySelector('#login-dialog[open] [data-continue]')?.click()")


def rate_event(page: Page, digits: list[str]) -> None:
    """Answer the open questions one after the other, a key each."""
    for digit in digits:
        page.keyboard.press(digit)


def stored(answers: dict, event: int | None) -> dict:
    return {(event, metric): answer for metric, answer in answers.items()}


def wait_until_playable(page: Page) -> None:
    page.wait_for_function(
        "() => [...document.querySelectorAll('video')].every((video) => video.readyState >= 2)"
    )


def play_until(page: Page, second: float, *, side: int = 1) -> None:
    """Play, and stop when a side (1: the trace) has come to a second.

    The page presses the key itself: a recording goes on while a busy machine tells where it is.
    """
    page.keyboard.press("Space")
    page.wait_for_function(
        """([side, second]) => {
          if (document.querySelectorAll("video")[side].currentTime < second) return false;
          const key = { key: "k", bubbles: true, cancelable: true };
          return document.body.dispatchEvent(new KeyboardEvent("keydown", key)) || true;
        }""",
        arg=[side, second],
    )


def times_of(page: Page) -> list[float]:
    script = "() => [...document.querySelectorAll('video')].map((video) => video.currentTime)"
    return [round(time, 2) for time in page.evaluate(script)]
