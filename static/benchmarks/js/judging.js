// The number of a grade chooses it and sends it; the link to an earlier answer opens it again.
const form = document.querySelector("#grade");

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio])");

if (form) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isTyping(event.target) || !/^[0-5]$/.test(event.key)) return;
    const choice = form.querySelector(`input[type=radio][value="${event.key}"]`);
    if (!choice) return;
    choice.checked = true;
    event.preventDefault();
    form.requestSubmit();
  });
}
