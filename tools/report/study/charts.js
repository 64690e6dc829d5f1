// Lines and bars of a study. A series is {name, points: [{x, y, low, high}], style}: a line with its points, `dashed`
// without them, or `points` alone. A band reaches from low to high, where they are.

const hues = 10; // as many --series-N as page.css defines
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const hueOf = i => css(`--series-${i % hues + 1}`);

function followTheme() {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  Chart.defaults.color = css("--quiet");
  Chart.defaults.borderColor = css("--grid");
  Chart.defaults.font.family = css("--font");
  Chart.defaults.font.size = 13;
}

function axisOf(title, more) {
  return {title: {display: true, text: title, color: css("--ink")}, grid: {color: css("--grid")}, ...more};
}

// Values that are powers of two stand at equal distances.
const powersOfTwo = values => ({
  type: "logarithmic",
  min: Math.min(...values),
  max: Math.max(...values),
  ticks: {autoSkip: false, callback: value => String(value)},
  afterBuildTicks: axis => { axis.ticks = [...new Set(values)].sort((a, b) => a - b).map(value => ({value})); },
});

// Equal distances are equal ratios, with few labels.
const ratios = {
  type: "logarithmic",
  ticks: {callback: value => [1, 2, 5].includes(Number(String(value)[0])) ? String(value) : ""},
};

function lineSets(series, i) {
  const color = hueOf(series.hue ?? i);
  const line = {
    label: series.name, data: series.points, borderColor: color, backgroundColor: color, borderWidth: 2,
    borderDash: series.style === "dashed" ? [6, 5] : [], showLine: series.style !== "points",
    pointRadius: series.style === "dashed" ? 0 : 4, isDashed: series.style === "dashed",
  };
  if (series.points[0]?.low === undefined) return [line];
  const edge = bound => ({
    label: `${series.name}: ${bound}`, data: series.points.map(p => ({x: p.x, y: p[bound]})), pointRadius: 0,
    borderWidth: 0, backgroundColor: `${color}26`, isBand: true,
  });
  return [line, edge("low"), {...edge("high"), fill: "-1"}];
}

function configOf(chart) {
  const isNamed = set => !set.isBand && !set.isDashed; // a dashed line has the hue of the points that it explains
  const legend = {labels: {filter: (item, data) => isNamed(data.datasets[item.datasetIndex]), usePointStyle: true}};
  const readable = value => Number(value.toPrecision(4));
  const tooltip = {
    filter: item => !item.dataset.isBand,
    callbacks: {label: item => `${item.dataset.label}: ${readable(item.parsed.y)}`},
  };
  const options = {responsive: true, maintainAspectRatio: false, animation: false, plugins: {legend, tooltip}};
  if (chart.kind === "bars") {
    const datasets = chart.series.map((one, i) => ({
      label: one.name, data: one.points.map(p => p.y), backgroundColor: hueOf(one.hue ?? i),
    }));
    options.scales = {x: axisOf(chart.x), y: axisOf(chart.y, {beginAtZero: true})};
    return {type: "bar", data: {labels: chart.labels, datasets}, options};
  }
  const values = chart.series.flatMap(one => one.points.map(p => p.x));
  const x = chart.powers_of_two ? powersOfTwo(values) : chart.log_x ? ratios : {type: "linear", ticks: {stepSize: 1}};
  options.scales = {x: axisOf(chart.x, x), y: axisOf(chart.y, chart.log_y ? ratios : {})};
  return {type: "line", data: {datasets: chart.series.flatMap(lineSets)}, options};
}

function tableOfChart(chart) {
  const words = value => value === undefined ? "" : String(Number(value.toPrecision(5)));
  const places = chart.labels ?? [...new Set(chart.series.flatMap(s => s.points.map(p => p.x)))];
  const at = (series, place, i) => chart.labels ? series.points[i]?.y : series.points.find(p => p.x === place)?.y;
  const lines = places.map((place, i) => [String(place), ...chart.series.map(s => words(at(s, place, i)))]);
  return dataOf(`${chart.title}; ${chart.y}`, [chart.x, ...chart.series.map(s => s.name)], lines);
}

function figureOfChart(chart) {
  const canvas = make("canvas", {role: "img", "aria-label": chart.title});
  const figure = make("figure", {}, make("figcaption", {}, chart.title), make("div", {class: "stage"}, canvas),
    tableOfChart(chart));
  return {figure, draw: () => new Chart(canvas, configOf(chart))};
}
