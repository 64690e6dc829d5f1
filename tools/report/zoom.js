// Zoom and pan of logarithmic axes: buttons, keys, a box that is drawn, Ctrl and the wheel, two fingers.

// `full` gives the limits of all that is drawn, {x: [min, max], y: [min, max]}; a view never leaves them.
class View {
  constructor(chart, full) {
    this.chart = chart;
    this.full = full;
    this.reset();
  }
  reset() { this.set(this.full); }
  set(limits) {
    for (const axis of ["x", "y"]) {
      const [least, most] = this.full[axis];
      const [low, high] = limits[axis];
      if (!(high / low > 1.02)) return; // nearer than two percent there is nothing to see
      const width = Math.min(high / low, most / least);
      const from = Math.min(Math.max(low, least), most / width);
      this.chart.options.scales[axis].min = from;
      this.chart.options.scales[axis].max = from * width;
    }
    this.chart.update("none");
  }
  limits() {
    const {x, y} = this.chart.options.scales;
    return {x: [x.min, x.max], y: [y.min, y.max]};
  }
  // `at`: what stays where it is, as parts of both axes from their lower ends.
  zoom(factor, at = {x: 0.5, y: 0.5}) {
    const next = {};
    for (const [axis, [low, high]] of Object.entries(this.limits())) {
      const fixed = low * (high / low) ** at[axis], width = (high / low) ** (1 / factor);
      next[axis] = [fixed * width ** -at[axis], fixed * width ** (1 - at[axis])];
    }
    this.set(next);
  }
  pan(part) {
    const next = {};
    for (const [axis, [low, high]] of Object.entries(this.limits())) {
      const by = (high / low) ** part[axis];
      next[axis] = [low * by, high * by];
    }
    this.set(next);
  }
  partsAt(event) {
    const box = this.chart.canvas.getBoundingClientRect(), area = this.chart.chartArea;
    return {
      x: (event.clientX - box.left - area.left) / (area.right - area.left),
      y: (area.bottom - event.clientY + box.top) / (area.bottom - area.top)
    };
  }
}

const keys = {
  "+": view => view.zoom(1.5),
  "=": view => view.zoom(1.5),
  "-": view => view.zoom(1 / 1.5),
  "0": view => view.reset(),
  ArrowUp: view => view.pan({x: 0, y: 0.1}),
  ArrowDown: view => view.pan({x: 0, y: -0.1}),
};

function zoomButtons(view) {
  const button = (text, name, act) =>
    make("button", {type: "button", "aria-label": name, title: name, onclick: act}, text);
  return make("div", {class: "zoom"}, button("+", "Zoom in", () => view().zoom(1.5)),
    button("−", "Zoom out", () => view().zoom(1 / 1.5)), button("Reset", "Show all", () => view().reset()));
}

function zoomByPointer(stage, view) {
  const fingers = new Map();
  const box = make("div", {class: "box", hidden: true});
  let from = null, spread = null;
  stage.append(box);

  const frame = event => {
    const rect = stage.getBoundingClientRect();
    return {
      left: Math.min(from.clientX, event.clientX) - rect.left,
      top: Math.min(from.clientY, event.clientY) - rect.top,
      width: Math.abs(event.clientX - from.clientX),
      height: Math.abs(event.clientY - from.clientY)
    };
  };
  const distance = () => {
    const [a, b] = fingers.values();
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  stage.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    view().zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, view().partsAt(event));
  }, {passive: false});
  stage.addEventListener("pointerdown", event => {
    if (event.pointerType === "mouse") from = event.button === 0 ? event : null;
    else fingers.set(event.pointerId, event);
    if (fingers.size === 2) spread = distance();
  });
  stage.addEventListener("pointermove", event => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event);
    if (fingers.size === 2) {
      const [a, b] = fingers.values();
      const middle = {clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2};
      view().zoom(distance() / spread, view().partsAt(middle));
      spread = distance();
    }
    if (from === null) return;
    const {left, top, width, height} = frame(event);
    box.hidden = width < 8 || height < 8;
    box.style.cssText = `left: ${left}px; top: ${top}px; width: ${width}px; height: ${height}px`;
  });
  const end = event => {
    fingers.delete(event.pointerId);
    if (from !== null && !box.hidden) {
      const a = view().partsAt(from), b = view().partsAt(event), limits = view().limits(), next = {};
      for (const [axis, [low, high]] of Object.entries(limits)) {
        next[axis] =
          [a[axis], b[axis]].sort(ascending).map(part => low * (high / low) ** Math.min(1, Math.max(0, part)));
      }
      view().set(next);
    }
    from = null;
    box.hidden = true;
  };
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) stage.addEventListener(name, end);
}
