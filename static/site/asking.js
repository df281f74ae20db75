/** Asks once before a form does what cannot be taken back: its `data-asks` says what will be fixed. */

function button(text, className) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.className = className;
  return element;
}

function ask(form, submitter) {
  const dialog = document.createElement("dialog");
  const title = document.createElement("h2");
  title.id = "ask-title";
  title.textContent = `${submitter.textContent.trim()}?`;
  dialog.setAttribute("aria-labelledby", title.id);
  const words = document.createElement("p");
  words.textContent = form.dataset.asks;
  const foot = document.createElement("div");
  foot.className = "foot row";
  const yes = button(`Yes: ${submitter.textContent.trim().toLowerCase()}`, "button primary");
  const no = button("Not yet", "button");
  foot.append(yes, no);
  dialog.append(title, words, foot);
  document.body.append(dialog);
  yes.addEventListener("click", () => {
    delete form.dataset.asks;
    dialog.close();
    form.requestSubmit(submitter);
  });
  no.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}

// Before what else hears of a form that is sent: it is not sent yet.
document.addEventListener("submit", (event) => {
  if (!event.target.dataset.asks) return;
  event.preventDefault();
  event.stopPropagation();
  ask(event.target, event.submitter ?? event.target.querySelector("[type=submit]"));
}, true);
