/** Asks once before a form does what cannot be taken back: `data-asks` says what will be fixed.
 *
 * It stands on the form, or on one of its buttons where the others can be taken back.
 */

function button(text, className) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.className = className;
  return element;
}

function ask(form, submitter, asking) {
  const dialog = document.createElement("dialog");
  const title = document.createElement("h2");
  title.id = "ask-title";
  title.textContent = `${submitter.textContent.trim()}?`;
  dialog.setAttribute("aria-labelledby", title.id);
  const words = document.createElement("p");
  words.textContent = asking.dataset.asks;
  const foot = document.createElement("div");
  foot.className = "foot row";
  const act = submitter.textContent.trim();
  const yes = button(`Yes: ${act.charAt(0).toLowerCase()}${act.slice(1)}`, "button primary");
  const no = button("Not yet", "button");
  foot.append(yes, no);
  dialog.append(title, words, foot);
  document.body.append(dialog);
  yes.addEventListener("click", () => {
    delete asking.dataset.asks;
    dialog.close();
    form.requestSubmit(submitter);
  });
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

// Before what else hears of a form that is sent: it is not sent yet.
document.addEventListener("submit", (event) => {
  const submitter = event.submitter ?? event.target.querySelector("[type=submit]");
  const asking = [event.target, submitter].find((element) => element?.dataset.asks);
  if (!asking) return;
  event.preventDefault();
  event.stopPropagation();
  ask(event.target, submitter, asking);
}, true);
