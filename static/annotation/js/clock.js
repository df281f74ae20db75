/** The time by the server's clock: a browser's own may be wrong by hours, and the server takes no
 * answer from the future.
 */

export class Clock {
  /** `now`: what the server says that it is now, as text. */
  constructor(now) {
    this.set(now);
  }

  set(now) {
    this.aheadMs = Date.now() - Date.parse(now);
  }

  text() {
    return new Date(Date.now() - this.aheadMs).toISOString();
  }
}
