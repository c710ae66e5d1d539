// The viewer beside its server: every question is asked there.
import { start } from "./viewing.js";

async function ask(path, params) {
  const query = params?.toString();
  const reply = await fetch(query ? `${path}?${query}` : path, {
    headers: { accept: "application/json" },
  });
  const told = await reply.json().catch(() => ({ problem: "The viewer does not answer." }));
  if (!reply.ok) throw new Error(told.problem);
  return told;
}

start({
  summary: () => ask("data/summary.json"),
  trials: (params) => ask("data/trials.json", params),
  figures: (params) => ask("data/figures.json", params),
  answer: (row) => ask(`data/answers/${row}`),
  large: (picture) => picture,
});
