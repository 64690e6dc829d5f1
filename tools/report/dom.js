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

// A table of plain cells: numbers, which stand on the right, are all but the first `names` columns.
function tableOf(caption, heads, lines, names = 1) {
  const side = i => i < names ? null : "number";
  const head = (text, i) => make("th", {scope: "col", class: side(i)}, text);
  const cell = (text, i) => i === 0 ? make("th", {scope: "row"}, text) : make("td", {class: side(i)}, text);
  return make("table", {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, heads.map(head))),
    make("tbody", {}, lines.map(line => make("tr", {}, line.map(cell)))));
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
