"""Segments are never lost or torn in a real browser, whatever goes wrong while they are saved."""

import json
import random
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page

from annotation.models import Take
from annotation.services.campaigns.rounds import close_round
from segments.models import SegmentEvent
from tests.e2e.segment_work import (
    APART,
    DRAW_GESTURES,
    begin_work,
    do,
    expect_same_everywhere,
    segmentation_to_work_on,
    shown,
    state_of,
    stored,
    there,
    wait_for_state,
    wait_until_saved,
)
from tests.e2e.site import enter

pytestmark = pytest.mark.e2e

GESTURES = "**/gestures/"
FIRST = 'held.draw("steps", 10, 20, { step_id: "1" })'
SECOND = 'held.draw("steps", 30, 40, { step_id: "2" })'
UNDO = "() => work.undo.undo()"
REDO = "() => work.undo.redo()"
UNDO_ALL = "() => { let count = 0; while (work.undo.undo().isDone) count += 1; return count; }"
REDO_ALL = "() => { let count = 0; while (work.undo.redo().isDone) count += 1; return count; }"


@pytest.fixture
def own(transactional_db):
    return segmentation_to_work_on()


def start_of(page: Page, at_s: float) -> str:
    """The key of the segment that begins at a moment."""
    script = "(at) => work.book.segments().find(({ start_s }) => start_s === at).key"
    return page.evaluate(script, at_s)


def test_fifty_gestures_are_undone_and_redone_across_reloads(page: Page, live_server, own):
    begin_work(page, live_server, own)

    assert page.evaluate(DRAW_GESTURES, [5, 50]) == 50
    after_all = there(page)
    wait_until_saved(page)
    expect_same_everywhere(page, own)
    begin_work(page, live_server, own)
    assert there(page) == after_all
    assert page.evaluate("() => { for (let n = 0; n < 20; n += 1) work.undo.undo(); }") is None
    wait_until_saved(page)
    begin_work(page, live_server, own)
    assert page.evaluate(UNDO_ALL) == 30
    assert there(page) == {}
    assert page.evaluate(UNDO)["words"] == "There is nothing to undo."
    assert page.evaluate(REDO_ALL) == 50
    wait_until_saved(page)

    assert there(page) == after_all
    expect_same_everywhere(page, own)
    # Undoing and redoing are gestures like any other.
    assert own.head == 150


def test_thirty_gestures_offline_are_thirty_events_after_a_reload(
    page: Page, context: BrowserContext, live_server, own
):
    begin_work(page, live_server, own)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route(GESTURES, lambda route: route.abort())

    assert page.evaluate(DRAW_GESTURES, [8, 30]) == 30
    wait_for_state(page, "offline")
    before = shown(page)
    assert SegmentEvent.objects.count() == 0
    begin_work(page, live_server, own)
    assert page.evaluate("() => work.left") == 30
    assert shown(page) == before
    page.unroute(GESTURES)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    wait_until_saved(page)

    expect_same_everywhere(page, own)
    assert own.head == 30
    assert page.evaluate(UNDO)["isDone"]


def test_a_gesture_whose_answer_was_lost_counts_once(page: Page, live_server, own):
    begin_work(page, live_server, own)

    def deliver_and_lose(route):
        route.fetch()
        route.abort()

    page.route(GESTURES, deliver_and_lose, times=1)
    do(page, FIRST)
    wait_for_state(page, "offline")
    do(page, SECOND)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    wait_until_saved(page)

    expect_same_everywhere(page, own)
    assert own.head == 2
    # The same on a page that was loaded anew in between.
    page.on("dialog", lambda dialog: dialog.accept())
    page.route(GESTURES, deliver_and_lose, times=1)
    do(page, 'held.moveEdge(work.book.segments()[0].key, "end", 25)')
    wait_for_state(page, "offline")
    begin_work(page, live_server, own)
    do(page, 'held.moveEdge(work.book.segments()[0].key, "start", 5)')
    wait_until_saved(page)
    expect_same_everywhere(page, own)
    assert own.head == 4


def test_two_tabs_merge_different_segments_silently(
    page: Page, context: BrowserContext, live_server, own
):
    begin_work(page, live_server, own)
    do(page, FIRST)
    do(page, SECOND)
    wait_until_saved(page)
    other = context.new_page()
    begin_work(other, live_server, own)

    do(other, f'held.moveEdge("{start_of(other, 30)}", "end", 50)')
    wait_until_saved(other)
    do(page, f'held.write("{start_of(page, 10)}", "Pour")')
    wait_until_saved(page)

    expect_same_everywhere(page, own)
    assert [row["end_s"] for row in there(page).values()] == [20, 50]


def test_an_idle_tab_hears_what_another_one_has_saved(
    page: Page, context: BrowserContext, live_server, own
):
    begin_work(page, live_server, own)
    do(page, FIRST)
    wait_until_saved(page)
    idle = context.new_page()
    begin_work(idle, live_server, own)

    do(page, SECOND)
    wait_until_saved(page)

    idle.wait_for_function("() => work.book.segments().length === 2")
    assert idle.evaluate("() => work.outbox.pending.length") == 0
    expect_same_everywhere(idle, own)


def conflicting(page: Page, context: BrowserContext, live_server, own) -> Page:
    """Two tabs that moved the same shared edge; the second stands before a choice."""
    context.add_init_script(APART)
    begin_work(page, live_server, own)
    do(page, FIRST)
    do(page, 'held.draw("steps", 20, 40, { step_id: "2" })')
    wait_until_saved(page)
    other = context.new_page()
    begin_work(other, live_server, own)
    do(page, f'held.moveEdge("{start_of(page, 10)}", "end", 15)')
    wait_until_saved(page)
    other.route(GESTURES, lambda route: route.abort())
    do(other, f'held.moveEdge("{start_of(other, 10)}", "end", 25)')
    do(other, f'held.write("{start_of(other, 25)}", "Pour")')
    do(other, 'held.draw("steps", 60, 70, { step_id: "3" })')
    other.unroute(GESTURES)
    other.evaluate("() => window.dispatchEvent(new Event('online'))")
    wait_for_state(other, "conflict")
    return other


def test_a_gesture_that_conflicts_is_refused_whole_and_can_be_kept(
    page: Page, context: BrowserContext, live_server, own
):
    other = conflicting(page, context, live_server, own)
    [conflict] = other.evaluate("() => work.outbox.conflicts")

    assert conflict["name"] == "move end"
    assert [(row["start_s"], row["end_s"]) for row in conflict["mine"]] == [(10, 25), (25, 40)]
    assert [(row["start_s"], row["end_s"]) for row in conflict["theirs"]] == [(10, 15), (15, 40)]
    assert conflict["laterCount"] == 1
    assert sorted(row["end_s"] for row in stored(own).values()) == [15, 40]
    other.evaluate("() => work.outbox.resolve(true)")
    wait_until_saved(other)

    expect_same_everywhere(other, own)
    assert [(row["start_s"], row["end_s"], row["text"]) for row in there(other).values()] == [
        (10, 25, ""),
        (25, 40, "Pour"),
        (60, 70, ""),
    ]


def test_a_conflict_can_end_as_it_is_saved_and_undo_says_what_it_cannot(
    page: Page, context: BrowserContext, live_server, own
):
    other = conflicting(page, context, live_server, own)

    other.evaluate("() => work.outbox.resolve(false)")
    wait_until_saved(other)

    expect_same_everywhere(other, own)
    assert [(row["start_s"], row["end_s"], row["text"]) for row in there(other).values()] == [
        (10, 15, ""),
        (15, 40, ""),
        (60, 70, ""),
    ]
    assert other.evaluate(UNDO)["words"] == "Undone: draw."
    refused = other.evaluate(UNDO)
    assert refused["words"] == ("Not undone: text. The segment has been changed elsewhere since.")
    # What was taken back before can still be done again.
    assert other.evaluate(REDO)["words"] == "Done again: draw."
    wait_until_saved(other)
    expect_same_everywhere(other, own)


@pytest.mark.parametrize("seed", [1, 2])
def test_two_tabs_of_random_gestures_end_as_the_log_says(
    page: Page, context: BrowserContext, live_server, own, seed
):
    begin_work(page, live_server, own)
    page.evaluate(DRAW_GESTURES, [seed, 12])
    wait_until_saved(page)
    other = context.new_page()
    begin_work(other, live_server, own)
    rng, conflict_count = random.Random(seed), 0

    for number in range(6):
        # One works on without a connection while the other one saves.
        away, here = rng.sample([page, other], 2)
        away.route(GESTURES, lambda route: route.abort())
        away.evaluate(DRAW_GESTURES, [100 * seed + number, 6])
        here.evaluate(DRAW_GESTURES, [1000 * seed + number, 3])
        wait_until_settled(here, rng)
        away.unroute(GESTURES)
        away.evaluate("() => window.dispatchEvent(new Event('online'))")
        conflict_count += wait_until_settled(away, rng)

    for tab in (page, other):
        assert tab.evaluate("() => work.refused") == []
        tab.evaluate("() => work.outbox.refresh()")
        expect_same_everywhere(tab, own)
    assert conflict_count > 0


def wait_until_settled(tab: Page, rng: random.Random) -> int:
    """Wait until all is saved; choose at every conflict, and tell how many there were."""
    for count in range(30):
        tab.wait_for_function(
            "() => work.outbox.state === 'conflict'"
            " || (work.outbox.state === 'saved' && !work.outbox.pending.length)"
        )
        if state_of(tab) == "saved":
            return count
        tab.evaluate("(keepsMine) => work.outbox.resolve(keepsMine)", rng.random() < 0.5)
    raise AssertionError("conflicts without end")


def test_an_expired_login_in_mid_work_loses_nothing(
    page: Page, context: BrowserContext, live_server, own
):
    begin_work(page, live_server, own)
    do(page, FIRST)
    wait_until_saved(page)
    Session.objects.all().delete()

    do(page, SECOND)
    wait_for_state(page, "login")
    do(page, f'held.split("{start_of(page, 30)}", 35)')
    enter(page, live_server, own.person)
    page.evaluate("() => work.outbox.retryNow()")
    wait_until_saved(page)

    expect_same_everywhere(page, own)
    assert len(there(page)) == 3


def test_work_of_a_closed_round_stays_readable_and_can_be_kept_as_a_file(
    page: Page, live_server, own
):
    begin_work(page, live_server, own)
    do(page, FIRST)
    wait_until_saved(page)
    close_round(closing=own.round, actor=None)

    do(page, SECOND)
    wait_for_state(page, "closed")

    assert page.evaluate("() => work.outbox.refusal.detail") == "this round is closed"
    assert len(there(page)) == 2
    kept = json.loads(page.evaluate("() => work.outbox.asFile()"))
    assert [row["start_s"] for row in kept["segments"]] == [10, 30]
    assert [row["name"] for row in kept["unsaved"]] == ["draw"]
    assert len(stored(own)) == 1
    page.evaluate("() => work.outbox.discard()")
    assert len(there(page)) == 1


def test_work_on_a_replaced_recording_is_set_aside(page: Page, live_server, own):
    begin_work(page, live_server, own)
    do(page, FIRST)
    wait_until_saved(page)
    Take.objects.update(content_hash="another")

    do(page, SECOND)
    wait_for_state(page, "replaced")

    assert page.evaluate("() => work.outbox.replacedWords()") == [
        "draw: steps, 30 to 40 s: Do part 2"
    ]
    assert len(stored(own)) == 1


def test_typing_is_one_gesture_for_each_pause_and_survives_a_reload(page: Page, live_server, own):
    begin_work(page, live_server, own)
    page.on("dialog", lambda dialog: dialog.accept())
    do(page, FIRST)
    wait_until_saved(page)
    key = start_of(page, 10)
    type_text = """([key, text]) => {
      for (let length = 1; length <= text.length; length += 1) {
        work.book.type(work.hands(work.book).write(key, text.slice(0, length)));
      }
      return work.undo.next;
    }"""

    assert page.evaluate(type_text, [key, "Pour oil"]) == "draw"
    page.wait_for_function("() => work.undo.next === 'text'")
    wait_until_saved(page)
    assert [event.name for event in SegmentEvent.objects.all()] == ["draw", "text"]
    page.evaluate(type_text, [key, "Pour oil and wait"])
    begin_work(page, live_server, own)
    wait_until_saved(page)

    assert there(page)[key]["text"] == "Pour oil and wait"
    expect_same_everywhere(page, own)
    assert own.head == 3


def test_what_waits_for_a_busy_disk_when_the_page_is_left_is_kept(page: Page, live_server, own):
    begin_work(page, live_server, own)
    page.on("dialog", lambda dialog: dialog.accept())
    do(page, FIRST)
    wait_until_saved(page)
    key = start_of(page, 10)
    # Nothing else is written to the browser's database while this transaction goes on and on.
    page.evaluate("""() => new Promise((resolve) => {
      indexedDB.open("piev").onsuccess = ({ target: { result } }) => {
        const store = result.transaction("changes", "readwrite").objectStore("changes");
        const goOn = () => { store.count().onsuccess = goOn; };
        goOn();
        resolve();
      };
    })""")

    page.evaluate(
        "([key, text]) => work.book.type(work.hands(work.book).write(key, text))",
        [key, "Pour oil and wait"],
    )
    begin_work(page, live_server, own)
    wait_until_saved(page)

    assert there(page)[key]["text"] == "Pour oil and wait"
    expect_same_everywhere(page, own)
    assert [event.name for event in SegmentEvent.objects.all()] == ["draw", "text"]
    assert (
        page.evaluate("() => Object.keys(localStorage).filter((name) => name.includes('left'))")
        == []
    )


def test_a_browser_that_is_open_since_before_keeps_what_can_be_undone(page: Page, live_server, own):
    """A page from before undoing was kept holds its database open, and asks for nothing newer."""
    page.add_init_script("""
      window.older = new Promise((resolve) => {
        const request = indexedDB.open("piev", 1);
        request.onupgradeneeded = () => {
          const store = request.result.createObjectStore("changes", { keyPath: "id" });
          store.createIndex("scope", "scope");
        };
        request.onsuccess = () => resolve(request.result);
      });
    """)
    begin_work(page, live_server, own)
    do(page, FIRST)
    wait_until_saved(page)

    names = page.evaluate(
        "async () => (await indexedDB.databases()).map(({ name }) => name).sort()"
    )
    begin_work(page, live_server, own)

    assert names == ["piev", "piev-undo"]
    assert page.evaluate("() => Object.keys(localStorage)") == []
    assert page.evaluate(UNDO)["words"] == "Undone: draw."


def test_a_copied_tab_takes_a_name_of_its_own(
    page: Page, context: BrowserContext, live_server, own
):
    begin_work(page, live_server, own)
    name = page.evaluate("() => sessionStorage.getItem('piev:tab')")
    other = context.new_page()
    other.add_init_script(
        f"sessionStorage.getItem('piev:tab') ?? sessionStorage.setItem('piev:tab', '{name}')"
    )
    begin_work(other, live_server, own)
    begin_work(page, live_server, own)

    assert page.evaluate("() => sessionStorage.getItem('piev:tab')") == name
    assert other.evaluate("() => sessionStorage.getItem('piev:tab')") != name


def test_five_hundred_gestures_can_be_undone_and_no_more(page: Page, live_server, own):
    begin_work(page, live_server, own)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route(GESTURES, lambda route: route.abort())
    do(page, FIRST)
    write = """() => {
      const [{ key }] = work.book.segments();
      for (let n = 0; n < 504; n += 1) work.book.do(work.hands(work.book).write(key, `text ${n}`));
    }"""

    page.evaluate(write)
    wait_for_state(page, "offline")
    page.wait_for_function("async () => (await work.undo.store.all()).length === 500")
    begin_work(page, live_server, own)

    assert page.evaluate(UNDO_ALL) == 500
    assert [row["text"] for row in there(page).values()] == ["text 3"]


def test_without_a_database_work_and_undo_survive_a_reload(page: Page, live_server, own):
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined });")
    begin_work(page, live_server, own)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route(GESTURES, lambda route: route.abort())
    do(page, FIRST)
    wait_for_state(page, "offline")

    begin_work(page, live_server, own)
    page.unroute(GESTURES)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    wait_until_saved(page)

    assert len(stored(own)) == 1
    assert page.evaluate(UNDO)["words"] == "Undone: draw."
    wait_until_saved(page)
    expect_same_everywhere(page, own)


def test_work_is_saved_where_the_browser_keeps_nothing(page: Page, live_server, own):
    page.add_init_script(
        "for (const name of ['indexedDB', 'localStorage', 'sessionStorage'])"
        " Object.defineProperty(window, name, { get() { throw new DOMException(name); } });"
    )
    begin_work(page, live_server, own)

    do(page, FIRST)
    wait_until_saved(page)

    assert len(stored(own)) == 1


def test_a_browser_whose_clock_runs_ahead_loses_no_gesture(page: Page, live_server, own):
    begin_work(page, live_server, own)
    page.evaluate("() => { work.outbox.clock.aheadMs -= 86_400_000; }")

    do(page, FIRST)
    wait_until_saved(page)

    [event] = SegmentEvent.objects.all()
    assert abs(event.made_at - timezone.now()) < timedelta(minutes=1)
    expect_same_everywhere(page, own)


def test_a_gesture_that_the_server_will_not_take_goes_with_what_was_built_on_it(
    page: Page, live_server, own
):
    begin_work(page, live_server, own)
    page.route(GESTURES, lambda route: route.abort())
    do(page, FIRST)
    do(page, f'held.write("{start_of(page, 10)}", "Pour")')
    do(page, SECOND)
    # What no page makes: the server knows no such track.
    page.evaluate("() => { work.outbox.pending[0].gesture.changes[0].insert.track = 'none'; }")
    page.unroute(GESTURES)
    page.evaluate("() => window.dispatchEvent(new Event('online'))")
    wait_until_saved(page)
    page.wait_for_function(
        "() => [...work.book.state.segments.values()].filter((row) => !row.is_deleted).length === 1"
    )

    assert [row["start_s"] for row in there(page).values()] == [30]
    [reason] = page.evaluate("() => work.refused")
    assert "track is 'none'" in reason
    expect_same_everywhere(page, own)
