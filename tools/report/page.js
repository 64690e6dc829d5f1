// Brings the page to life: the controls, the theme, print, and what is drawn when one of them changes.

const figures = {};

function choose(change) {
  Object.assign(state, change);
  offer();
  refresh();
}

// The times by which a report has found who is the fastest.
const usualTime = () => ["predicted_us", "simulated_us"].find(key => times.some(time => time.key === key));

function toggle(name) {
  if (!state.hidden.delete(name)) state.hidden.add(name);
  const group = document.activeElement?.closest("figure");
  refresh();
  group?.querySelector(`.legend [data-series="${CSS.escape(name)}"]`)?.focus();
}

function options(id, values, text, chosen) {
  byId(id).replaceChildren(
    ...values.map(value => make("option", {value: String(value), selected: value === chosen}, text(value))));
  byId(id).parentElement.hidden = values.length < 2;
}

// The choices that the rows leave; what was chosen stays where it can.
function offer() {
  const keep = (key, values, fallback) => { if (!values.includes(state[key])) state[key] = fallback; };
  keep("operation", operations, operations[0]);
  const ranks = numbersOf("ranks", ofOperation()), sizes = numbersOf("bytes", ofOperation());
  keep("time", times.map(time => time.key), times.find(time => time.key === "measured_us")?.key ?? usualTime() ?? times.at(-1)?.key ?? "");
  keep("ranks", ranks, ranks.findLast(count => sizes.some(bytes => ranking(count, bytes).length > 0)) ?? ranks.at(-1));
  keep("bytes", sizes, mostTelling(sizes));
  options("operation", operations, spoken, state.operation);
  options("ranks", ranks, grouped, state.ranks);
  options("bytes", sizes, bytesText, state.bytes);
  options("time", times.map(time => time.key), key => times.find(time => time.key === key).name, state.time);
}

// The largest of the sizes at which the winner changes most often with the ranks: the most telling cut to begin with.
function mostTelling(sizes) {
  const turns = sizes.map(bytes => runsOfRanks(bytes).length);
  return sizes[turns.lastIndexOf(Math.max(...turns))];
}

function refresh() {
  followTheme(isLecture ? 17 : 13); // legible on a projector
  const found = findings();
  byId("glance").hidden = found.length === 0;
  byId("glance").querySelector("ul").replaceChildren(
    ...found.map(([lead, text]) => make("li", {}, make("strong", {}, lead), text)));
  const timed = ofOperation().filter(row => timeOf(row) !== null);
  const sizes = numbersOf("bytes", timed.filter(row => row.ranks === state.ranks));
  const counts = numbersOf("ranks", timed.filter(row => row.bytes === state.bytes));
  byId("by-ranks").hidden = counts.length < 2; // of one number there is no line
  byId("by-size").hidden = sizes.length === 1;
  byId("by-size").querySelector("figure").hidden = sizes.length === 0;
  byId("race").hidden = !isLecture && sizes.length !== 1;
  if (sizes.length > 1) figures.size.refresh(sizeContent());
  if (counts.length > 1) figures.ranks.refresh(ranksContent());
  if (!byId("race").hidden) figures.race.refresh(raceContent());
  figures.moved.refresh(movedContent());
  figures.fanIn.refresh(fanInContent());
  say("race", raceText());
  say("by-size", sizeText());
  say("by-ranks", ranksChartText());
  say("winners", winnersText());
  say("counts", countsText());
  showWinners();
  showPrediction();
  showTimeline();
  showAlgorithms();
  if (isLecture) refreshLecture();
}

function showPrediction() {
  byId("prediction").hidden = predictedKey() === null || ofOperation().every(row => row.measured_us === null);
  if (byId("prediction").hidden) return;
  say("prediction", predictionText());
  byId("prediction").querySelector("figure").hidden = comparisons().length === 0;
  if (comparisons().length > 0) figures.prediction.refresh(predictionContent());
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null; // by the button, over what the reader's system says

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  if (rows.length > 0) refresh();
}
const followReader = () => setTheme(chosenTheme ?? (prefersDark.matches ? "dark" : "light"));

// On paper: light, as wide as a page, and everything that can be unfolded is.
function print() {
  const folds = () => [...document.querySelectorAll("details")], opened = folds().map(one => one.open);
  setTheme("light");
  for (const one of folds()) one.open = true;
  for (const {chart, stage} of Object.values(figures)) {
    if (!chart) continue;
    chart.options.devicePixelRatio = 3; // a printer is finer than a screen
    chart.resize(680, parseFloat(stage.style.height) || 300);
  }
  addEventListener("afterprint", () => {
    followReader();
    folds().forEach((one, i) => { one.open = opened[i]; });
  }, {once: true});
}

function introduce() {
  const counts = numbersOf("ranks", rows), sizes = numbersOf("bytes", rows);
  byId("title").textContent = `${capital(listText(operations.map(spoken)))}: what ${
    algorithms.length === 1 ? `${spoken(algorithms[0])} costs` : `${algorithms.length} algorithms cost`}`;
  byId("scope").textContent =
    `${counts.length > 1 ? `${grouped(counts[0])} to ` : ""}${ranksText(counts.at(-1))}, ${spanText(sizes, bytesText)}`;
  document.title = `tutti: ${byId("title").textContent}`;
}

const operations = distinct(rows.map(row => row.operation));
showMachine();
byId("theme").addEventListener("click", () => {
  chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  followReader();
});
prefersDark.addEventListener("change", followReader);

if (rows.length === 0) {
  byId("scope").textContent = "This report has no rows.";
  for (const part of document.querySelectorAll("#controls, main")) part.hidden = true;
} else {
  introduce();
  byId("race").querySelector("figure").before(raceSwitch());
  figures.race = new Figure(byId("race").querySelector("figure"), false);
  figures.size = new Figure(byId("by-size").querySelector("figure"), true);
  figures.ranks = new Figure(byId("by-ranks").querySelector("figure"), true);
  figures.moved = new Figure(byId("moved"), false);
  figures.fanIn = new Figure(byId("fan-in"), false);
  figures.prediction = new Figure(byId("prediction").querySelector("figure"), true);
  for (const [id, read] of [["operation", String], ["ranks", Number], ["bytes", Number], ["time", String]]) {
    byId(id).addEventListener("change", event => choose({[id]: read(event.target.value)}));
  }
  byId("controls").addEventListener("submit", event => event.preventDefault());
  addEventListener("beforeprint", print);
  if (isLecture) beginLecture();
  offer();
}
followReader();
document.documentElement.dataset.ready = "true";
