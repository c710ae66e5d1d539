// The viewer without a server: answers in chunks of JSON, questions answered here.
import { start } from "./viewing.js";
import { figures, trialsPage } from "./viewing-query.js";

async function file(name) {
  const reply = await fetch(`data/${name}`);
  if (!reply.ok) throw new Error(`The file data/${name} is missing from this copy.`);
  return reply.json();
}

const trialFiles = new Map();
let table, summary;

async function load() {
  summary = await file("summary.json");
  const chunks = Math.ceil(summary.answers / summary.chunk);
  const names = Array.from({ length: chunks }, (_, place) => `answers-${place}.json`);
  const [items, painted, ...parts] = await Promise.all(["items.json", "painted.json", ...names].map(file));
  const answers = {};
  for (const name of Object.keys(parts[0] ?? {})) answers[name] = parts.flatMap((part) => part[name]);
  const byItem = new Map();
  answers.item?.forEach((item, row) => {
    if (!byItem.has(item)) byItem.set(item, []);
    byItem.get(item).push(row);
  });
  table = { answers, items, painted, size: summary.answers,
    runs: summary.runs.map((run) => run.folder), rowsOf: (item) => byItem.get(item) ?? [] };
  return summary;
}

async function trial(item) {
  const place = Math.floor(item / summary.chunk);
  if (!trialFiles.has(place)) trialFiles.set(place, file(`trials-${place}.json`));
  return (await trialFiles.get(place))[item % summary.chunk];
}

function answer(row, fits) {
  const made = { row, fits, cut: 0 };
  for (const name of Object.keys(table.answers)) made[name] = table.answers[name][row];
  made.note ??= "";
  made.value ??= "";
  if (table.painted[row]) made.picture = table.painted[row];
  return made;
}

start({
  summary: load,
  trials: async (params) => {
    const page = trialsPage(table, params);
    page.items = await Promise.all(page.items.map(async ({ item, rows }) => ({
      item, ...(await trial(item)), answers: rows.map(({ row, fits }) => answer(row, fits)),
    })));
    return page;
  },
  figures: async (params) => figures(table, params),
  answer: async (row) => answer(row, true),
  large: (picture) => picture,
});
