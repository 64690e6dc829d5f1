// The curves of a chart as buttons. A press takes a curve away; while a button is pointed at or has the focus, all
// other curves fade. A click on a curve gives its button the focus.

const near = 24; // pixels from a click to the point that is meant
const faded = color => `${color.slice(0, 7)}${color.length > 7 ? "08" : "2b"}`; // a band has a channel of its own

function emphasise(chart, name) {
  for (const set of chart.data.datasets) {
    if (!set.series) continue;
    set.own ??= {borderColor: set.borderColor, backgroundColor: set.backgroundColor};
    const away = name !== null && set.series !== name;
    for (const [key, color] of Object.entries(set.own)) if (color) set[key] = away ? faded(color) : color;
    set.order = name !== null && !away ? -1 : 0; // in front
  }
  chart.update("none");
}

// `entries` are [{name, text, sample, shown}]; `press(name)` is what a press does.
function legendOf(entries, label, chart, press) {
  const standing = () => [...legend.children].find(one => one === document.activeElement)?.dataset.series ?? null;
  const show = name => emphasise(chart, entries.find(one => one.name === name)?.shown() ? name : null);
  const buttons = entries.map(({name, text, sample, shown}) => make("button", {
    type: "button", title: name, "aria-pressed": String(shown()), "data-series": name,
    onclick: event => {
      press(name);
      event.currentTarget?.setAttribute("aria-pressed", String(shown()));
      if (legend.isConnected) show(standing());
    },
    onfocus: () => show(name), onblur: () => show(null), onmouseenter: () => show(name),
    onmouseleave: () => show(standing()),
  }, sample, text));
  const legend = make("div", {class: "legend", role: "group", "aria-label": label}, buttons);
  chart.options.onClick = event => {
    const [found] = chart.getElementsAtEventForMode(event, "nearest", {intersect: false}, false);
    if (!found || Math.hypot(found.element.x - event.x, found.element.y - event.y) > near) return;
    const {series} = chart.data.datasets[found.datasetIndex];
    buttons.find(one => one.dataset.series === series)?.focus({preventScroll: true});
  };
  chart.update("none");
  return legend;
}
