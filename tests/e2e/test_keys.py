"""Which binding a press of keys finds: with Shift, Ctrl, Cmd and Caps Lock."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.e2e

BIND = """async (names) => {
  const { Keys } = await import("/static/annotation/js/keys.js");
  window.heard = [];
  document.activeElement.blur();
  const bindings = names.map((name) => (
    { keys: name.split("|"), shown: [], text: "", run: () => { heard.push(name); } }
  ));
  new Keys(bindings);
}"""
# The names of bindings that differ by Shift only, and such as the audit page has.
EDITOR = ["ArrowLeft", "Shift+ArrowLeft", "a", "A", "Ctrl+z", "Ctrl+Shift+z|Ctrl+y", "[", "?"]
AUDIT = ["ArrowLeft", "Enter", "n|N", "Ctrl+z|Ctrl+Z", "s|S|Ctrl+Enter", "?"]
CAPS_LOCK_Z = """() => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key: "Z", ctrlKey: true, bubbles: true })
)"""


def heard(page: Page, live_server, names: list[str], presses: list[str]) -> list[str]:
    page.goto(live_server.url + reverse("login"))
    # Its field takes the focus with the first picture of the page, which may come late.
    expect(page.locator("[autofocus]")).to_be_focused()
    page.evaluate(BIND, names)
    for press in presses:
        page.keyboard.press(press)
    return page.evaluate("() => heard")


def test_shift_finds_bindings_of_its_own_and_cmd_is_ctrl(page: Page, live_server):
    presses = [
        "ArrowLeft", "Shift+ArrowLeft", "a", "Shift+A", "Control+z", "Meta+z", "Control+Shift+Z",
        "Meta+Shift+Z", "Control+y", "[", "Shift+?", "Meta+a", "Meta+ArrowLeft", "Alt+ArrowLeft",
    ]  # fmt: skip

    assert heard(page, live_server, EDITOR, presses) == [
        "ArrowLeft", "Shift+ArrowLeft", "a", "A", "Ctrl+z", "Ctrl+z", EDITOR[5], EDITOR[5],
        EDITOR[5], "[", "?",
    ]  # fmt: skip
    page.evaluate(CAPS_LOCK_Z)
    assert page.evaluate("() => heard.at(-1)") == "Ctrl+z"


def test_shift_changes_nothing_where_nothing_is_bound_to_it(page: Page, live_server):
    presses = [
        "ArrowLeft", "Shift+ArrowLeft", "Shift+Enter", "Shift+N", "Control+z", "Control+Shift+Z",
        "Control+Enter", "Shift+?", "Meta+n",
    ]  # fmt: skip

    assert heard(page, live_server, AUDIT, presses) == [
        "ArrowLeft", "ArrowLeft", "Enter", "n|N", "Ctrl+z|Ctrl+Z", "Ctrl+z|Ctrl+Z",
        "s|S|Ctrl+Enter", "?",
    ]  # fmt: skip
