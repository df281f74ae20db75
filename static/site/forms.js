/** What holds for the forms of every page: they are sent once, under the login of now, and no text is lost. */

// Whoever stopped the page that was on its way, or was told of no answer, may send the form again.
const AGAIN_MS = 30_000;
let sent = null;
let onItsWay = null;
document.addEventListener("submit", (event) => {
  const { target, submitter } = event;
  if (target.matches("[method=post]") && !event.defaultPrevented) {
    // The site would do what it is asked twice, though the browser shows the last answer only.
    if (onItsWay?.form === target && onItsWay.submitter === submitter && Date.now() < onItsWay.until) {
      event.preventDefault();
      return;
    }
    onItsWay = { form: target, submitter, until: Date.now() + AGAIN_MS };
  }
  sent = target;
  // A login in another tab makes the tokens of open pages stale; the cookie has the one that holds.
  const field = target.elements.namedItem("csrfmiddlewaretoken");
  const token = document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];
  if (field && token) field.value = token;
});

// Whatever form is sent, the text of another would go with the page.
window.addEventListener("beforeunload", (event) => {
  // A form for a long text has short ones too: the questions of a guideline beside its advice.
  const fields = [...document.querySelectorAll("form[method=post] textarea, form[method=post]:has(textarea) input[type=text]")];
  const isChanged = (field) => field.value.trim() !== (field.dataset.saved ?? field.defaultValue).trim();
  if (!fields.some((field) => field.form !== sent && isChanged(field))) return;
  event.preventDefault();
  // Who stays has not sent it.
  onItsWay = null;
});

// Going back shows the page as it was left.
window.addEventListener("pageshow", () => { onItsWay = null; });

// Not by the clipboard's own interface, which a site without https does not have.
document.addEventListener("click", ({ target }) => {
  const field = document.getElementById(target.dataset?.copies ?? "");
  if (!field) return;
  field.select();
  if (document.execCommand("copy")) target.textContent = "Copied";
});
