// Numbers choose an answer where nothing is being typed; Enter on a choice sends the form.
const form = document.querySelector("#answer");

const isTyping = (target) => target.matches("textarea, select, input:not([type=radio])");

if (form) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const choices = form.querySelectorAll("input[type=radio]");
    const place = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (place >= 0 && place < choices.length) {
      choices[place].checked = true;
      choices[place].focus();
      event.preventDefault();
    } else if (event.key === "Enter" && event.target.matches("input[type=radio]")) {
      form.requestSubmit();
      event.preventDefault();
    }
  });
}
