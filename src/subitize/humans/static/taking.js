// The experiment's page: instructions, practice, blocks of trials, breaks. An answer is stored by
// the server before the next trial begins.
import { drawBlank, flash, makeMask, measureFrame } from "./taking-flash.js";

const at = (id) => document.getElementById(id);
const field = at("field");
const csrf = document.querySelector("meta[name=csrf]").content;
const bitmaps = new Map();
const mask = makeMask(field.width);
let frame, settings, lost = false;

addEventListener("blur", () => { lost = true; });
document.addEventListener("visibilitychange", () => { if (document.hidden) lost = true; });

async function ask(path, content) {
  const options = content === undefined ? {} : {
    method: "POST", body: JSON.stringify(content), headers: { "x-csrf": csrf, "content-type": "application/json" },
  };
  const reply = await fetch(path, { ...options, headers: { accept: "application/json", ...options.headers } });
  const told = await reply.json();
  if (!reply.ok) throw Object.assign(new Error(told.problem), { told: true });
  return told;
}

/** Until it is stored: a lost connection costs patience, not the answer. */
async function save(path, content) {
  for (;;) {
    try {
      const told = await ask(path, content);
      trouble("");
      return told;
    } catch (problem) {
      if (problem.told) { trouble(problem.message); throw problem; }
      trouble("Not saved yet: the server does not answer. Trying again …");
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

function trouble(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = !words;
}

/** A picture, decoded before it is due. */
function fetched(address) {
  if (!bitmaps.has(address)) {
    const coming = fetch(address)
      .then((reply) => (reply.ok ? reply.blob() : Promise.reject(new Error("no picture"))))
      .then((blob) => createImageBitmap(blob));
    coming.catch(() => bitmaps.delete(address));
    bitmaps.set(address, coming);
  }
  return bitmaps.get(address);
}

async function bitmapOf(address) {
  for (;;) {
    try {
      const found = await fetched(address);
      trouble("");
      return found;
    } catch {
      trouble("The picture does not come. Trying again …");
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

/** What the page waits for, as its body tells it. */
const now = (what) => { document.body.dataset.now = what; };

function show(id) {
  for (const page of document.querySelectorAll(".page")) page.hidden = page.id !== id;
}

function between(title, words) {
  at("between").querySelector("h1").textContent = title;
  at("between").querySelector(".lead").textContent = words;
  show("between");
  const button = at("between").querySelector("button");
  button.focus();
  now("break");
  return new Promise((done) => button.addEventListener("click", done, { once: true }));
}

/** One number, typed or tapped; when its first digit came and when it was sent. */
function typedNumber(onset, question) {
  at("question").textContent = question;
  at("hint").textContent = "type the number, then Enter";
  let digits = "", first = null, corrections = 0;
  const write = () => { at("typed").textContent = digits || "\u00a0"; };
  write();
  now("answer");
  return new Promise((done) => {
    function press(key, when) {
      if (/^[0-9]$/.test(key) && digits.length < 4) {
        first ??= when - onset;
        digits += key;
      } else if (key === "Backspace" && digits) {
        digits = digits.slice(0, -1);
        corrections += 1;
      } else if (key === "Enter" && digits) {
        removeEventListener("keydown", down);
        at("pad").removeEventListener("click", tapped);
        now("saving");
        done({ value: digits, first_key: first, answered: when - onset, corrections });
      }
      write();
    }
    const down = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (/^[0-9]$|^Backspace$|^Enter$/.test(event.key)) event.preventDefault();
      press(event.key, event.timeStamp);
    };
    const tapped = (event) => {
      const key = event.target.closest("button")?.value;
      if (key) press(key, event.timeStamp);
    };
    addEventListener("keydown", down);
    at("pad").addEventListener("click", tapped);
  });
}

/** One trial: what was answered, and what the display did. */
async function trial(address, question) {
  const bitmap = await bitmapOf(address);
  show("stage");
  document.activeElement?.blur?.();
  at("question").textContent = "\u00a0";
  at("typed").textContent = "\u00a0";
  at("hint").textContent = "\u00a0";
  lost = document.hidden || !document.hasFocus();
  now("look");
  const seen = await flash(field, bitmap, mask, settings, frame);
  const answering = typedNumber(seen.onset, question);
  setTimeout(() => { if (field.dataset.phase === "mask") drawBlank(field); }, settings.mask);
  const { value, ...typed } = await answering;
  drawBlank(field);
  bitmaps.delete(address);
  bitmap.close();
  const facts = {
    ...typed, shown: seen.shown, frames: seen.frames, dropped: seen.dropped, frame, focus_lost: lost,
    side: field.getBoundingClientRect().width, width: innerWidth, height: innerHeight,
    ratio: devicePixelRatio,
  };
  return { value, facts };
}

async function practise(answers, question) {
  for (const [place, right] of answers.entries()) {
    const { value } = await trial(`practice/${place}`, question);
    const were = `there ${right === 1 ? "was" : "were"} ${right}.`;
    const words = Number(value) === right ? `Yes, ${were}` : `You said ${value}; ${were}`;
    await between(words, place + 1 < answers.length
      ? `Practice ${place + 1} of ${answers.length}.`
      : "That was the practice. Now it counts, and nobody tells you any more.");
  }
}

async function go(coming) {
  settings = coming.display;
  if (coming.practice.length && !coming.complete) await practise(coming.practice, coming.question);
  let block = coming.block;
  while (!coming.complete) {
    if (coming.block !== block) {
      block = coming.block;
      await between("A break", `Part ${block} of ${coming.blocks} comes next. Rest your eyes as long as you like.`);
    }
    for (const one of coming.ahead) fetched(`pictures/${one}`);
    const { value, facts } = await trial(`pictures/${coming.trial}`, coming.question);
    coming = await save("answers", { trial: coming.trial, value, facts });
    at("progress").value = coming.saved;
  }
  at("between").querySelector("button").hidden = true;
  between("Thank you", `All is saved. You can close this page.`);
  now("complete");
}

function buildPad() {
  const keys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "Backspace", "0", "Enter"];
  for (const key of keys) {
    const button = document.createElement("button");
    button.type = "button";
    button.value = key;
    button.textContent = { Backspace: "⌫", Enter: "OK" }[key] ?? key;
    button.className = key === "Enter" ? "" : "quiet";
    button.tabIndex = -1;
    at("pad").append(button);
  }
}

async function start() {
  buildPad();
  drawBlank(field);
  const first = await save("next");
  fetched(first.practice.length ? "practice/0" : `pictures/${first.trial}`);
  frame = await measureFrame();
  at("screen").textContent = `Your screen shows ${Math.round(1000 / frame)} frames a second; `
    + `a picture stays for ${Math.max(1, Math.round(first.display.duration / frame))} of them.`;
  at("agree").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!first.consented) await save("consent", {});
    await go(first);
  }, { once: true });
  now("ready");
}

if (at("welcome")) start().catch((problem) => trouble(problem.message));
