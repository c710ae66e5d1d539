// One question: keys, timing from the moment the picture is there, and sending until it is saved.
"use strict";
(() => {
  const form = document.getElementById("answer");
  const field = document.getElementById("value");
  const problem = document.getElementById("problem");
  const picture = document.getElementById("picture");
  const undo = document.querySelector("#undo button");
  let begun = null, sending = false, hidden = 0, left = 0, since = null, tries = 0;

  function begin() {
    requestAnimationFrame(() => { begun = performance.now(); form.dataset.asked = ""; });
    const ahead = form.dataset.ahead;
    if (ahead) { new Image().src = ahead; }
  }
  if (picture && !picture.complete) {
    picture.addEventListener("load", begin, { once: true });
    picture.addEventListener("error", () => {
      problem.textContent = "The picture could not be loaded. Please reload the page.";
    }, { once: true });
  } else { begin(); }
  if (field) { field.focus({ preventScroll: true }); }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { left += 1; since = performance.now(); }
    else if (since !== null) { hidden += performance.now() - since; since = null; }
  });

  const wait = (ms) => new Promise((done) => setTimeout(done, ms));

  async function post(body) {
    // Until somebody answers: an answer that was given must not be lost with the connection.
    for (;;) {
      try {
        const reply = await fetch(form.action, {
          method: "POST", body, headers: { Accept: "application/json" }, credentials: "same-origin",
        });
        if (reply.status < 500 && reply.status !== 429) { return reply; }
        problem.textContent = "The server is busy. Your answer is kept and will be sent again.";
      } catch {
        problem.textContent = "No connection. Your answer is kept and will be sent again.";
      }
      tries += 1;
      await wait(Math.min(5000, 400 * tries));
    }
  }

  async function send(value, pressed) {
    if (sending || begun === null) { return; }
    sending = true;
    const seconds = (performance.now() - begun - hidden) / 1000;
    const body = new URLSearchParams(new FormData(form));
    body.set("value", value);
    body.set("seconds", seconds.toFixed(3));
    body.set("facts", JSON.stringify({
      hidden: Math.round(hidden), left, width: innerWidth, height: innerHeight,
      touch: matchMedia("(pointer: coarse)").matches,
    }));
    problem.textContent = "";
    form.setAttribute("aria-busy", "true");
    if (pressed) { pressed.classList.add("pressed"); }
    const reply = await post(body);
    let said = {};
    try { said = await reply.json(); } catch { /* a page instead: load it anew */ }
    if (said.problem) {
      problem.textContent = said.problem;
      form.removeAttribute("aria-busy");
      if (pressed) { pressed.classList.remove("pressed"); }
      sending = false;
      if (field) { field.focus(); field.select(); }
      return;
    }
    location.replace(said.next || location.pathname);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const by = event.submitter;
    const chosen = by && by.name === "value" && by.tagName === "BUTTON";
    send(chosen ? by.value : field ? field.value : "", by);
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) { return; }
    const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
    const empty = !field || field.value === "";
    if (key === "U" && empty && !undo.disabled) {
      event.preventDefault();
      undo.click();
      return;
    }
    const number = /^[1-9]$/.test(key) && !field ? Number(key) - 1 : -1;
    const choices = [...form.querySelectorAll("[data-key]")];
    const chosen = choices.find((one) => one.dataset.key === key) || choices[number];
    if (chosen && empty) {
      event.preventDefault();
      chosen.click();
    }
  });
})();
