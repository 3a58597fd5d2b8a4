"use strict";
// Sorting and searching of tables, and what a heat map says under the pointer or the arrow keys.

function valueOf(row, column) {
  const given = row.cells[column].dataset.value;
  return given === undefined ? row.cells[column].textContent.trim() : given === "" ? null : Number(given);
}

function compare(a, b) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1; // what is not known comes last
  return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(table, heading) {
  const column = heading.cellIndex;
  const descends = heading.getAttribute("aria-sort") === "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
  const sign = descends ? -1 : 1;
  rows.sort(([a], [b]) => (a === null || b === null ? compare(a, b) : sign * compare(a, b)));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", descends ? "descending" : "ascending");
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function makeSortable(table) {
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading));
    heading.append(button);
  }
}

function makeSearchable(box) {
  const input = box.querySelector("input");
  const count = box.querySelector("[aria-live]");
  const rows = [...document.getElementById(input.dataset.table).tBodies[0].rows];
  const search = () => {
    const wanted = input.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rules shown`;
  };
  input.addEventListener("input", search);
  box.hidden = false;
  search();
}

function makeReadable(map) {
  const names = [...document.querySelectorAll("#mapped li")].map((entry) => entry.textContent);
  const order = map.dataset.order.split(" ").map(Number);
  const values = Int8Array.from(atob(map.dataset.values), (letter) => letter.charCodeAt(0));
  const [svg, cursor, said] = [".chart", ".cursor", ".readout"].map((name) => map.querySelector(name));
  const [left, side] = [Number(map.dataset.left), Number(map.dataset.side)];
  const n = order.length;
  const at = { row: 0, column: 0 };
  const show = (row, column) => {
    at.row = Math.min(n - 1, Math.max(0, row));
    at.column = Math.min(n - 1, Math.max(0, column));
    cursor.setAttribute("x", left + (side / n) * at.column);
    cursor.setAttribute("y", 4 + (side / n) * at.row);
    const value = values[at.row * n + at.column];
    const number = value === -128 ? "not known" : (value / 100).toFixed(2);
    const [first, second] = [names[order[at.row]], names[order[at.column]]].map((name) => name.slice(0, 60));
    said.textContent = `${first} and ${second}: ${number}`;
  };
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  map.addEventListener("keydown", (event) => {
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(at.row + moves[event.key][0], at.column + moves[event.key][1]);
  });
  map.addEventListener("focus", () => show(at.row, at.column));
  svg.addEventListener("pointermove", (event) => {
    const frame = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / frame.width;
    const x = (event.clientX - frame.left) * scale - left;
    const y = (event.clientY - frame.top) * scale - 4;
    if (x < 0 || y < 0 || x >= side || y >= side) return;
    map.classList.add("live");
    show(Math.floor((y / side) * n), Math.floor((x / side) * n));
  });
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll(".search").forEach(makeSearchable);
document.querySelectorAll(".heatmap").forEach(makeReadable);
