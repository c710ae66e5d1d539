// Enter presses the page's one button, whatever has the focus; a key that a button shows presses that.
"use strict";
document.addEventListener("keydown", (event) => {
  const on = document.activeElement;
  const free = !on || on === document.body || on.hasAttribute("data-enter");
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" && free && document.querySelector("[data-enter]")) {
    event.preventDefault();
    document.querySelector("[data-enter]").click();
  } else if (/^[a-z]$/i.test(event.key)) {
    document.querySelector(`[data-key="${event.key.toUpperCase()}"]`)?.click();
  }
});
