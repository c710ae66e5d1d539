// Without this script every page is in sight and can be read; with it one at a time is shown.
const pages = [...document.querySelectorAll("main > article")];
const tabs = [...document.querySelectorAll(".tabs a")];
const show = (page) => {
  for (const one of pages) {
    if (one === page) one.removeAttribute("hidden");
    else one.setAttribute("hidden", "until-found");
  }
  for (const tab of tabs) {
    if (tab.hash === `#${page.id}`) {
      tab.setAttribute("aria-current", "page");
      tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else tab.removeAttribute("aria-current");
  }
};
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const page = pages.find((one) => one.contains(target)) ?? pages[0];
  show(page);
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target && target !== page) target.scrollIntoView();
  else if (location.hash) scrollTo(0, 0);
};
for (const page of pages) page.addEventListener("beforematch", () => show(page));
addEventListener("hashchange", follow);
follow();

// A click on a column's heading sorts each group of its table; empty places stay last.
for (const button of document.querySelectorAll("th > button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const place = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[place].dataset.key;
    for (const body of head.closest("table").tBodies) {
      const rows = [...body.rows].filter((row) => row.className !== "group").sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        if (x === "" || y === "") return (x === "") - (y === "");
        const order = head.classList.contains("num") ? x - y : x.localeCompare(y);
        return up ? order : -order;
      });
      body.append(...rows);
    }
  });
}

// What the buttons copy: a text as it stands, or the table as LaTeX (booktabs).
const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", λ: "lambda", μ: "mu", π: "pi", σ: "sigma", φ: "varphi", χ: "chi", Σ: "Sigma", "±": "pm", "×": "times", "·": "cdot", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx", "→": "rightarrow", "∞": "infty" };
const MATH = { "−": "-", "<": "<", ">": ">", "|": "|", "²": "^2", "³": "^3", "₁": "_1", "₂": "_2", "√": "\\surd", ...Object.fromEntries(Object.entries(GREEK).map(([sign, name]) => [sign, `\\${name}`])) };
const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "–": "--", "\u00a0": "~", "…": "\\dots{}", ...Object.fromEntries(Object.entries(MATH).map(([sign, code]) => [sign, `$${code}$`])) };
const SPECIAL = new RegExp(`[${Object.keys(LATEX).map((sign) => `\\${sign}`).join("")}&%$#_{}]`, "g");
// A row that began with [ or * would be read as an option of the line's end before it.
const escaped = (text) => text.trim().replace(/\s*\n\s*/g, " ").replace(SPECIAL, (c) => LATEX[c] ?? `\\${c}`).replace(/^[[*]/, "{$&}");
const latex = (table) => {
  const line = (cells) => `${cells.map((cell) => escaped(cell.innerText)).join(" & ")} \\\\`;
  const heads = [...table.tHead.rows[0].cells];
  const lines = [];
  for (const body of table.tBodies) {
    if (lines.length) lines.push("\\midrule");
    for (const row of body.rows) {
      const cells = [...row.cells];
      lines.push(row.className === "group" ? `\\multicolumn{${heads.length}}{l}{${escaped(cells[0].innerText)}} \\\\` : line(cells));
    }
  }
  const places = heads.map((head) => (head.classList.contains("num") ? "r" : "l")).join("");
  return [`\\begin{tabular}{${places}}`, "\\toprule", line(heads), "\\midrule", ...lines, "\\bottomrule", "\\end{tabular}", ""].join("\n");
};
const copy = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.body.appendChild(document.createElement("textarea"));
    area.value = text;
    area.select();
    document.execCommand("copy");
    area.remove();
  }
};
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const found = button.dataset.copy === "latex" ? latex(button.closest("figure").querySelector("table")) : button.nextElementSibling.innerText;
    await copy(found);
    const label = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = label), 1500);
  });
}

// On a phone the contents would fill the first screen.
if (matchMedia("(max-width: 860px)").matches) for (const list of document.querySelectorAll("article nav details")) list.open = false;
