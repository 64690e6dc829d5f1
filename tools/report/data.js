// The report's data, and questions to them. Absent figures are null throughout.

const raw = JSON.parse(document.getElementById("data").textContent);
const rows = raw.rows.map(values => Object.fromEntries(raw.columns.map((key, i) => [key, values[i]])));

const ascending = (a, b) => a - b;
const distinct = values => [...new Set(values)];
const numbersOf = (key, among) => distinct(among.map(row => row[key])).sort(ascending);
const algorithms = distinct(rows.map(row => row.algorithm));

const times = [
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
const timeOf = row => row[state.time] > 0 ? row[state.time] : null; // no logarithm of nothing

// The rows of a cell that have the chosen time and are not hidden, fastest first.
const ranking = (ranks, bytes) => cellOf(state.operation, ranks, bytes)
  .filter(row => shown(row) && timeOf(row) !== null)
  .sort((a, b) => timeOf(a) - timeOf(b));

// Runs of neighbouring values of one axis with one winner: [{algorithm, from, to, crossover}]. A crossover is where the
// lines of the former winner and of this one meet, straight between their points on logarithmic axes.
function runsOf(values, rankingAt) {
  const runs = [];
  let before = null;
  for (const value of values) {
    const ranked = rankingAt(value);
    if (ranked.length === 0) continue;
    const last = runs.at(-1);
    const algorithm = ranked[0].algorithm;
    if (last?.algorithm === algorithm) last.to = value;
    else runs.push({algorithm, from: value, to: value, crossover: meeting(before, {value, ranked})});
    before = {value, ranked};
  }
  return runs;
}

function meeting(before, after) {
  if (before === null) return null;
  const ratio = point => {
    const time = name => point.ranked.find(row => row.algorithm === name);
    const old = time(before.ranked[0].algorithm), now = time(after.ranked[0].algorithm);
    return old && now ? Math.log(timeOf(old) / timeOf(now)) : null;
  };
  const a = ratio(before), b = ratio(after);
  if (a === null || b === null || a === b) return null;
  const at = a / (a - b);
  return Math.exp(Math.log(before.value) * (1 - at) + Math.log(after.value) * at);
}
