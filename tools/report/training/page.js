// The charts of a training: loss, accuracy and exposed communication by epoch.

const raw = JSON.parse(document.getElementById("data").textContent);
const epochs = raw.epochs;
const rounded = (value, digits = 4) => value === null ? "–" : Number(value.toPrecision(digits)).toString();
const percent = share => `${(100 * share).toFixed(2)} %`;

// Each curve by its name; `quiet` ones are many values, behind the others.
const looks = {"training": lookAt(0), "testing": lookAt(1), "training, by step": {...lookAt(6), dash: [], point: null}};
const line = (label, points, look = looks[label], quiet = look.point === null) => {
  const color = css(look.variable);
  return {type: "line", label, series: label, data: points, borderColor: quiet ? `${color}66` : color,
    backgroundColor: color, borderWidth: quiet ? 1 : 2, borderDash: look.dash, pointStyle: look.point ?? "circle",
    pointRadius: quiet || points.length > 60 ? 0 : 3.5};
};
const byEpoch = value => epochs.map(epoch => ({x: epoch.epoch, y: value(epoch)}));

const axis = (text, more = {}) => ({
  type: "linear",
  title: {display: true, text, color: css("--ink")},
  grid: {color: css("--grid"), drawTicks: false, drawBorder: false},
  ticks: {color: css("--quiet"), padding: 6, maxRotation: 0},
  ...more,
});

// From the begin of the first epoch to the end of the last, also of one alone, with whole numbers.
const epochAxis = () => axis("epochs", {
  min: epochs.length ? epochs[0].epoch - 1 : 0,
  suggestedMax: epochs.length ? epochs.at(-1).epoch : 1,
  ticks: {color: css("--quiet"), padding: 6, maxRotation: 0, precision: 0},
});

function lossChart() {
  const steps = raw.steps.map(([x, y]) => ({x, y}));
  return {
    data: {datasets: [
      line("training", byEpoch(epoch => epoch.loss)),
      line("testing", byEpoch(epoch => epoch.test_loss)),
      line("training, by step", steps),
    ]},
    options: {scales: {x: epochAxis(), y: axis("loss, nats", {beginAtZero: true})}},
  };
}

function accuracyChart() {
  return {
    data: {datasets: [
      line("training", byEpoch(epoch => 100 * epoch.train_accuracy)),
      line("testing", byEpoch(epoch => 100 * epoch.test_accuracy)),
    ]},
    options: {scales: {x: epochAxis(), y: axis("right, %")}},
  };
}

function communicationChart() {
  const bar = (label, variable, value) =>
    ({type: "bar", label, series: label, variable, data: epochs.map(value), backgroundColor: css(variable), stack: "seconds"});
  return {
    data: {
      labels: epochs.map(epoch => epoch.epoch),
      datasets: [
        bar("exposed", "--received", epoch => epoch.exposed_seconds),
        bar("the rest", "--copied", epoch => epoch.seconds - epoch.exposed_seconds),
      ],
    },
    options: {scales: {x: axis("epochs", {type: "category", stacked: true}),
      y: axis(raw.seconds, {beginAtZero: true})}},
  };
}

const tables = {
  loss: () => dataOf("Loss by epoch, in nats", ["epoch", "training", "testing"],
    epochs.map(epoch => [epoch.epoch, rounded(epoch.loss), rounded(epoch.test_loss)])),
  accuracy: () => dataOf("Accuracy by epoch", ["epoch", "training", "testing"],
    epochs.map(epoch => [epoch.epoch, percent(epoch.train_accuracy), percent(epoch.test_accuracy)])),
  communication: () => dataOf(`By epoch, in ${raw.seconds}`, ["epoch", "all", "exposed"],
    epochs.map(epoch => [epoch.epoch, rounded(epoch.seconds), rounded(epoch.exposed_seconds)])),
};
const charts = {loss: lossChart, accuracy: accuracyChart, communication: communicationChart};
const drawn = {};

const away = new Set(); // what a press took away
function legendOfChart(id) {
  const chart = drawn[id], key = label => `${id} ${label}`;
  const press = label => {
    if (!away.delete(key(label))) away.add(key(label));
    chart.setDatasetVisibility(chart.data.datasets.findIndex(set => set.label === label), !away.has(key(label)));
  };
  const entries = chart.data.datasets.map(({label, variable}) => ({
    name: label, text: label, shown: () => !away.has(key(label)),
    sample: sampleOf(variable ? {variable, bar: true} : looks[label]),
  }));
  return legendOf(entries, "Press to hide or show; the others fade at the one that has the focus", chart, press);
}

function refresh() {
  followTheme();
  for (const [id, chart] of Object.entries(charts)) {
    drawn[id]?.destroy();
    const config = chart();
    Object.assign(config.options, {responsive: true, maintainAspectRatio: false, animation: false,
      interaction: {mode: "nearest", intersect: false}, plugins: {legend: {display: false}}});
    for (const set of config.data.datasets) set.hidden = away.has(`${id} ${set.label}`);
    drawn[id] = new Chart(byId(id).querySelector("canvas"), config);
    byId(id).querySelector(".legend")?.remove();
    byId(id).querySelector(".stage").after(legendOfChart(id));
  }
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null; // by the button, over what the reader's system says
function followReader() {
  const theme = chosenTheme ?? (prefersDark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
  refresh();
}

byId("title").textContent = raw.title;
byId("scope").textContent = raw.scope;
byId("parameters").append(tableOf("What the command line says, and what follows from it", ["setting", "value"],
  Object.entries(raw.settings).map(([key, value]) => [key, String(value)]), 2));
for (const id of Object.keys(charts)) {
  byId(id).querySelector("figure").append(
    make("div", {class: "stage"}, make("canvas", {role: "img", "aria-label": byId(`${id}-title`).textContent})),
    tables[id]());
}
byId("theme").addEventListener("click", () => {
  chosenTheme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  followReader();
});
prefersDark.addEventListener("change", followReader);
followReader();
document.documentElement.dataset.ready = "true";
