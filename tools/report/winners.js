// The map of the winner: a table of sizes against ranks, read by eye, pointer, keys or ear.

const mostLines = 40, mostColumns = 24;
const closeCall = 1.05; // under this ratio to the next, a winner is none

// At most so many of the values, evenly spread, the first and the last among them.
function thinned(values, most) {
  if (values.length <= most) return values;
  return distinct(Array.from({length: most}, (_, i) => values[Math.round(i * (values.length - 1) / (most - 1))]));
}

function verdict(ranks, bytes) {
  const ranked = ranking(ranks, bytes), [first, next] = ranked;
  if (!first) return null;
  return {winner: first, next, tied: tiedIn(ranked), margin: next ? timeOf(next) / timeOf(first) : null};
}

function verdictText(ranks, bytes, found) {
  const place = `${ranksText(ranks)}, ${bytesText(bytes)}: `;
  if (found === null) return `${place}no ${named().name} time`;
  const chosen = cellOf(state.operation, ranks, bytes).find(row => row.auto !== "");
  const takes = chosen && chosen !== found.winner ? `; auto takes ${nameOf(chosen)}` : "";
  return `${winnerText(place, found)}${takes}`;
}

function winnerText(place, found) {
  const winner = `${place}${spoken(found.winner.algorithm)}, ${takenText(found.winner)}`;
  if (!found.next) return `${winner}, the only one`;
  if (found.tied.length > 0) return `${winner}, tied with ${listText(found.tied.map(nameOf))}`;
  const next = `${spoken(found.next.algorithm)} (${takenText(found.next)})`;
  return `${winner}; next is ${next}, ${
    found.margin < 1.005 ? "as good as equal" : `${digits(found.margin, 3)} times as long`}`;
}

// A winner by far is strong in colour, a close call pale.
const strengthOf = margin => margin === null ? 45 : Math.round(12 + 38 * Math.min(1, Math.log(margin) / Math.log(4)));

function winnerCell(ranks, bytes, readout) {
  const found = verdict(ranks, bytes), text = verdictText(ranks, bytes, found);
  const show = () => { readout.textContent = text; };
  const close = found !== null && found.margin !== null && found.margin < closeCall;
  const cell = make("td", {
    tabindex: "-1", title: text, "aria-label": text, onfocus: show, onmouseenter: show,
    class: close ? "close" : null,
    onclick: () => chooseCell(ranks, bytes),
    "data-value": found?.winner.algorithm ?? "", "data-winner": found?.winner.algorithm ?? null,
    "aria-current": ranks === state.ranks && bytes === state.bytes ? "true" : null,
  }, found === null ? "–" : `${shortNames.get(found.winner.algorithm)}${found.tied.length > 0 ? " =" : ""}`);
  if (found !== null) {
    cell.style.setProperty("--hue", `var(${lookOf(found.winner.algorithm).variable})`);
    cell.style.setProperty("--strength", `${strengthOf(found.margin)}%`);
  }
  return cell;
}

// All is drawn anew by that: whoever stood in the map stands there again.
function chooseCell(ranks, bytes) {
  const stood = byId("winners").contains(document.activeElement);
  choose({ranks, bytes});
  if (stood) byId("winners").querySelector("td[aria-current]")?.focus({preventScroll: true});
}

// What the terminal says below its tables, a line for each number of ranks.
function crossoverData() {
  const found = raw.fastest.filter(one => one.operation === state.operation);
  if (found.length === 0) return [];
  const lines = found.map(one => [grouped(one.ranks), fastestText(one)]);
  const caption = `Crossover sizes of ${spoken(state.operation)} (${timeName(found[0].time)}), all algorithms`;
  const data = dataOf(caption, ["ranks", "fastest"], lines, 2);
  data.querySelector("summary").textContent = "The crossover sizes";
  return [data];
}

// The arrow keys move within the map; Tab passes it as one stop.
function walkCells(event, body) {
  const moves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};
  const cell = event.target.closest("td");
  if (!cell) return;
  if (event.key === "Enter" || event.key === " ") cell.click();
  else if (moves[event.key]) {
    const [down, right] = moves[event.key], line = body.children[cell.parentElement.sectionRowIndex + down];
    const next = line?.children[cell.cellIndex + right];
    if (next?.tagName !== "TD") return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  } else return;
  event.preventDefault();
}

function showWinners() {
  const among = ofOperation();
  const sizes = thinned(numbersOf("bytes", among), mostLines), ranks = thinned(numbersOf("ranks", among), mostColumns);
  const readout = make("p", {class: "readout", role: "status"},
    "Point at a cell, or walk with the arrow keys; Enter sets the charts to it.");
  const body = make("tbody", {}, sizes.map(bytes => make("tr", {},
    make("th", {scope: "row", "data-value": bytes}, bytesText(bytes)), ranks.map(count => winnerCell(count, bytes, readout)))));
  const start = body.querySelector('td[aria-current="true"]') ?? body.querySelector("td");
  if (start) start.tabIndex = 0;
  const table = captioned(make("table", {class: "map", onkeydown: event => walkCells(event, body)},
    make("thead", {}, make("tr", {},
      make("td", {class: "corner"}), ranks.map(count => make("th", {scope: "col"}, String(count))))),
    body), `Fastest ${spoken(state.operation)} (${named().name}): ranks across, size of the vector down`);
  const winners = algorithms.filter(name => body.querySelector(`td[data-winner="${CSS.escape(name)}"]`));
  const key = make("ul", {class: "key"}, winners.map(name => {
    const item = make("li", {}, make("b", {}, shortNames.get(name)), ` ${spoken(name)}`);
    item.style.setProperty("--hue", `var(${lookOf(name).variable})`);
    return item;
  }));
  byId("winners").querySelector("figure").replaceChildren(readout, make("div", {class: "scroll"}, table), key, ...crossoverData());
}
