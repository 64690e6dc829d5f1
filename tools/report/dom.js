// Elements by one call. Text is only ever set as text, so that no name in the data becomes markup.

const byId = id => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter(child => child !== null));
  return element;
}
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// What the table shows, as comma-separated values (RFC 4180): plain numbers where a cell has one, with the unit in the
// head of its column.
function csvOf(table) {
  const plain = cell => cell.dataset.value ?? cell.textContent.replaceAll("\u00a0", " ").trim();
  const unit = i => [...table.tBodies[0].rows].map(row => row.cells[i]?.dataset.unit).find(Boolean);
  const quoted = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const head = (cell, i) => unit(i) && !plain(cell).includes(unit(i)) ? `${plain(cell)}, ${unit(i)}` : plain(cell);
  const textOf = row => row.parentElement === table.tHead ? head : plain;
  return [...table.rows].map(row => `${[...row.cells].map(textOf(row)).map(quoted).join(",")}\r\n`).join("");
}

function saveCsv(table, caption) {
  const url = URL.createObjectURL(new Blob([csvOf(table)], {type: "text/csv"}));
  make("a", {href: url, download: `${caption.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 80)}.csv`}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000); // until then the browser reads it
}

// The caption of every table, with the button that saves it.
function captioned(table, text) {
  const onclick = () => saveCsv(table, text);
  table.prepend(make("caption", {}, text,
    make("button", {type: "button", class: "csv", "aria-label": `Save as CSV: ${text}`, onclick}, "Save as CSV")));
  return table;
}

// A table of cells: numbers, which stand on the right, are all but the first `names` columns. A cell is a text, or
// {text, value, unit} where a program would rather read the value.
function tableOf(caption, heads, lines, names = 1) {
  const side = i => i < names ? null : "number";
  const head = (text, i) => make("th", {scope: "col", class: side(i)}, text);
  const cell = (one, i) => {
    const {text, value = null, unit = null} = one?.text === undefined ? {text: one} : one;
    return make(i === 0 ? "th" : "td",
      {...i === 0 ? {scope: "row"} : {class: side(i)}, "data-value": value, "data-unit": unit}, text);
  };
  return captioned(make("table", {},
    make("thead", {}, make("tr", {}, heads.map(head))),
    make("tbody", {}, lines.map(line => make("tr", {}, line.map(cell))))), caption);
}

// The data of a chart as a table: what it says to those who do not see it.
function dataOf(caption, heads, lines, names = 1) {
  const cut = lines.length > 40; // page.css prints no more
  return make("details", {class: "data"}, make("summary", {}, "The data as a table"),
    cut ? make("p", {class: "paper"}, `On paper: the first 40 of ${lines.length} lines.`) : null,
    make("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
      tableOf(caption, heads, lines, names)));
}

function say(section, text) { byId(section).querySelector(".text").textContent = text; }
