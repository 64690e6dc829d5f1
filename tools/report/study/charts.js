// Lines and bars of a page of sections. A series is {name, points: [{x, y, low, high}], style}: a line with its points,
// `dashed` without them, `earlier` dotted with them, or `points` alone. A band reaches from low to high, where they are.

const numberText = value => String(Number(value.toPrecision(6)));
const axisOf = (title, more) =>
  ({title: {display: true, text: title, color: css("--ink")}, grid: {color: css("--grid")}, ...more});

// Values that are powers of two stand at equal distances.
const powersOfTwo = values => ({
  type: "logarithmic",
  min: Math.min(...values),
  max: Math.max(...values),
  ticks: {autoSkip: false, callback: numberText},
  afterBuildTicks: axis => { axis.ticks = [...new Set(values)].sort((a, b) => a - b).map(value => ({value})); },
});

function ratios(title, values, room, inBytes = false) {
  const [min, max] = around(values, 1.1);
  return {...logAxis(title, inBytes ? 2 : 10, inBytes ? bytesText : numberText, room), min, max};
}

// A share of a hundred has its limits, whatever two standard deviations are; and nothing positive falls below nothing.
function bounded(chart, value) {
  if (value === undefined) return NaN; // a gap
  const isShare = chart.y.endsWith("%"), isPositive = chart.series.every(one => one.points.every(p => p.y >= 0));
  return Math.min(isShare ? 100 : Infinity, Math.max(isPositive ? 0 : -Infinity, value));
}

// What is dashed explains the points of the same hue. Lines are told apart by dashes too, where these say nothing else.
function lookOfSeries(chart, one, i) {
  const look = lookAt(one.hue ?? i), meant = chart.series.some(other => ["dashed", "earlier"].includes(other.style));
  const dash = one.style === "dashed" ? [6, 5] : one.style === "earlier" ? [2, 3] : meant ? [] : look.dash;
  return {...look, dash, line: one.style !== "points", point: one.style === "dashed" ? null : look.point};
}

function lineSets(chart, one, i) {
  const look = lookOfSeries(chart, one, i), {color} = look;
  const line = {
    label: one.name, series: one.name, data: one.points, borderColor: color, backgroundColor: color, borderWidth: 2,
    borderDash: look.dash, showLine: look.line, pointStyle: look.point ?? "circle", pointRadius: look.point ? 4 : 0,
    clip: 8,
  };
  if (one.points.every(p => p.low === undefined)) return [line];
  const edge = bound => ({
    label: `${one.name}: ${bound}`, series: one.name, pointRadius: 0, borderWidth: 0, backgroundColor: `${color}26`,
    data: one.points.map(p => ({x: p.x, y: bounded(chart, p[bound])})), isBand: true,
  });
  return [line, edge("low"), {...edge("high"), fill: "-1"}];
}

// A line needs two places: where all points stand at one, each is a bar.
const placesOf = chart => [...new Set(chart.series.flatMap(one => one.points.map(p => p.x)))];
const isBars = chart => chart.kind === "bars" || placesOf(chart).length === 1;

function barConfig(chart) {
  const labels = chart.labels ?? placesOf(chart).map(String);
  const datasets = chart.series.map((one, i) => ({
    label: one.name, series: one.name, data: one.points.map(p => p.y), backgroundColor: lookAt(one.hue ?? i).color,
  }));
  const scales = {x: axisOf(chart.x, {type: "category"}), y: axisOf(chart.y, {beginAtZero: true})};
  return {type: "bar", data: {labels, datasets}, options: {scales}};
}

function lineConfig(chart) {
  const values = chart.series.flatMap(one => one.points.map(p => p.x));
  const heights = chart.series.flatMap(one => one.points.flatMap(p => [p.y, p.low ?? p.y, p.high ?? p.y]));
  const x = chart.powers_of_two ? axisOf(chart.x, powersOfTwo(values))
    : chart.log_x ? ratios(chart.x, values, 70, chart.bytes_x) : axisOf(chart.x, {
      type: "linear", ticks: values.every(Number.isInteger) ? {precision: 0} : {}});
  const y = chart.log_y ? ratios(chart.y, heights, 36) : axisOf(chart.y, {});
  const datasets = chart.series.flatMap((one, i) => lineSets(chart, one, i));
  return {type: "line", data: {datasets}, options: {scales: {x, y}}};
}

function configOf(chart) {
  const config = isBars(chart) ? barConfig(chart) : lineConfig(chart);
  const tooltip = {
    filter: item => !item.dataset.isBand,
    callbacks: {label: item => `${item.dataset.label}: ${Number(item.parsed.y.toPrecision(4))}`,
      ...chart.bytes_x && {title: items => bytesText(items[0].parsed.x)}},
  };
  Object.assign(config.options,
    {responsive: true, maintainAspectRatio: false, animation: false, plugins: {legend: {display: false}, tooltip}});
  return config;
}

function tableOfChart(chart) {
  const words = value => value === undefined ? "" : String(Number(value.toPrecision(5)));
  const places = chart.labels ?? placesOf(chart);
  const at = (series, place, i) => chart.labels ? series.points[i]?.y : series.points.find(p => p.x === place)?.y;
  const lines = places.map((place, i) => [chart.bytes_x ? bytesCell(place) : String(place), ...chart.series.map(s => words(at(s, place, i)))]);
  return dataOf(`${chart.title}; ${chart.y}`, [chart.x, ...chart.series.map(s => s.name)], lines);
}

// A press on a name takes its line, its band and what explains it away.
function legendOfChart(chart, drawn) {
  const sets = name => drawn.data.datasets.map((set, i) => ({set, i})).filter(({set}) => set.series === name);
  const shown = name => () => sets(name).some(({i}) => drawn.isDatasetVisible(i));
  const press = name => {
    const visible = !shown(name)();
    for (const {i} of sets(name)) drawn.setDatasetVisibility(i, visible);
  };
  const entries = chart.series.filter(one => one.points.length > 0).map(one => ({
    name: one.name, text: one.name, shown: shown(one.name),
    sample: sampleOf({...lookOfSeries(chart, one, chart.series.indexOf(one)), bar: isBars(chart)}),
  }));
  return legendOf(entries, "Press to hide or show; the others fade at the one that has the focus", drawn, press);
}

function figureOfChart(chart) {
  const canvas = make("canvas", {role: "img", "aria-label": chart.title}), stage = make("div", {class: "stage"}, canvas);
  const figure = make("figure", {}, make("figcaption", {}, chart.title), stage, tableOfChart(chart));
  const show = () => {
    const drawn = new Chart(canvas, configOf(chart));
    if (chart.series.length > 1) stage.after(legendOfChart(chart, drawn));
  };
  return {figure, draw: show};
}
