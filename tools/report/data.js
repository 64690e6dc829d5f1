// The report's data, and questions to them. Absent figures are null throughout.

const raw = JSON.parse(document.getElementById("data").textContent);
const rows = raw.rows.map(values => Object.fromEntries(raw.columns.map((key, i) => [key, values[i]])));

const ascending = (a, b) => a - b;
const distinct = values => [...new Set(values)];
const numbersOf = (key, among) => distinct(among.map(row => row[key])).sort(ascending);
const algorithms = distinct(rows.map(row => row.algorithm));

const times = [
  {key: "predicted_us", name: "predicted"}, // of a report that compares forms: simulated where those are estimates
  {key: "closed_form_us", name: "closed form"},
  {key: "simulated_us", name: "simulated"},
  {key: "measured_us", name: "measured"},
].filter(time => rows.some(row => row[time.key] !== null));

// (operation, ranks, bytes) -> its rows
const cells = new Map();
for (const row of rows) {
  const key = `${row.operation}|${row.ranks}|${row.bytes}`;
  if (!cells.has(key)) cells.set(key, []);
  cells.get(key).push(row);
}
const cellOf = (operation, ranks, bytes) => cells.get(`${operation}|${ranks}|${bytes}`) ?? [];

// What the reader has chosen to see.
const state = {operation: "", ranks: 0, bytes: 0, time: "", hidden: new Set()};

const ofOperation = () => rows.filter(row => row.operation === state.operation);
const shown = row => !state.hidden.has(row.algorithm);
// An estimate is shown with a ~, and among closed forms does not compete: it must not win by being one.
const isEstimate = (row, key) => !row.exact && row[key] !== null
  && (key === "closed_form_us" || (key === "predicted_us" && row.simulated_us === null));
const competes = row => state.time !== "closed_form_us" || !isEstimate(row, state.time);
const timeOf = row => row[state.time] > 0 && competes(row) ? row[state.time] : null; // no logarithm of nothing
const takenText = row => `${timeOf(row) !== null && isEstimate(row, state.time) ? "~" : ""}${timeText(timeOf(row))}`;

// Where the chosen time of a row comes from.
const sourceOf = row => state.time !== "predicted_us" ? named().name
  : row.simulated_us !== null ? "simulated" : row.exact ? "closed form" : "closed form, an estimate";

const rounding = 1e-9; // the part of a time that decides nothing, as in the terminal
const isFaster = (a, b) => timeOf(a) < timeOf(b) * (1 - rounding);

// The rows of a cell that have the chosen time and are not hidden, fastest first: of those that are equal but for
// rounding, the first of the list, as in the terminal.
function ranking(ranks, bytes) {
  const left = cellOf(state.operation, ranks, bytes).filter(row => shown(row) && timeOf(row) !== null), ranked = [];
  while (left.length > 0) {
    const best = left.reduce((a, b) => isFaster(b, a) ? b : a);
    ranked.push(...left.splice(left.indexOf(best), 1));
  }
  return ranked;
}

// Who takes as long as the fastest, but for rounding.
const tiedIn = ranked => ranked.slice(1).filter(row => !isFaster(ranked[0], row));

// Runs of neighbouring values of one axis with one winner: [{algorithm, from, to}].
function runsOf(values, rankingAt) {
  const runs = [];
  for (const value of values) {
    const ranked = rankingAt(value);
    if (ranked.length === 0) continue;
    const algorithm = ranked[0].algorithm;
    if (runs.at(-1)?.algorithm === algorithm) runs.at(-1).to = value;
    else runs.push({algorithm, from: value, to: value});
  }
  return runs;
}

// What the report says of who is the fastest between the sizes: {time, at_smallest, changes: [{bytes, size, to}]}.
const fastestOn = ranks => raw.fastest.find(one => one.operation === state.operation && one.ranks === ranks) ?? null;

// The same where it holds for what is shown: it was found by one time, and by the leave of none of its winners.
function crossoversOn(ranks) {
  const found = fastestOn(ranks);
  const winners = found === null ? [] : [found.at_smallest, ...found.changes.map(change => change.to)];
  return found?.time === state.time && !winners.some(name => state.hidden.has(name.replace(/^~/, ""))) ? found : null;
}
