"""Work on segments in a browser without the page around it: book, outbox and undo stack alone.

They run on a page that shows no segments, with what the API tells, and stand in `window.work`.
"""

from typing import Any

from django.urls import reverse
from playwright.sync_api import Page

from segments.models import Segmentation
from segments.selectors.history import state_at
from segments.selectors.saving import stored_segments
from tests.e2e.site import enter
from tests.factories import (
    SegmentationFactory,
    SegmentRecordingFactory,
    SegmentRoundFactory,
    StepFactory,
    TakeFactory,
    VideoFactory,
    VideoIngestFactory,
)

DURATION_S = 300.0
# As in two browsers, which hear nothing of one another.
APART = """window.BroadcastChannel = class { addEventListener() {} postMessage() {} };"""
BEGIN = """async (address) => {
  const [shared, own] = ["/static/annotation/js", "/static/segments/js"];
  const [{ createBook }, { hands }, undoing, outboxes, stores, { Clock }] = await Promise.all([
    import(`${own}/book.js`), import(`${own}/gestures.js`),
    import(`${own}/undo.js`), import(`${own}/outbox.js`),
    import(`${shared}/change_store.js`), import(`${shared}/clock.js`),
  ]);
  const data = await (await fetch(address)).json();
  const book = createBook(data);
  const scope = `${data.account}:${data.id}`;
  const tab = await undoing.tabName();
  const outbox = outboxes.createSegmentOutbox(data, book, {
    store: await stores.openChangeStore(scope), clock: new Clock(data.now),
  });
  const undo = await undoing.createUndo(book, await stores.openUndoStore(`${scope}:${tab}`));
  const refused = [];
  outbox.addEventListener("refused", ({ detail }) => refused.push(detail.reason));
  window.work = { data, book, outbox, undo, refused, hands, left: (await outbox.start()).length };
}"""
# Gestures of all sorts, drawn; those for which there is no room are drawn anew.
DRAW_GESTURES = """([seed, count]) => {
  const { book, hands } = window.work;
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const among = (items) => items[Math.floor(random() * items.length)];
  const held = hands(book);
  const acts = [
    () => held.draw("steps", random() * 300, random() * 300, { step_id: among(["1", "2", "3"]) }),
    () => held.moveEdge(among(book.segments()).key, among(["start", "end"]), random() * 300),
    () => held.nudge(among(book.segments()).key, among([-1, 1]), among([null, "start", "end"])),
    () => held.split(among(book.segments()).key, random() * 300),
    () => held.join(among(book.segments()).key, among(book.segments()).key),
    () => held.delete(among(book.segments()).key),
    () => held.label(among(book.segments()).key, { step_id: among(["1", "2", "-1"]) }),
    () => held.write(among(book.segments()).key, `text ${Math.floor(random() * 99)}`),
    () => held.flag(among(book.segments()).key, "look", random() < 0.5),
    () => held.missing("steps", among(["1", "2", "3", "4"])),
    () => held.ripple("steps", random() * 300, random() * 4 - 2),
    () => held.copy("steps", [{ step_id: "2", text: "Pour", start_s: 7, end_s: 9 }]),
  ];
  let [done, failures] = [0, 0];
  while (done < count && failures < 5000) {
    try { book.do(among(acts)()); done += 1; } catch { failures += 1; }
  }
  return done;
}"""


def segmentation_to_work_on(**options: Any) -> Segmentation:
    """A recording of five minutes at 30 frames a second, of a procedure of four steps."""
    take = TakeFactory()
    take.video = VideoFactory(dataset=take.dataset, duration_s=DURATION_S, frame_count=9000)
    take.save()
    VideoIngestFactory(video=take.video)
    for index in range(4):
        StepFactory(take=take, index=index, step_id=str(index + 1), start_s=None, end_s=None)
    made = SegmentRoundFactory(**options).round
    recording = SegmentRecordingFactory(round=made, take=take)
    return SegmentationFactory(recording=recording)


def address_of(own: Segmentation, name: str = "") -> str:
    return reverse("api-segmentation" + (f"-{name}" if name else ""), args=[own.public_id])


def begin_work(page: Page, live_server, own: Segmentation) -> None:
    """Load the modules anew, as a page that is opened or loaded again does."""
    if not page.context.cookies():
        enter(page, live_server, own.person)
    page.goto(live_server.url + reverse("password_change"))
    page.evaluate(BEGIN, address_of(own))


def do(page: Page, gesture: str) -> None:
    """Carry out `held.…` on the book."""
    page.evaluate(f"() => {{ const held = work.hands(work.book); work.book.do({gesture}); }}")


def state_of(page: Page) -> str:
    return page.evaluate("() => work.outbox.state")


def wait_for_state(page: Page, state: str) -> None:
    page.wait_for_function("(state) => work.outbox.state === state", arg=state)


def wait_until_saved(page: Page) -> None:
    page.wait_for_function("() => work.outbox.state === 'saved' && !work.outbox.pending.length")


def shown(page: Page) -> dict[str, dict[str, Any]]:
    """The segments on the page by key, deleted ones too."""
    rows = page.evaluate("() => [...work.book.state.segments.values()]")
    return {row["key"]: row for row in rows}


def there(page: Page) -> dict[str, dict[str, Any]]:
    """What the segments on the page say, by time, without deleted ones and revisions."""
    rows = page.evaluate("() => work.book.segments()")
    return {row["key"]: {**row, "revision": None} for row in rows}


def stored(own: Segmentation) -> dict[str, dict[str, Any]]:
    own.refresh_from_db()
    return {key: item.to_dict() for key, item in stored_segments(own.pk).items()}


def expect_same_everywhere(page: Page, own: Segmentation) -> None:
    """The page, the tables and the log replayed say the same."""
    saved = stored(own)
    replayed = state_at(own, own.head).segments

    assert shown(page) == saved
    assert {key: item.to_dict() for key, item in replayed.items()} == saved
