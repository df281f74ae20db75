/** What holds for the forms of every page: they are sent under the login of now, and no text is lost. */

let sent = null;
document.addEventListener("submit", ({ target }) => {
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
  if (fields.some((field) => field.form !== sent && isChanged(field))) event.preventDefault();
});

// Not by the clipboard's own interface, which a site without https does not have.
document.addEventListener("click", ({ target }) => {
  const field = document.getElementById(target.dataset?.copies ?? "");
  if (!field) return;
  field.select();
  if (document.execCommand("copy")) target.textContent = "Copied";
});
