// The figures that Chart.js draws: their frame, zoom, and the readout.

// What a figure needs around its canvas; `refresh(content)` draws anew: {config, full, title, label, data, names,
// height}. The legend has the `names`; the stage is `height(width)` pixels high where that follows
// from the data.
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
  refresh({config, full, title, label, data, names = [], height = null}) {
    this.chart?.destroy();
    this.stage.style.height = height === null ? "" : `${height(this.stage.clientWidth)}px`;
    this.title.textContent = title;
    this.canvas.setAttribute("aria-label", label);
    this.chart = new Chart(this.canvas,
      {...config, options: {responsive: true, maintainAspectRatio: false, animation: false, ...config.options}});
    if (this.zoomable) this.view = new View(this.chart, full);
    this.active = -1;
    this.readout.textContent = "";
    const open = this.below.querySelector("details")?.open ?? false;
    this.legend.replaceChildren(...names.length === 0 ? [] : [
      legendOf(entriesOf(names), "Algorithms: press to hide or show; the others fade at the one that has the focus",
        this.chart, toggle)
    ]);
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

// An algorithm looks the same in all charts.
const lookOf = algorithm => lookAt(algorithms.indexOf(algorithm));

const entriesOf = names => names.map(name => (
  {name, text: spoken(name), sample: sampleOf(lookOf(name)), shown: () => !state.hidden.has(name)}));
