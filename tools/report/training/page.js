// The charts of a training: loss, accuracy and exposed communication by epoch.

const raw = JSON.parse(document.getElementById("data").textContent);
const epochs = raw.epochs;
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rounded = (value, digits = 4) => value === null ? "–" : Number(value.toPrecision(digits)).toString();
const percent = share => `${(100 * share).toFixed(2)} %`;

const line = (label, hue, points, more = {}) => {
  const color = css(`--series-${hue}`);
  return {type: "line", label, data: points, borderColor: color, backgroundColor: color, borderWidth: 2,
    pointRadius: points.length > 60 ? 0 : 3.5, ...more};
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
      line("training, by epoch", 1, byEpoch(epoch => epoch.loss)),
      line("testing, by epoch", 2, byEpoch(epoch => epoch.test_loss), {borderDash: [8, 4], pointStyle: "rect"}),
      line("training, by step", 7, steps, {borderWidth: 1, pointRadius: 0}),
    ]},
    options: {scales: {x: epochAxis(), y: axis("loss, nats", {beginAtZero: true})}},
  };
}

function accuracyChart() {
  return {
    data: {datasets: [
      line("training", 1, byEpoch(epoch => 100 * epoch.train_accuracy)),
      line("testing", 2, byEpoch(epoch => 100 * epoch.test_accuracy), {borderDash: [8, 4], pointStyle: "rect"}),
    ]},
    options: {scales: {x: epochAxis(), y: axis("right, %")}},
  };
}

function communicationChart() {
  const bar = (label, variable, value) =>
    ({type: "bar", label, data: epochs.map(value), backgroundColor: css(variable), stack: "seconds"});
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

function refresh() {
  Chart.defaults.color = css("--quiet");
  Chart.defaults.font.family = css("--font");
  Chart.defaults.font.size = 13;
  for (const [id, chart] of Object.entries(charts)) {
    drawn[id]?.destroy();
    const config = chart();
    Object.assign(config.options, {responsive: true, maintainAspectRatio: false, animation: false,
      interaction: {mode: "nearest", intersect: false}});
    drawn[id] = new Chart(byId(id).querySelector("canvas"), config);
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
