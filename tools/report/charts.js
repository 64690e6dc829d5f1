// The figures that Chart.js draws: their frame, logarithmic axes with ticks of the unit, and the readout.

// Ticks of one unit between two limits, at most `most`: powers of two for bytes and ranks, of ten (or 1, 2, 5) for
// times.
function ticksBetween(low, high, base, most) {
  const steps = base === 2 ? [1, 2, 3, 4, 5, 6, 8, 10, 20, 40] : [1, 2, 3, 6];
  const log = Math.log(base), round = 1e-9;
  const first = Math.ceil(Math.log(low) / log - round), last = Math.floor(Math.log(high) / log + round);
  const step = steps.find(width => (last - first) / width < most) ?? steps.at(-1);
  const ticks = [];
  for (let power = Math.ceil(first / step) * step; power <= last; power += step) ticks.push(base ** power);
  if (base === 2 || ticks.length > 2) return ticks;
  return [first - 1, ...ticks.map(Math.log10).map(Math.round), last + 1]
    .flatMap(power => [1, 2, 5].map(digit => digit * 10 ** power))
    .filter((tick, i, all) => tick >= low && tick <= high && all.indexOf(tick) === i)
    .sort(ascending);
}

function logAxis(title, base, text, room) {
  return {
    type: "logarithmic",
    title: {display: true, text: title, color: css("--ink")},
    grid: {color: css("--grid"), drawTicks: false, drawBorder: false},
    ticks: {color: css("--quiet"), padding: 6, maxRotation: 0, autoSkip: false, callback: value => text(value)},
    afterBuildTicks: axis => {
      const length = axis.isHorizontal() ? axis.chart.width : axis.chart.height;
      const most = Math.max(3, Math.floor(length / room));
      axis.ticks = ticksBetween(axis.min, axis.max, base, most).map(value => ({value}));
    },
  };
}

// A little beyond the least and the most, so that no point stands on an edge.
function around(values, by = 1.25) {
  const positive = values.filter(value => value > 0);
  if (positive.length === 0) return [1, 10];
  const low = positive.reduce((a, b) => Math.min(a, b)), high = positive.reduce((a, b) => Math.max(a, b));
  return low === high ? [low / 2, high * 2] : [low / by, high * by];
}

// What a figure needs around its canvas; `refresh(content)` draws anew: {config, full, title, label, data, legend}.
class Figure {
  constructor(figure, zoomable) {
    this.figure = figure;
    this.zoomable = zoomable;
    this.title = make("figcaption");
    this.canvas = make("canvas", {role: "img"});
    this.stage = make("div", {class: "stage"}, this.canvas);
    this.readout = make("p", {class: "readout", role: "status"});
    this.legend = make("div");
    this.below = make("div");
    if (zoomable) {
      const help = "Chart. Left and right read the values, plus and minus zoom, up and down move, zero shows all.";
      const onkeydown = event => this.key(event);
      fill(this.stage, {tabindex: "0", role: "group", onkeydown, "aria-label": help}, []);
      zoomByPointer(this.stage, () => this.view);
    }
    const head = make("div", {class: "head"}, this.title, zoomable ? zoomButtons(() => this.view) : null);
    figure.append(make("div", {class: "whole"}, head, this.stage, this.readout, this.legend), this.below);
  }
  refresh({config, full, title, label, data, legend}) {
    this.chart?.destroy();
    this.title.textContent = title;
    this.canvas.setAttribute("aria-label", label);
    this.chart = new Chart(this.canvas,
      {...config, options: {responsive: true, maintainAspectRatio: false, animation: false, ...config.options}});
    if (this.zoomable) this.view = new View(this.chart, full);
    this.active = -1;
    this.readout.textContent = "";
    const open = this.below.querySelector("details")?.open ?? false;
    this.legend.replaceChildren(...legend ? [legend] : []);
    this.below.replaceChildren(data);
    data.open = open;
  }
  key(event) {
    if (event.target !== this.stage || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.read(event.key === "ArrowRight" ? 1 : -1);
    else if (keys[event.key]) keys[event.key](this.view);
    else return;
    event.preventDefault();
  }
  // The next value of the x axis, in the tooltip for who sees it and as text for who hears it.
  read(by) {
    const sets = this.chart.data.datasets.map((set, i) => ({set, i})).filter(({i}) => this.chart.isDatasetVisible(i));
    const count = Math.max(0, ...sets.map(({set}) => set.data.length));
    if (count === 0) return;
    this.active = Math.min(count - 1, Math.max(0, this.active + by));
    const items =
      sets.filter(({set}) => set.data[this.active]?.y != null).map(({i}) => ({datasetIndex: i, index: this.active}));
    this.chart.setActiveElements(items);
    this.chart.tooltip.setActiveElements(items, {x: 0, y: 0});
    this.chart.update("none");
    const {title = [], body = []} = this.chart.tooltip;
    this.readout.textContent = [...title, ...body.flatMap(part => part.lines)].join("; ");
  }
}

const tooltip = callbacks => ({
  backgroundColor: css("--tip"),
  titleColor: css("--tip-ink"),
  bodyColor: css("--tip-ink"),
  padding: 10,
  boxPadding: 4,
  usePointStyle: true,
  callbacks,
});

// The algorithms as buttons that take lines away, here and everywhere.
function legendOf(names) {
  const button = name => {
    const pressed = String(!state.hidden.has(name)), onclick = () => toggle(name);
    return make("button", {type: "button", "aria-pressed": pressed, title: name, "data-algorithm": name, onclick},
      sampleOf(name), spoken(name));
  };
  return make("div", {class: "legend", role: "group", "aria-label": "Algorithms: press to hide or show"},
    names.map(button));
}
