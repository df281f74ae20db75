/** Feedback of a training: the players of every page that shows recordings, and ways to the events. */

import "./watching_page.js";

for (const button of document.querySelectorAll("[data-show-row]")) {
  button.addEventListener("click", () => {
    document.querySelector(`tr[data-row="${button.dataset.showRow}"] [data-go]`).click();
    document.querySelector(".watching").scrollIntoView({ block: "start" });
  });
}
