// A click on a column's heading sorts its table; empty places stay last.
for (const button of document.querySelectorAll("th > button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement;
    const body = head.closest("table").tBodies[0];
    const place = head.cellIndex;
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[place].dataset.key;
    const rows = [...body.rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      const order = head.classList.contains("num") ? x - y : x.localeCompare(y);
      return up ? order : -order;
    });
    body.append(...rows);
  });
}
// On a phone the contents would fill the first screen.
if (matchMedia("(max-width: 860px)").matches) document.querySelector("nav details").open = false;
