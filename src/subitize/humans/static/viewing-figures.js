// The figures of the viewer; every mark is a link to the trials behind it.
import { changed, drawn, element, link, counted } from "./viewing-parts.js";

const COLOURS = ["#1f5f99", "#d67a1f", "#2e8b6f", "#a24b8f", "#8a6d3b", "#c23b3b", "#5b6ee1", "#5f6b7a"];
const NOT_READ = "–";
const MOST_WORDS = 12;

export function drawFigures(place, figures, params, summary) {
  const parts = [];
  if (isLegible(figures.matrix.columns)) parts.push(matrixTable(figures.matrix, params));
  if (figures.means.length) parts.push(meansChart(figures.means, params, summary));
  const tables = element("div", { className: "tables" });
  if (figures.pairs) tables.append(pairsTable(figures.pairs, params));
  tables.append(statesTable(figures.states, params, summary));
  parts.push(tables);
  place.replaceChildren(...parts);
}

/** Numbers, or a few words: a column for each of many sentences tells nothing. */
const isLegible = (columns) =>
  columns.length > 0 && (columns.length <= MOST_WORDS || columns.every((one) => !Number.isNaN(Number(one))));

const figure = (title, ...parts) => element("figure", {}, element("figcaption", {}, title), ...parts);

function matrixTable(matrix, params) {
  const largest = Math.max(1, ...matrix.counts.flat());
  const head = element("tr", {}, element("th", { scope: "col" }, "said ↓ target →"),
    ...matrix.columns.map((column) => element("th", { scope: "col" }, column)));
  const rows = matrix.rows.map((row, place) => {
    const name = row === NOT_READ ? "not read" : row;
    const cells = matrix.columns.map((column, at) => {
      const many = matrix.counts[place][at];
      const cell = element("td", {});
      if (!many) return cell;
      const anchor = link(changed({ wanted: column, said: row, state: "" }), counted(many));
      anchor.title = `target ${column}, said ${name}: ${many}`;
      const share = Math.sqrt(many / largest);
      cell.style.backgroundColor = `rgba(31, 95, 153, ${(0.08 + 0.84 * share).toFixed(3)})`;
      // where white on the blue is read as well as black
      if (share > 0.89) anchor.classList.add("light");
      if (row === column) cell.classList.add("right");
      if (params.get("wanted") === column && params.get("said") === row) cell.classList.add("chosen");
      cell.append(anchor);
      return cell;
    });
    return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
  });
  const table = element("table", { className: "matrix" },
    element("thead", {}, head), element("tbody", {}, ...rows.reverse()));
  const made = figure("What was said to which target", element("div", { className: "wide" }, table));
  if (matrix.left_out)
    made.append(element("p", { className: "small soft" },
      `${counted(matrix.left_out)} answers with rarer values are not in it.`));
  return made;
}

function meansChart(means, params, summary) {
  const width = 340, height = 300, left = 34, bottom = 34, top = 8, right = 8;
  const xs = means.map((mark) => mark.target), ys = means.map((mark) => mark.mean);
  const most = Math.max(1, ...xs, ...ys), least = Math.min(0, ...xs, ...ys);
  const span = most - least;
  const x = (value) => left + ((value - least) / span) * (width - left - right);
  const y = (value) => height - bottom - ((value - least) / span) * (height - bottom - top);
  const chart = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": "Mean number said by target" });
  const step = niceStep(span);
  for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
    chart.append(
      drawn("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid" }),
      drawn("text", { x: left - 6, y: y(value) + 4, class: "tick end" }, String(value)),
      drawn("text", { x: x(value), y: height - bottom + 16, class: "tick middle" }, String(value)));
  }
  chart.append(
    drawn("line", { x1: x(least), y1: y(least), x2: x(most), y2: y(most), class: "exact" }),
    drawn("text", { x: (left + width) / 2, y: height - 4, class: "tick middle" }, "target"));
  const legend = element("p", { className: "legend small" });
  for (const model of [...new Set(means.map((mark) => mark.model))]) {
    const colour = COLOURS[summary.models.indexOf(model) % COLOURS.length];
    const own = means.filter((mark) => mark.model === model);
    chart.append(drawn("polyline", { class: "means", stroke: colour,
      points: own.map((mark) => `${x(mark.target)},${y(mark.mean)}`).join(" ") }));
    for (const mark of own) {
      const words = `${model}, target ${mark.wanted}: mean ${mark.mean.toFixed(2)} of ${mark.answers}`;
      const anchor = drawn("a", { href: changed({ model, wanted: mark.wanted, said: "", pair: "" }),
        "aria-label": words });
      anchor.append(
        drawn("circle", { cx: x(mark.target), cy: y(mark.mean), r: 9, class: "reach" }),
        drawn("circle", { cx: x(mark.target), cy: y(mark.mean), r: 4, fill: colour,
          class: params.get("wanted") === mark.wanted ? "mark chosen" : "mark" },
        drawn("title", {}, words)));
      chart.append(anchor);
    }
    const dot = element("span", { className: "dot" });
    dot.style.backgroundColor = colour;
    legend.append(element("span", {}, dot, model));
  }
  return figure("Mean number said by target", chart, legend);
}

function niceStep(span) {
  const rough = span / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough) * power;
  return Math.max(step, span >= 4 ? 1 : step);
}

function statesTable(states, params, summary) {
  const rows = states.map(({ model, state, answers }) => {
    const anchor = link(changed({ model, state, said: "", pair: "" }), counted(answers));
    const row = element("tr", {}, element("td", {}, model),
      element("td", { title: summary.reasons[state] ?? "" }, state),
      element("td", { className: "number" }, anchor));
    if (params.get("state") === state) row.classList.add("chosen");
    return row;
  });
  const head = element("tr", {}, ...["Model", "State", "Answers"].map((name) =>
    element("th", { scope: "col", className: name === "Answers" ? "number" : "" }, name)));
  return figure("How answers ended", element("div", { className: "wide" },
    element("table", { className: "states" }, element("thead", {}, head), element("tbody", {}, ...rows))));
}

export const pairWords = ([first, second]) => ({ "both-right": "both right",
  "only-first": `only ${first} right`, "only-second": `only ${second} right`, "both-wrong": "neither right" });

function pairsTable(pairs, params) {
  const rows = Object.entries(pairWords(params.getAll("model"))).map(([pair, name]) => {
    const row = element("tr", {}, element("td", {}, name), element("td", { className: "number" },
      link(changed({ pair }), counted(pairs[pair]))));
    if (params.get("pair") === pair) row.classList.add("chosen");
    return row;
  });
  return figure("The two on the same trials", element("table", { className: "pairs" },
    element("tbody", {}, ...rows)));
}
