// The viewer's page. What it shows comes from a source: the server, or the files of a bundle.
// Everything a model said is put in as text, never as HTML.
import { drawFigures, pairWords } from "./viewing-figures.js";
import { changed, chosen, element, link, counted } from "./viewing-parts.js";

const LABELS = { off: "Said − target", run: "Run", wanted: "Target", state: "State", stage: "Stage", benchmark: "Benchmark" };
const FIRST = ["benchmark", "wanted", "category", "state"];
const OF_ANSWERS = ["state", "said", "right", "changed", "off", "pair", "run"];
const at = (id) => document.getElementById(id);
const choices = at("choices");
let source, summary, asked = 0;

function go(where) {
  history.pushState(null, "", where);
  refresh();
}

export async function start(given) {
  document.querySelector(".late")?.remove();
  source = given;
  try {
    summary = await source.summary();
  } catch (problem) {
    return tell(problem);
  }
  buildChoices();
  addEventListener("popstate", refresh);
  document.addEventListener("click", follow);
  document.addEventListener("keydown", keys);
  await refresh();
}

/** Links of the page change what is chosen without loading it again. */
function follow(event) {
  const anchor = event.target.closest?.("a[href^='?']");
  if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(anchor.getAttribute("href"));
}

function keys(event) {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey) return;
  if (event.key === "/") {
    event.preventDefault();
    choices.search.focus();
  }
  const step = { ArrowRight: "next", ArrowLeft: "prev" }[event.key];
  const anchor = step && document.querySelector(`.pager a[rel=${step}]`);
  if (anchor && !at("large").open) go(anchor.getAttribute("href"));
}

function buildChoices() {
  for (const model of summary.models) {
    const box = element("input", { type: "checkbox", name: "model", value: model });
    at("models").append(element("label", { className: "chip" }, box, element("span", {}, model)));
  }
  at("models").hidden = summary.models.length < 2;
  const facets = Object.entries(summary.facets).filter(([name]) => name !== "model");
  for (const [name, values] of facets) {
    const all = element("option", { value: "" }, "all");
    const options = values.map(([value, many]) =>
      element("option", { value }, `${value} (${counted(many)})`));
    const label = LABELS[name] ?? name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
    const place = FIRST.includes(name) ? at("facets") : at("more").querySelector(".facets");
    place.append(element("label", {}, label, element("select", { name }, all, ...options)));
    at("more").hidden &&= FIRST.includes(name);
    at("more").open ||= !FIRST.includes(name) && chosen().has(name);
  }
  at("figures").open = matchMedia("(min-width: 46rem)").matches;
  if (summary.readers.length) {
    const own = [...new Set(summary.runs.map((run) => run.reader))].join(", ");
    choices.reader.append(element("option", { value: "" }, `${own} (the run's own)`));
    for (const name of summary.readers)
      if (name !== own) choices.reader.append(element("option", { value: name }, name));
    at("reader").hidden = false;
  }
  choices.addEventListener("change", choose);
  choices.addEventListener("submit", (event) => { event.preventDefault(); choose(); });
  let waiting;
  choices.search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 150);
  });
  at("reset").addEventListener("click", () => go("?"));
  at("large").addEventListener("click", () => at("large").close());
}

/** From the form to the address. */
function choose() {
  const changes = { model: new FormData(choices).getAll("model") };
  for (const field of choices.elements)
    if (field.name && field.name !== "model") changes[field.name] = field.value;
  if (changes.sort === "plan") changes.sort = "";
  if (changes.model.length !== 2) changes.pair = "";
  if (!changes.reader) changes.changed = "";
  const where = changed(changes);
  if (where !== (location.search || "?")) go(where);
}

/** From the address to the form. */
function fill() {
  const params = chosen();
  for (const field of choices.elements) {
    if (field.name === "model") field.checked = params.getAll("model").includes(field.value);
    else if (field.name && document.activeElement !== field)
      field.value = params.get(field.name) ?? (field.name === "sort" ? "plan" : "");
  }
}

async function refresh() {
  const turn = ++asked;
  const params = chosen();
  fill();
  at("trials").setAttribute("aria-busy", "true");
  try {
    const [page, figures] = await Promise.all([source.trials(params), source.figures(params)]);
    if (turn !== asked) return;
    at("problem").hidden = true;
    showPage(page, params);
    drawFigures(at("figures").querySelector("div"), figures, params, summary);
    at("figures").hidden = false;
  } catch (problem) {
    if (turn === asked) tell(problem);
  }
  at("trials").setAttribute("aria-busy", "false");
}

function tell(problem) {
  at("problem").textContent = problem.message;
  at("problem").hidden = false;
  at("about").textContent = "";
}

function inWords(name, params) {
  const value = params.get(name);
  return name === "pair" ? pairWords(params.getAll("model"))[value] ?? value : `${LABELS[name] ?? name}: ${value}`;
}

function showPage(page, params) {
  const { trials, answers } = page;
  const words = `${counted(trials)} trial${trials === 1 ? "" : "s"}, ${counted(answers)} answers`;
  const marks = OF_ANSWERS.concat("wanted").filter((name) => params.get(name));
  at("about").replaceChildren(words, ...marks.map((name) =>
    link(changed({ [name]: "" }), `${inWords(name, params)} ×`, "tag")));
  at("trials").replaceChildren(...page.items.map(trialCard));
  if (!page.items.length)
    at("trials").append(element("p", { className: "lead soft" }, "No trial is like that."));
  for (const pager of document.querySelectorAll(".pager")) showPager(pager, page);
  if (Number(params.get("page") ?? 0) && scrollY > at("trials").offsetTop) at("trials").scrollIntoView();
}

function showPager(pager, page) {
  pager.hidden = page.pages < 2;
  const before = link(changed({ page: page.page - 1 || "" }, true), "← Before", "button quiet");
  const after = link(changed({ page: page.page + 1 }, true), "Next →", "button quiet");
  before.rel = "prev";
  after.rel = "next";
  const words = element("span", { className: "soft" },
    `${counted(page.page + 1)} of ${counted(page.pages)}`);
  pager.replaceChildren(
    page.page > 0 ? before : element("span"), words,
    page.page + 1 < page.pages ? after : element("span"));
}

function picture(address, alt, className) {
  const image = element("img", { src: address, alt, loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => frame.replaceWith(nothing(className)));
  const frame = element("button", { type: "button", className: `picture ${className}` }, image);
  frame.addEventListener("click", () => {
    const large = at("large").querySelector("img");
    large.src = source.large(address);
    large.alt = alt;
    at("large").showModal();
  });
  return frame;
}

const nothing = (className) =>
  element("div", { className: `picture none ${className}` }, "no picture");

function trialCard(item) {
  const seen = item.picture || item.answers.some((answer) => answer.picture);
  const facts = Object.entries(item.condition).map(([name, value]) => `${name} ${value}`);
  const head = element("div", { className: "question" },
    element("p", { className: "asked" }, item.question),
    element("p", { className: "small soft" },
      ...(item.wanted === "" ? [] : ["target ", element("b", {}, item.wanted), " · "]),
      [item.benchmark, item.stage, ...facts, ...(seen ? [] : ["no picture"])].join(" · ")));
  if (item.options.length)
    head.append(element("p", { className: "small soft" }, `options: ${item.options.join(" | ")}`));
  const counting = item.answers.filter((answer) => answer.counts);
  const rest = item.answers.filter((answer) => !answer.counts);
  const said = element("div", { className: "answers" }, ...counting.map(answerCard));
  const body = element("div", { className: "body" }, head, said);
  if (rest.length) {
    const more = element("details", {}, element("summary", {},
      `${rest.length} more (helpers, other attempts)`));
    more.append(element("div", { className: "answers" }, ...rest.map(answerCard)));
    body.append(more);
  }
  const shown = item.picture ? picture(item.picture, `What was shown: ${item.question}`, "shown") : "";
  const card = element("article", { className: shown ? "trial" : "trial painted" }, shown, body);
  card.dataset.trial = item.trial;
  return card;
}

function answerCard(answer) {
  const read = answer.state === "read";
  const tag = element("span", { className: "tag" }, read ? answer.said ?? "" : answer.state);
  if (read && answer.right !== null) tag.classList.add(answer.right ? "good" : "bad");
  tag.title = read ? "what was read" : summary.reasons[answer.state] ?? "";
  const name = element("p", { className: "who" }, element("b", {}, answer.model), tag);
  const card = element("div", { className: "answer" }, name);
  card.dataset.row = answer.row;
  card.classList.toggle("beside", !answer.fits && answer.counts);
  if (answer.picture) card.append(picture(answer.picture, `Painted by ${answer.model}`, "made"));
  else card.append(reply(answer));
  const facts = [];
  if (answer.before !== undefined) facts.push(`the run's reader: ${answer.before}`);
  if (answer.note) facts.push(answer.note);
  if (answer.stop !== "stop") facts.push(`ended by ${answer.stop}`);
  if (answer.seconds) facts.push(`${answer.seconds.toFixed(answer.seconds < 1 ? 3 : 1)} s`);
  if (answer.sample) facts.push(`sample ${answer.sample}`);
  if (answer.attempt) facts.push(`attempt ${answer.attempt}`);
  if (facts.length) card.append(element("p", { className: "why small soft" }, facts.join(" · ")));
  return card;
}

function reply(answer) {
  const text = element("div", { className: "reply", tabIndex: 0 }, answer.value || "(nothing)");
  if (!answer.cut) return text;
  const more = element("button", { type: "button", className: "plain" },
    `Show ${counted(answer.cut)} letters more`);
  more.addEventListener("click", async () => {
    const whole = await source.answer(answer.row);
    text.textContent = whole.value;
  });
  return element("div", {}, text, more);
}
