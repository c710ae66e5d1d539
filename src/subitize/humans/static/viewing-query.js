// The questions of viewing_query.py, answered in the browser from the files of a bundle.
const PAGE = 20, MOST_CELLS = 40, NOT_READ = "–";
const PAIRS = {
  "both-right": [true, true], "only-first": [true, false],
  "only-second": [false, true], "both-wrong": [false, false],
};
const OF_ANSWERS = ["state", "said", "right", "changed", "off"];
const OFF = /^(<=|>=|)(-?[0-9]{1,9})$/;

/** From an address to what is wanted, as the server takes it. */
function parsed(params, table) {
  const made = { models: params.getAll("model"), trials: {}, answers: {}, words: [], sort: "plan", page: 0 };
  for (const [name, value] of params) {
    if (!value || name === "model") continue;
    if (name === "search") made.words = value.split(/\s+/).filter(Boolean);
    else if (name === "pair") made.pair = value;
    else if (name === "sort") made.sort = value;
    else if (name === "run") made.run = table.runs.indexOf(value);
    else if (name === "page") made.page = /^\d{1,8}$/.test(value) ? Number(value) : 0;
    else if (OF_ANSWERS.includes(name)) made.answers[name] = value;
    else if (table.items[name]) made.trials[name] = value;
    else if (name !== "reader") throw new Error(`There is no filter ${name}.`);
  }
  if (made.pair && (!PAIRS[made.pair] || made.models.length !== 2))
    throw new Error("Two models can be compared: choose two, and one of the four outcomes.");
  if (made.run === -1) throw new Error("There is no such run here.");
  if (made.answers.off && !OFF.test(made.answers.off))
    throw new Error("How far off: give a number such as -2 or >=3.");
  made.patterns = made.words.map((word) =>
    new RegExp(word.replace(/[\\.+*?()|[\]{}^$/-]/g, "\\$&"), "iu"));
  return made;
}

function scope(table, query, without = []) {
  const { answers, items, size } = table;
  const models = new Set(query.models);
  const filters = Object.entries(query.trials).filter(([name]) => !without.includes(name));
  const rows = [];
  for (let row = 0; row < size; row++) {
    if (!answers.counts[row] || (models.size && !models.has(answers.model[row]))) continue;
    if (query.run !== undefined && answers.run[row] !== query.run) continue;
    if (filters.every(([name, value]) => items[name][answers.item[row]] === value)) rows.push(row);
  }
  return rows;
}

function fits(table, query, row, without = []) {
  const { answers, items } = table;
  const read = answers.state[row] === "read";
  for (const [name, value] of Object.entries(query.answers)) {
    if (without.includes(name)) continue;
    if (name === "right") { if (answers.right[row] !== (value === "yes")) return false; }
    else if (name === "changed") { if (value === "yes") return false; }
    else if (name === "off") {
      const target = items.target[answers.item[row]];
      if (!read || target === null || answers.number[row] === null) return false;
      if (!isOff(answers.number[row] - target, value)) return false;
    } else if (name === "said" && value === NOT_READ) { if (read) return false; }
    else if (name === "said") { if (!read || answers.said[row] !== value) return false; }
    else if (answers[name][row] !== value) return false;
  }
  return query.patterns.every((pattern) => pattern.test(answers.value[row] ?? ""));
}

function isOff(off, value) {
  const [, sign, bound] = OFF.exec(value);
  return sign === "<=" ? off <= Number(bound) : sign === ">=" ? off >= Number(bound) : off === Number(bound);
}

const grouped = (rows, key) => {
  const groups = new Map();
  for (const row of rows) {
    const name = key(row);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(row);
  }
  return groups;
};

/** The share beside the most common answer, and how far the numbers lie apart. */
function disagreement(answers, rows) {
  const said = grouped(rows, (row) =>
    answers.state[row] === "read" ? answers.said[row] : `(${answers.state[row]})`);
  const most = Math.max(...[...said.values()].map((one) => one.length));
  const numbers = rows.filter((row) => answers.state[row] === "read" && answers.number[row] !== null)
    .map((row) => answers.number[row]);
  const high = Math.max(...numbers), low = Math.min(...numbers);
  return [1 - most / rows.length, numbers.length ? (high - low) / Math.max(high, 1) : 0];
}

function ordered(table, groups, sort) {
  const items = [...groups.keys()].sort((one, two) => one - two);
  if (sort === "plan") return items;
  const { answers } = table;
  const largest = (values, least) => values.reduce((a, b) => Math.max(a, b ?? least), least);
  const key = {
    slowest: (rows) => [largest(rows.map((row) => answers.seconds[row]), 0), 0],
    error: (rows) => [largest(rows.map((row) => answers.error[row]), -1), 0],
    disagreement: (rows) => disagreement(answers, rows),
  }[sort];
  if (!key) throw new Error(`There is no order ${sort}.`);
  const keys = new Map(items.map((item) => [item, key(groups.get(item))]));
  return items.sort((one, two) => {
    const [a, b] = [keys.get(one), keys.get(two)];
    return b[0] - a[0] || b[1] - a[1] || one - two;
  });
}

/** Items that both models answered: whether each was right in all its answers. */
function outcomes(table, query, rows) {
  const { answers } = table;
  const found = new Map();
  for (const [item, own] of grouped(rows, (row) => answers.item[row])) {
    const right = query.models.map((model) => {
      const of = own.filter((row) => answers.model[row] === model);
      return of.length ? of.every((row) => answers.right[row] === true) : null;
    });
    if (!right.includes(null)) found.set(item, right);
  }
  return found;
}

const isOutcome = (right, pair) => right[0] === PAIRS[pair][0] && right[1] === PAIRS[pair][1];

export function trialsPage(table, params) {
  const query = parsed(params, table), { answers } = table;
  const rows = scope(table, query);
  const fitting = new Set(rows.filter((row) => fits(table, query, row)));
  const wanted = new Set([...fitting].map((row) => answers.item[row]));
  let found = rows.filter((row) => wanted.has(answers.item[row]));
  if (query.pair) {
    const pairs = outcomes(table, query, rows);
    found = found.filter((row) => {
      const right = pairs.get(answers.item[row]);
      return right && isOutcome(right, query.pair);
    });
  }
  const groups = grouped(found, (row) => answers.item[row]);
  const items = ordered(table, groups, query.sort);
  const pages = Math.max(1, Math.ceil(items.length / PAGE));
  const page = Math.min(query.page, pages - 1);
  const shown = items.slice(page * PAGE, (page + 1) * PAGE);
  const others = grouped(
    shown.flatMap((item) => table.rowsOf(item)).filter((row) => !answers.counts[row]),
    (row) => answers.item[row]);
  return {
    trials: items.length, answers: found.length, page, pages,
    items: shown.map((item) => ({
      item,
      rows: [...groups.get(item), ...(others.get(item) ?? [])].map((row) =>
        ({ row, fits: fitting.has(row) })),
    })),
  };
}

export function figures(table, params) {
  const query = parsed(params, table), { answers, items } = table;
  let rows = scope(table, query, ["wanted"]);
  if (query.words.length || query.answers.changed || query.answers.right)
    rows = rows.filter((row) => fits(table, query, row, ["said", "state"]));
  const made = { matrix: matrix(table, rows), means: means(table, rows), states: [] };
  const states = grouped(rows, (row) => JSON.stringify([answers.model[row], answers.state[row]]));
  for (const [key, own] of states) {
    const [model, state] = JSON.parse(key);
    made.states.push({ model, state, answers: own.length });
  }
  made.states.sort((a, b) => order(a.model, b.model) || b.answers - a.answers || order(a.state, b.state));
  if (query.models.length === 2) {
    const right = [...outcomes(table, query, scope(table, query)).values()];
    made.pairs = Object.fromEntries(Object.keys(PAIRS).map((pair) =>
      [pair, right.filter((one) => isOutcome(one, pair)).length]));
  }
  return made;
}

const order = (one, two) => (one < two ? -1 : one > two ? 1 : 0);
const inOrder = (one, two) => {
  const [a, b] = [one, two].map((value) => (value.trim() === "" ? NaN : Number(value)));
  if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return (Number.isNaN(a) ? 0 : a - b) || order(one, two);
};

function matrix(table, rows) {
  const { answers, items } = table;
  let known = rows.filter((row) => items.target[answers.item[row]] !== null);
  if (!known.length) known = rows.filter((row) => items.wanted[answers.item[row]] !== "");
  const counts = new Map(), columns = new Map(), lines = new Map();
  for (const row of known) {
    const wanted = items.wanted[answers.item[row]];
    const said = answers.state[row] === "read" ? answers.said[row] : NOT_READ;
    if (said === null) continue;
    for (const [map, key] of [[counts, JSON.stringify([wanted, said])], [columns, wanted], [lines, said]])
      map.set(key, (map.get(key) ?? 0) + 1);
  }
  const first = (found) => [...found]
    .sort(([one, a], [two, b]) => b - a || order(one, two)).slice(0, MOST_CELLS).map(([key]) => key)
    .sort((one, two) => (one === NOT_READ) - (two === NOT_READ) || inOrder(one, two));
  const made = { columns: first(columns), rows: first(lines) };
  made.counts = made.rows.map((row) => made.columns.map((column) =>
    counts.get(JSON.stringify([column, row])) ?? 0));
  made.left_out = known.length - made.counts.flat().reduce((a, b) => a + b, 0);
  return made;
}

function means(table, rows) {
  const { answers, items } = table;
  const read = rows.filter((row) => answers.state[row] === "read" && answers.number[row] !== null
    && items.target[answers.item[row]] !== null);
  const groups = grouped(read, (row) => JSON.stringify([answers.model[row], items.target[answers.item[row]]]));
  return [...groups].map(([key, own]) => {
    const [model, target] = JSON.parse(key);
    const sum = own.reduce((total, row) => total + answers.number[row], 0);
    return { model, target, wanted: items.wanted[answers.item[own[0]]], mean: sum / own.length,
      answers: own.length };
  }).sort((a, b) => order(a.model, b.model) || a.target - b.target);
}
