// Enter presses the page's one button, whatever has the focus.
"use strict";
document.addEventListener("keydown", (event) => {
  const on = document.activeElement;
  const free = !on || on === document.body || on.hasAttribute("data-enter");
  if (event.key === "Enter" && free && !event.repeat) {
    event.preventDefault();
    document.querySelector("[data-enter]").click();
  }
});
