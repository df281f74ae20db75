"""How the questions of the audit page are laid out: in no state does one thing cover another."""

import pytest
from playwright.sync_api import Page

from tests.e2e.audit_page import open_audit, wait_until_playable

pytestmark = pytest.mark.e2e

SIZES = [(1280, 800), (1920, 1080), (390, 844), (640, 400)]
# Two pieces of the questions that stand on each other, or one that leaves its card. A title is as
# long as its words, not as wide as its box.
FAULTS = """() => {
  const boxOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return (element.matches("legend, p") ? range : element).getBoundingClientRect();
  };
  const faults = [];
  for (const question of document.querySelectorAll("[data-metric]:not([hidden])")) {
    const parts = "legend, p, summary, .implied-note, .segmented, .sure > .small, .ends, .doubt";
    const found = [...question.querySelectorAll(parts)]
      .filter((part) => part.checkVisibility())
      .map((part) => [part.className || part.tagName, boxOf(part)]);
    const own = question.getBoundingClientRect();
    found.forEach(([name, box], index) => {
      if (box.left < own.left || box.right > own.right + .5 || box.bottom > own.bottom + .5) {
        faults.push(`${question.dataset.metric}: ${name} leaves its question`);
      }
      for (const [other, second] of found.slice(index + 1)) {
        const across = Math.min(box.right, second.right) - Math.max(box.left, second.left);
        const along = Math.min(box.bottom, second.bottom) - Math.max(box.top, second.top);
        if (across > 1 && along > 1) faults.push(`${question.dataset.metric}: ${name} on ${other}`);
      }
    });
  }
  return faults;
}"""
PLACES = """() => [...document.querySelectorAll("[data-questions] > *")]
  .map((each) => [each.offsetTop, each.offsetHeight])"""


@pytest.mark.parametrize("size", SIZES, ids=[f"{width}x{height}" for width, height in SIZES])
def test_nothing_covers_anything_in_any_state_of_a_question(page: Page, live_server, audit, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_audit(page, live_server, audit)
    wait_until_playable(page)
    question = page.locator("[data-metric=human_plausibility]")
    at_rest = page.evaluate(PLACES)
    faults = {"at rest": page.evaluate(FAULTS)}

    question.hover()
    faults["hover"] = page.evaluate(FAULTS)
    question.locator("input").first.focus()
    faults["focus"] = page.evaluate(FAULTS)
    places = page.evaluate(PLACES)
    page.keyboard.press("0")
    faults["reasons"] = page.evaluate(FAULTS)
    question.locator("summary").click()
    faults["details"] = page.evaluate(FAULTS)
    page.locator("[data-metric=procedure_logic] label:has(input[value=no])").click()
    faults["implied"] = page.evaluate(FAULTS)
    page.locator("[data-event='']").click()
    faults["whole trace"] = page.evaluate(FAULTS)

    assert faults == {state: [] for state in faults}
    assert places == at_rest


@pytest.mark.parametrize("size", SIZES, ids=[f"{width}x{height}" for width, height in SIZES])
def test_the_comment_is_seen_whole_while_one_writes_it(page: Page, live_server, audit, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    open_audit(page, live_server, audit)

    page.keyboard.press("c")
    hidden = page.evaluate("""() => {
      const field = document.activeElement.getBoundingClientRect();
      const list = document.querySelector("[data-questions]").getBoundingClientRect();
      const end = Math.min(list.bottom, window.innerHeight);
      return [list.top - field.top, field.bottom - end].map((cut) => Math.max(0, Math.round(cut)));
    }""")

    assert hidden == [0, 0]
