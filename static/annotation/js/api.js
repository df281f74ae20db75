/** Requests to the ratings API, and what their answers mean. */

const TIMEOUT_MS = 20_000;

/** Thrown when no answer came or the server is not well: the same request may succeed later. */
export class Unreachable extends Error {}

/** Thrown when the session is over; the same request succeeds after a new login. */
export class LoginExpired extends Error {}

/** Every other answer that is not a success, with its status, its JSON body and its date. */
export class Refused extends Error {
  constructor(status, body, date) {
    super(body.detail ?? `the server answered ${status}`);
    this.status = status;
    this.body = body;
    this.date = date;
  }
}

/** What a person is told of a request that failed, and can do. */
export function troubleWords(error) {
  if (error instanceof Refused) return `${error.message}.`;
  if (error instanceof LoginExpired) return "Your login has expired. Log in in another tab, then try again here.";
  return "The server cannot be reached. Try again.";
}

/** The cookie is read for every request: a login in another tab replaces it. */
export function csrfToken() {
  return document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1] ?? "";
}

/** `isLast`: the request goes on when the page is left. */
export async function call(method, url, body, { isLast = false } = {}) {
  // The page only shows what raters see, and was given no address to send anything to.
  if (!url) throw new Refused(409, { detail: "This is a preview: nothing is saved or submitted" });
  let response;
  try {
    response = await fetch(url, {
      method,
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: "same-origin",
      keepalive: isLast,
    });
  } catch (error) {
    throw new Unreachable(error.message);
  }
  if (response.status === 401 || response.status === 403) throw new LoginExpired();
  if (response.status >= 500 || response.status === 429) throw new Unreachable(`status ${response.status}`);
  if (response.status === 204) return null;
  let answer;
  try {
    answer = await response.json();
  } catch {
    // Not our API: a proxy's error page, or a captive portal that answers for everybody.
    throw new Unreachable("the answer is not JSON");
  }
  if (!response.ok) throw new Refused(response.status, answer, response.headers.get("date"));
  return answer;
}
